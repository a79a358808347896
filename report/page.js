'use strict';
// Reads the data, draws every section, and ties the controls to the charts.

/** Each series finds its line in its file: same identity, same number of points, not yet taken. */
function joinLines(page, run, lines) {
  const identity = (line) => [line.probe, line.device, line.path, ...Object.entries(line.options || {}).map(([name, value]) => `${name}=${value}`)].join(' ');
  const free = new Map();
  for (const line of lines) free.set(identity(line), [...(free.get(identity(line)) || []), line]);
  for (const card of page.cards)
    for (const series of card.series) {
      if (series.run !== run) continue;
      const candidates = free.get(series.id) || [],
        found = candidates.findIndex((line) => line.points.length === series.points);
      if (found >= 0) series.line = candidates.splice(found, 1)[0];
    }
}

/** The points of a series as a chart takes them; in cycles the quartiles follow the median. */
function pointsOf(series, inCycles) {
  const points = [];
  for (const { x, median, low, high, cycles } of series.line ? series.line.points : []) {
    const scale = inCycles ? cycles / median : 1;
    if (x > 0 && median * scale > 0 && Number.isFinite(x) && Number.isFinite(median * scale))
      points.push({ x, y: median * scale, low: low * scale, high: high * scale });
  }
  return points;
}

const inCycles = (series) => Boolean(series.line && series.line.points.some((point) => point.cycles > 0));

/** Values of one property in the order of `series`, each once. */
const distinct = (series, value) => [...new Set(series.map(value))];

/** A row of checkboxes; `chosen` is a set that they keep. */
function checkboxes(title, values, chosen, change, labelOf = (value) => value, swatchOf = () => null) {
  if (values.length < (title === 'Published' ? 1 : 2)) return null; // one alone needs no choice, but a figure laid over does
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    values.map((value) => {
      const box = element('input', { type: 'checkbox', value, 'data-group': title });
      box.checked = chosen.has(value);
      box.addEventListener('change', () => {
        if (box.checked) chosen.add(value);
        else chosen.delete(value);
        change();
      });
      return element('label', {}, box, swatchOf(value), labelOf(value));
    }),
  );
}

function radios(title, values, state, change) {
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    values.map((value) => {
      const button = element('input', { type: 'radio', name: title, value, 'data-group': title });
      button.checked = state.unit === value;
      button.addEventListener('change', () => {
        state.unit = value;
        change();
      });
      return element('label', {}, button, value);
    }),
  );
}

function overlayCurves(page, probe, unit, chosen) {
  return page.published
    .filter((each) => each.probe === probe && each.unit === unit && chosen.has(each.title))
    .map((each) => ({
      name: `published ${each.title}`,
      label: each.title,
      colour: 7,
      overlay: true,
      points: each.points.filter(([x, y]) => x > 0 && y > 0).map(([x, y]) => ({ x, y })),
    }));
}

