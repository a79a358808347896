'use strict';
// One probe's chart, the controls that choose what it shows, and what was concluded.

const kCases = ['place', 'stride']; // axes on which 32 and 33 are unrelated
const kMostFound = 6;               // lines below a chart that are shown unfolded
const kMostRows = 40;               // of a table there

/** A row of checkboxes or radios for the values that the set `chosen` may hold. */
function boxes(type, title, values, chosen, change, {label = (value) => value, mark = () => null} = {}) {
    const box = (value) => {
        const input = element('input', {type, name: type === 'radio' && title, value, 'data-group': title});
        input.checked = chosen.has(value);
        input.addEventListener('change', () => {
            if (type === 'radio') chosen.clear();
            if (input.checked) chosen.add(value);
            else chosen.delete(value);
            change();
        });
        return element('label', input, mark(value), label(value));
    };
    return element('fieldset', element('legend', title), values.map(box));
}

/** A chart on the axis that the series have, or bars where they have a value each. */
function chartOf(page, title, measured) {
    const points = measured.map((series) => pointsOf(series, false));
    if (points.every((each) => each.length <= 1)) return new Bars(title);
    const {x_name: name, x_unit: unit, x_places: names} = measured[0];
    const places = kCases.includes(name) ||
                   points.some((each) => each.some((point) => point.x <= 0)); // nothing is twice as far as 0
    const along = {place: optionOf(measured[0], 'pattern') || 'place'}[name] || name || 'footprint';
    return new Chart(title, unit && unit !== 'bytes' ? `${along}, ${unit}` : along, {
        inBytes: unit === 'bytes',
        places,
        names,
        paper: page.probes[measured[0].probe].axis === 'footprint' ? kPaperHigh : kPaper
    });
}

/** What was found in series of a card, a row for each number, by device. */
function foundTable(page, card, series) {
    const tables = card.found.filter(
              (table) => series.some((each) => ['probe', 'path', 'options'].every((key) => each[key] === table[key]))),
          devices = card.devices.map(({id}) => id).filter((id) => tables.some(({header}) => header.includes(id)));
    if (!devices.length) return null;
    const row = (header, [place, ...cells]) =>
        (cells.length ? element('tr', element('th', {scope: 'row'}, place),
                            devices.map((id) => element('td.number', cells[header.indexOf(id) - 1] || '-')))
                      : element('tr.section', element('th', {scope: 'rowgroup', colspan: devices.length + 1}, place)));
    const heads = devices.map((id) => element('span', swatch(page.colours.get(id)), ` ${id}`));
    const rows = tables.flatMap( // below the series' name, with the unit that its rows share
              ({header, rows: texts}) => [[header[0]], ...texts].map((each) => row(header, each))),
          table = element('div.foundtable.figures', tableOf('what was found', ['', ...heads], rows));
    return rows.length <= kMostRows ? table : folded('facts', `${rows.length} rows of numbers`, table);
}

/** What was concluded from the series, as numbers and in words; or why nothing was. */
function foundList(page, series) {
    const tableOfCard = (card, index) => {
        const table = foundTable(page, card, series.filter((each) => each.index === index));
        return [table && !card.shown && element('h4', page.names[index]), table];
    };
    const say = (each, text) => `${`${each.device} ${pathOf(page, each)}`.trim()}: ${text}`,
          found = series.flatMap((each) => each.found.map((text) => say(each, text))),
          why = series.filter((each) => each.status !== 'ok' && each.reason)
                    .map((each) => say(each, `${each.status}: ${each.reason}`));
    const list = (texts, summary) =>
        texts.length > 0 &&
        (texts.length <= kMostFound ? listOf('ul.foundlist', texts)
                                    : folded('facts', `${texts.length} ${summary}`, listOf('ul.foundlist', texts)));
    return present([
        ofCards(page, tableOfCard), found.length > 0 && folded('facts', 'in words', listOf('ul.foundlist', found)),
        list(why, 'without numbers')
    ]);
}

/** A dash as a legend shows it. */
const dashMark = (dash) => shape('svg.dashmark', {viewBox: '0 0 26 6', 'aria-hidden': 'true'},
    shape('line.axis', {x1: 0, y1: 3, x2: 26, y2: 3, 'stroke-dasharray': dash || null}));

/** How the values of a choice are told apart in the chart: devices by colour, runs by dash. */
function marksOf(page, choice, values) {
    if (choice.title === 'Device') return (device) => swatch(page.colours.get(device));
    return choice.title === 'Run' ? (file) => dashMark(kDashes[values.indexOf(file) % kDashes.length]) : undefined;
}

