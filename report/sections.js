'use strict';
// What the scripts say in words and tables: paths, evidence, environment, raw data.

function matrixCell(cell, first) {
  if (cell.reach === 'reached')
    return element('td', {}, element('span', { class: 'latency' }, latencyText(cell.level)), ' ', element('small', {}, `to ${cell.level.capacity}`));
  if (cell.reach === 'passed by') return element('td', { class: 'passed' }, 'not reached');
  if (cell.reach === 'not covered') return element('td', { class: 'none' }, '–');
  return element('td', { class: 'none', title: cell.reason || null }, first ? cell.reach : '');
}

function matrixTable(matrix) {
  let before = null;
  const rows = matrix.rows.map((row) => {
    const key = `${row.path} ${row.options}`,
      first = key !== before;
    before = key;
    return element(
      'tr',
      { class: first ? null : 'more' },
      element('th', { scope: 'row' }, first ? element('code', {}, key.trim()) : ''),
      element('td', {}, row.level),
      row.cells.map((cell) => matrixCell(cell, first)),
    );
  });
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Path by level and API' },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          element('th', { scope: 'col' }, 'path'),
          element('th', { scope: 'col' }, 'level'),
          matrix.devices.map((device) => element('th', { scope: 'col' }, device)),
        ),
      ),
      element('tbody', {}, rows),
    ),
  );
}

function refusals(matrix) {
  const texts = matrix.rows
    .flatMap((row) =>
      row.cells.map((cell, i) =>
        ['unsupported', 'failed'].includes(cell.reach) && cell.reason ? `${row.path} through ${matrix.devices[i]}: ${cell.reason}` : null,
      ),
    )
    .filter(Boolean);
  if (!texts.length) return null;
  return element(
    'details',
    { class: 'facts' },
    element('summary', {}, `Unsupported or failed: ${texts.length}`),
    element(
      'ul',
      {},
      [...new Set(texts)].map((text) => element('li', {}, text)),
    ),
  );
}

function drawMatrix(page) {
  page.cards.forEach((card, index) => {
    if (!card.matrix.rows.length) return;
    body('matrix').append(...[cardHeading(page, index), matrixTable(card.matrix), refusals(card.matrix)].filter(Boolean));
  });
  if (!body('matrix').childNodes.length) document.getElementById('matrix').hidden = true;
}

/** A JSON value as pairs of names and texts, deeper names joined. */
function flattened(value, name = '') {
  if (value === null || typeof value !== 'object') return [[name, value === null ? 'not known' : String(value)]];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return [[name, value.length ? value.join(' ; ') : 'nothing']];
  return Object.entries(value).flatMap(([key, inner]) => flattened(inner, name ? `${name}, ${key}` : key));
}

const definitions = (pairs) =>
  element(
    'dl',
    {},
    pairs.map(([name, text]) => [element('dt', {}, name), element('dd', { class: 'mono' }, text)]),
  );

function pointsTable(series) {
  const number = (value) =>
    element('td', { class: 'number' }, Number.isFinite(value) ? Number(value.toPrecision(5)).toLocaleString('en', { maximumFractionDigits: 3 }) : '');
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Values' },
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          [series.x_name || 'footprint', `median ${series.unit}`, 'lower quartile', 'upper quartile', 'cycles', 'clock MHz', 'pairs'].map((title) =>
            element('th', { scope: 'col' }, title),
          ),
        ),
      ),
      element(
        'tbody',
        {},
        series.line.points.map((point) =>
          element(
            'tr',
            {},
            element('td', { class: 'number' }, series.x_unit === 'bytes' ? bytesText(point.x) : String(point.x)),
            [point.median, point.low, point.high, point.cycles, point.clock_mhz].map(number),
            number(Array.isArray(point.samples) ? point.samples.length / 2 : NaN),
          ),
        ),
      ),
    ),
  );
}

function seriesDetails(series) {
  const evidence = (series.line && series.line.evidence) || {},
    load = evidence.kernel && evidence.kernel.load && evidence.kernel.load.instruction;
  const inside = element('div');
  const node = element(
    'details',
    { class: 'series' },
    element(
      'summary',
      {},
      element('code', {}, series.id),
      series.status === 'ok' ? null : element('span', { class: `status ${series.status}` }, series.status),
      load ? element('code', { class: 'load' }, String(load)) : null,
    ),
    inside,
  );
  node.addEventListener('toggle', () => {
    // built when asked for: there may be hundreds
    if (!node.open || inside.childNodes.length) return;
    const pairs = [['status', series.status], ...(series.reason ? [['reason', series.reason]] : []), ['points', String(series.points)], ...flattened(evidence)];
    const values = element('details', { class: 'facts' }, element('summary', {}, 'Values'));
    values.addEventListener('toggle', () => values.open && values.childNodes.length === 1 && values.append(pointsTable(series)));
    inside.append(definitions(pairs), ...(series.line && series.line.points.length ? [values] : []));
  });
  return node;
}

function drawEvidence(page) {
  page.cards.forEach((card, index) => {
    const list = element('details', { class: 'facts' }, element('summary', {}, `${card.series.length} series of ${page.names[index]}`));
    list.addEventListener(
      'toggle',
      () => list.open && list.childNodes.length === 1 && list.append(element('div', { class: 'scroll' }, card.series.map(seriesDetails))),
    );
    body('evidence').append(list);
  });
}

function drawEnvironment(page) {
  for (const run of page.runs) {
    const { header } = run;
    const pairs = [
      ['command', Array.isArray(header.command) ? header.command.join(' ') : ''],
      ['profile', header.profile],
      ['started', header.started],
      ['finished', run.end ? run.end.finished : 'did not finish'],
      ['sonde', header.sonde],
      ...flattened(header.host || {}, 'host'),
    ];
    const absent = Array.isArray(header.absent) ? header.absent.map((each) => [`${each.api} absent`, each.reason]) : [];
    body('environment').append(element('h3', {}, run.file), definitions([...pairs, ...absent].map(([name, text]) => [String(name), String(text ?? '')])));
  }
  page.cards.forEach((card, index) => {
    body('environment').append(
      cardHeading(page, index, true),
      ...card.devices.map((device) => {
        const { facts, type, ...known } = device;
        const told = Array.isArray(facts) ? facts.map((fact) => [`${fact.name} (${fact.source})`, String(fact.value)]) : [];
        return element(
          'details',
          { class: 'facts' },
          element('summary', {}, element('code', {}, device.id), ` ${device.name || ''}, ${device.driver || ''}`),
          definitions([...flattened(known), ...told]),
        );
      }),
    );
  });
}

function drawDownloads(page) {
  const buttons = page.runs.map((run, i) => {
    const button = element('button', { type: 'button', 'data-raw': i }, `${run.file}, ${(run.bytes / 1e6).toFixed(1)} MB`);
    button.addEventListener('click', async () => {
      const url = URL.createObjectURL(new Blob([page.bytes[i] || (await bytesOfRaw(page.raw[i]))], { type: 'application/jsonl' }));
      element('a', { href: url, download: run.file }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
    return button;
  });
  body('raw').append(element('div', { class: 'downloads' }, buttons));
}