/** One probe's chart with its controls. */
function drawProbe(page, probe) {
  const all = page.cards.flatMap((card, index) =>
    card.series.filter((series) => series.probe === probe && series.points > 0).map((series) => ({ ...series, card: page.names[index] })),
  );
  const measured = all.filter((series) => series.line);
  if (!measured.length) return;
  const fileOf = (series) => page.runs[series.run].file;
  const runs = distinct(measured, fileOf),
    repeated = distinct(measured, (series) => `${series.card} ${series.id}`).length < measured.length;
  const paths = distinct(measured, (series) => series.path),
    cards = distinct(measured, (series) => series.card),
    options = distinct(measured, (series) => series.options);
  const apis = distinct(measured, (series) => series.api),
    devices = distinct(measured, (series) => series.device);
  const published = page.published.filter((each) => each.probe === probe).map((each) => each.title);
  const timed = measured[0].unit === 'ns',
    withCycles = timed && measured.some(inCycles);
  const state = {
    unit: withCycles ? 'cycles' : measured[0].unit,
    cards: new Set(cards.slice(0, 1)),
    apis: new Set(apis),
    devices: new Set(devices),
    paths: new Set([paths.includes('global') ? 'global' : paths[0], ...paths.filter((path) => path === 'local')]),
    options: new Set(options.includes('') ? [''] : options.slice(-1)),
    runs: new Set(runs),
    published: new Set(published),
  };
  const chart = new Chart(probe, `${probe} by footprint`);
  const change = () => {
    const shown = measured.filter(
      (series) =>
        state.cards.has(series.card) &&
        state.apis.has(series.api) &&
        state.devices.has(series.device) &&
        state.paths.has(series.path) &&
        state.options.has(series.options) &&
        state.runs.has(fileOf(series)),
    );
    const drawn = distinct(shown, (series) => `${series.path} ${series.options}`);
    const many = distinct(shown, (series) => series.card).length > 1,
      oneOption = distinct(shown, (series) => series.options).length < 2;
    chart.show(
      [
        ...shown.map((series) => ({
          name: `${series.card} ${series.id}`,
          path: oneOption ? series.path : `${series.path} ${series.options}`.trim(),
          label: [many && series.card, series.device, series.path, series.options, repeated && fileOf(series)].filter(Boolean).join(' '),
          colour: page.colours.get(many ? `${series.card} ${series.device}` : series.device),
          dash: kDashes[drawn.indexOf(`${series.path} ${series.options}`) % kDashes.length],
          points: pointsOf(series, state.unit === 'cycles'),
        })),
        ...overlayCurves(page, probe, state.unit, state.published),
      ],
      state.unit,
    );
  };
  const swatch = (device) => element('span', { class: `swatch b${page.colours.get(device)}` });
  body('curves').append(
    element('h3', {}, probe),
    element(
      'div',
      { class: 'controls', 'data-controls': probe },
      checkboxes('Card', cards, state.cards, change),
      apis.length < devices.length ? checkboxes('API', apis, state.apis, change) : null,
      checkboxes('Device', devices, state.devices, change, undefined, swatch),
      checkboxes('Path', paths, state.paths, change),
      checkboxes('Options', options, state.options, change, (option) => option || 'none'),
      repeated ? checkboxes('Run', runs, state.runs, change) : null,
      checkboxes('Published', published, state.published, change),
      withCycles ? radios(`Unit of ${probe}`, ['cycles', 'ns'], state, change) : null,
    ),
    chart.node,
  );
  change();
}

/** A colour for each device, and where several cards are shown, one for each device of each. */
function coloursOf(page) {
  const colours = new Map();
  for (const device of page.cards.flatMap((card) => card.devices.map((each) => each.id))) if (!colours.has(device)) colours.set(device, colours.size % 8);
  let next = 0;
  page.cards.forEach((card, index) => card.devices.forEach((device) => colours.set(`${page.names[index]} ${device.id}`, next++ % 8)));
  return colours;
}

function complain(text) {
  const problem = document.getElementById('problem');
  problem.textContent = text;
  problem.hidden = false;
}

async function start() {
  const page = JSON.parse(document.getElementById('data').textContent);
  page.names = cardNames(page.cards);
  page.colours = coloursOf(page);
  page.raw = [...document.querySelectorAll('script.raw')];
  page.bytes = [];
  for (const draw of [drawHeader, drawSummary, drawMaps, drawMatrix, drawEnvironment, drawDownloads]) draw(page);
  if (typeof DecompressionStream === 'undefined') {
    complain('This browser cannot unpack the measured points (it has no DecompressionStream), so there are no curves; everything else is here.');
  } else {
    for (let run = 0; run < page.raw.length; ++run) {
      page.bytes[run] = await bytesOfRaw(page.raw[run]);
      joinLines(page, run, seriesOfText(new TextDecoder().decode(page.bytes[run])));
    }
    for (const probe of distinct(
      page.cards.flatMap((card) => card.series),
      (series) => series.probe,
    ))
      drawProbe(page, probe);
  }
  drawEvidence(page);
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => {
  complain(`This page could not be drawn whole: ${error.message}`);
  throw error;
});