/** A control for each choice that there is, and in `state.chosen` what it is at first. */
function choiceControls(page, measured, choices, state, change) {
    let left = measured; // by the choices so far: the first values are of what they leave, so that something is shown
    return choices.map((choice) => {
        const values = distinct(measured, choice.of), useful = values.length > 1 && choice.useful !== false,
              chosen = new Set(useful && choice.first ? choice.first(distinct(left, choice.of)) : values);
        state.chosen.set(choice.title, chosen);
        left = left.filter((series) => chosen.has(choice.of(series)));
        return useful && boxes('checkbox', choice.title, values, chosen, change,
                             {label: choice.label, mark: marksOf(page, choice, values)});
    });
}

const kValues = 'values';

/** What a chart shows in the state of its controls. */
function showChosen(page, chart, probe, measured, {choices, sides, state}) {
    const [unit] = state.unit, [shownAs] = state.shownAs, ratio = shownAs !== kValues,
          asked =
              ratio ? choices.filter((choice) => choice.title !== sides.title) : choices; // a ratio needs both sides
    const shown = measured.filter(
              (series) => asked.every((choice) => state.chosen.get(choice.title).has(choice.of(series)))),
          curves = curvesOf(page, measured, shown, choices, unit);
    if (ratio) return chart.show(ratiosTo(curves, sides.of, shownAs), kRatio, {lines: [{y: 1, name: `as ${shownAs}`}]});
    const peaks = [...new Set(curves.map((curve) => curve.peak).filter(Boolean))];
    return chart.show(curves, unit, {
        lines: peaks.map(
            (peak) => ({y: peak, name: `${unit.endsWith('B/s') ? 'DRAM ' : ''}peak ${valueText(peak, unit)}`})),
        published: page.published
                       .filter((each) => each.probe === probe && each.unit === unit && state.published.has(each.title))
                       .flatMap(({title, marks}) => marks.map((mark) => ({title, ...mark}))),
    });
}

/** One heading's chart with its controls, of series that have one axis. */
function drawChart(page, target, title, probe, measured) {
    const withCycles = measured[0].unit === 'ns' && measured.some(inCycles);
    const published = [...new Set(page.published.filter((each) => each.probe === probe).map((each) => each.title))];
    const state = {
        unit: new Set([withCycles ? 'cycles' : measured[0].unit]),
        published: new Set(published),
        chosen: new Map(),
        shownAs: new Set([kValues])
    };
    const chart = chartOf(page, title, measured), choices = choicesOf(measured),
          sides = chart instanceof Chart ? sidesOf(measured, choices) : null;
    const change = () => showChosen(page, chart, probe, measured, {choices, sides, state});
    const controls = [
        choiceControls(page, measured, choices, state, change),
        published.length && boxes('checkbox', 'Published', published, state.published, change),
        withCycles && boxes('radio', `Unit of ${title}`, ['cycles', 'ns'], state.unit, change),
        sides && boxes('radio', `Show ${title} as`, [kValues, ...sides.names], state.shownAs, change,
                     {label: (value) => (value === kValues ? value : `ratio to ${value}`)}),
    ];
    const drawing =
        [element('div.controls', {'data-controls': title}, controls), chart.node, withCycles && notesOf(measured)];
    const inside =
        page.probes[probe].chart === 'table'
            ? [tablesOf(page, probe), surfacesOf(measured), folded('facts', `by ${measured[0].x_name}`, drawing)]
            : drawing;
    target.append(element(isWide(page, probe) ? 'div.probe' : 'div.probe.minor',
        element('div.figure', probeHeading(page, probe, title), inside), foundList(page, measured)));
    change();
}

/** Staircases and tables are as wide as the page; the others two in a row. */
const isWide = (page, probe) => page.probes[probe].axis === 'footprint' || page.probes[probe].chart === 'table';

function drawProbes(page) {
    const target = body('curves'), grid = element('div.probes');
    for (const probe of probesDrawnAs(page, 'curve', 'core_pairs', 'facts', 'table')) {
        const measured = seriesOfProbe(page, probe).filter((series) => !betweenCores(page, series)),
              axes = groupedBy(measured, axesOf); // each pattern's and each unit's are their own
        if (page.probes[probe].chart === 'facts' && measured.some((series) => series.found.length))
            grid.append(element('div.probe.minor', probeHeading(page, probe, probe), foundList(page, measured)));
        else
            for (const series of axes.values())
                drawChart(
                    page, isWide(page, probe) ? target : grid, axesTitle(probe, series[0], measured[0]), probe, series);
    }
    if (grid.childNodes.length) target.append(grid);
    const jump = (tools) => element('a', {href: `#${tools.id}`},
        tools.parentNode.firstChild.dataset.chart || tools.parentNode.firstChild.dataset.bars);
    const places = [...target.querySelectorAll('.chart > .tools')];
    if (places.length > 2) target.prepend(element('p.jump', places.map((tools) => [jump(tools), ' '])));
}
