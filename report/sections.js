'use strict';
// What the scripts say in words and tables: downloads of maps, paths, evidence, environment, raw data.

/** Downloads below each memory map, which stands in the page without them. */
function drawMapTools() {
    for (const map of document.querySelectorAll('svg.map')) {
        const rows = () => [...map.querySelectorAll('[data-level], [data-strip]')].map(
            (level) => [level.dataset.level || level.dataset.strip,
                ...[...level.querySelectorAll('text')].map((text) => text.textContent)]);
        map.parentNode.append(
            toolsOf(`memory map ${map.dataset.device}`, map, () => [['level', 'latency', 'size'], ...rows()]));
    }
}

function matrixCell(cell, first) {
    if (cell.reach === 'reached')
        return element(
            'td', element('span.latency', latencyText(cell.level)), ' ', element('small', `to ${cell.level.capacity}`));
    if (cell.reach === 'passed by') return element('td.passed', 'not reached');
    if (cell.reach === 'not covered') return element('td.none', '–');
    return element('td.none', {title: cell.reason || null},
        (first || ['not told apart', 'not sure'].includes(cell.reach)) && cell.reach);
}

function matrixTable({devices, rows}) {
    const names = rows.map((row) => `${row.path} ${row.options}`.trim());
    const line = (row, i) => {
        const first = names[i] !== names[i - 1],
              head = element('th', {scope: 'row'}, first && element('code', names[i]));
        return element(
            first ? 'tr' : 'tr.more', head, element('td', row.level), row.cells.map((cell) => matrixCell(cell, first)));
    };
    return tableOf('Path by level and API', ['path', 'level', ...devices], rows.map(line));
}

function refusals({devices, rows}) {
    const refused = (cell) => ['unsupported', 'failed'].includes(cell.reach) && cell.reason;
    const texts = rows.flatMap((row) => row.cells.map(
                                   (cell, i) => refused(cell) && `${row.path} through ${devices[i]}: ${cell.reason}`))
                      .filter(Boolean);
    return texts.length && folded('facts', `Unsupported or failed: ${texts.length}`, listOf('ul', new Set(texts)));
}

function drawMatrix(page) {
    drawCards(page, 'matrix',
        ({matrix, series}) => matrix.rows.length && [matrixTable(matrix), notesOf(series), refusals(matrix)]);
}

/** A JSON value as pairs of names and texts, deeper names joined. */
function flattened(value, name = '') {
    if (value === null || typeof value !== 'object') return [[name, value === null ? 'not known' : String(value)]];
    if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
        return [[name, value.length ? value.join(' ; ') : 'nothing']];
    return Object.entries(value).flatMap(([key, inner]) => flattened(inner, name ? `${name}, ${key}` : key));
}

const definitions = (pairs) =>
    element('dl', pairs.map(([name, text]) => [element('dt', String(name)), element('dd.mono', String(text ?? ''))]));

function pointsTable(series) {
    const titles = [
        series.x_name || 'footprint', `median ${series.unit}`, 'lower quartile', 'upper quartile', cyclesOf(series),
        'clock MHz', 'pairs'
    ];
    const number = (value) =>
        (Number.isFinite(value) ? Number(value.toPrecision(5)).toLocaleString('en', {maximumFractionDigits: 3}) : '');
    const rows = series.line.points.map((point) => {
        const pairs = Array.isArray(point.samples) ? point.samples.length / 2 : NaN,
              numbers = [point.median, point.low, point.high, point.cycles, point.clock_mhz, pairs].map(number);
        return element('tr', [series.x_unit === 'bytes' ? bytesText(point.x) : String(point.x), ...numbers].map(
                                 (text) => element('td.number', text)));
    });
    return [tableOf('Values', titles, rows), notesOf([series])];
}

const statusMark = (series) => series.status !== 'ok' && element(`span.status.${series.status}`, series.status);

function seriesDetails(series) {
    const evidence = evidenceOf(series),
          load = evidence.kernel && evidence.kernel.load && evidence.kernel.load.instruction, pairs = [
              ['status', series.status], ...(series.reason ? [['reason', series.reason]] : []),
              ['points', series.points]
          ];
    const inside = () => [definitions([...pairs, ...flattened(evidence)]),
        series.line && series.line.points.length && folded('facts', 'Values', () => pointsTable(series)),
    ];
    return folded('series',
        [element('code', series.id), statusMark(series), load && element('code.load', String(load))],
        () => element('div', inside()));
}

function drawEvidence(page) {
    const details = (card, index) => folded('facts', `${card.series.length} series of ${page.names[index]}`,
        () => element('div.scroll', card.series.map(seriesDetails)));
    body('evidence').append(...present(ofCards(page, details)));
}

function drawEnvironment(page) {
    const kOpen = 2; // runs
    const ofRun = ({file, header, end}) => {
        const pairs = [
            ['command', Array.isArray(header.command) ? header.command.join(' ') : ''],
            ['profile', header.profile],
            ['started', header.started],
            ['finished', end ? end.finished : 'did not finish'],
            ['sonde', header.sonde],
            ...(header.imported ? [['measured by', `${header.imported.tool}, ${header.imported.file}`]] : []),
            ...flattened(header.host || {}, 'host'),
            ...(Array.isArray(header.absent) ? header.absent.map((each) => [`${each.api} absent`, each.reason]) : []),
        ];
        return [element('h3', file), definitions(pairs)];
    };
    const more = page.runs.slice(kOpen);
    body('environment').append(...present([
        page.runs.slice(0, kOpen).map(ofRun),
        more.length > 0 && folded('facts', `runs more: ${more.length}`, () => element('div', more.map(ofRun)))
    ]));
    const details = ({facts, type, ...known}) => {
        const told = Array.isArray(facts) ? facts.map((fact) => [`${fact.name} (${fact.source})`, fact.value]) : [];
        return folded('facts', [element('code', known.id), ` ${known.name || ''}, ${known.driver || ''}`],
            definitions([...flattened(known), ...told]));
    };
    drawCards(page, 'environment', (card) => card.devices.map(details), true);
}

function drawDownloads(page) {
    const buttons = page.runs.map((run, i) => {
        const button =
            element('button', {type: 'button', 'data-raw': i}, `${run.file}, ${(run.bytes / 1e6).toFixed(1)} MB`);
        button.addEventListener('click', async () => {
            const url = URL.createObjectURL(
                new Blob([page.bytes[i] || (await bytesOfRaw(page.raw[i]))], {type: 'application/jsonl'}));
            element('a', {href: url, download: run.file}).click();
            setTimeout(() => URL.revokeObjectURL(url), 10000);
        });
        return button;
    });
    if (buttons.length) body('raw').append(element('div.downloads', buttons));
}
