'use strict';
// Grids of cores: a square for each core, or for each pair of cores.

const kCoreGrids = {
    cores: 'A square for each core that was measured, by number, which stands beside each row for its first: the ' +
               'stronger its colour, the slower. Differences below 15 % stay pale.',
    core_pairs:
        'A square for each pair of cores that was measured, one core down, the other across, group by group: the ' +
            'stronger its colour, the slower.',
};

/**
 * Squares of one series' points: `place` says in which column and row each lies and what it is, `counted` how many
 * there are of what; `marked`: as cellGrid has them.
 */
function coreFigure(series, points, columns, place, counted, marked) {
    if (!points.length) return null;
    const {unit, values} = valuesOf(series, points), rest = `${counted}, ${rangeText(values, unit)}`,
                 [least, most] = extent(values),
                 scale = [least, Math.max(most, least * kAlike)].map((value) => valueText(value, unit));
    const cells = points.map((point, i) => {
        const [column, row, what] = place(point, i);
        return {
            column,
            row,
            share: shareOf(values[i], least, most),
            what,
            value: values[i],
            said: valueText(values[i], unit)
        };
    });
    return element(columns > kWide ? 'figure.cores.wide' : 'figure.cores', element('figcaption', series.id),
        cellGrid({cells, columns, name: `${series.id}: ${rest}`, title: series.id, rest, scale, ...marked}));
}

/**
 * In the order of the cores' numbers, sixteen to a row, whose first stands beside it; of a large card only some were
 * measured.
 */
function coreGrid(series, page) {
    const points = soundPoints(series),
          device = page.cards[series.index].devices.find((each) => each.id === series.device),
          all = device && series.x_name === 'core' ? Number(device.cores) : 0;
    const counted = all > points.length ? `${points.length} of ${all} cores, a sample` : `${points.length} cores`;
    const marked = {rowText: (row) => String(points[row * 16].x)};
    return coreFigure(series, points, Math.min(16, points.length),
        (point, i) => [i % 16, Math.floor(i / 16), `${series.x_name} ${point.x}`], counted, marked);
}

/** Which cores a point's x stands for: 1 + first * cores + second, by their places in the list of cores. */
function pairOf(x, numbers) {
    const first = Math.floor((x - 1) / numbers.length), second = (x - 1) % numbers.length;
    return first < numbers.length && second >= 0 ? [first, second] : null;
}

/** Whether a series has a value for each pair of cores, and so is no bar. */
const betweenCores = (page, series) =>
    page.probes[series.probe].chart === 'core_pairs' && Array.isArray(evidenceOf(series).cores);

/** One core down, the other across, and each pair on both sides of the diagonal; cores of a group side by side. */
function pairGrid(series) {
    const numbers = evidenceOf(series).cores;
    if (numbers.length < 2 || numbers.length > 1024) return null;
    const points = soundPoints(series).filter((point) => pairOf(point.x, numbers)),
          known = new Set(points.map((point) => point.x));
    const order = series.groups ? series.groups.flat().map((number) => numbers.indexOf(number)) : [...numbers.keys()];
    const firsts = new Set(points.map((point) => pairOf(point.x, numbers)[0]));
    const rows = order.filter(
        (core) => firsts.has(core) || firsts.size + 1 >= numbers.length); // of a large card there are some rows only
    const mirrored = points.flatMap((point) => {
        const [first, second] = pairOf(point.x, numbers), x = 1 + second * numbers.length + first;
        return known.has(x) || !rows.includes(second) ? [] : [{...point, x}];
    });
    const place = (point) => {
        const [first, second] = pairOf(point.x, numbers);
        return [order.indexOf(second), rows.indexOf(first), `cores ${numbers[first]} and ${numbers[second]}`];
    };
    return coreFigure(
        series, [...points, ...mirrored], numbers.length, place, `${points.length} pairs of ${numbers.length} cores`, {
            rowText: (row) => String(numbers[rows[row]]),
            columnText: (column) => String(numbers[order[column]]),
        });
}

function drawCoreGrids(page) {
    for (const probe of [...probesDrawnAs(page, 'cores'), ...probesDrawnAs(page, 'core_pairs')]) {
        const {chart} = page.probes[probe],
              series = seriesOfProbe(page, probe).filter((each) => chart === 'cores' || betweenCores(page, each)),
              grids = present(series.map((each) => (chart === 'cores' ? coreGrid(each, page) : pairGrid(each))));
        if (grids.length)
            body('cores').append(...present([
                probeHeading(page, probe, probe), element('p.note', kCoreGrids[chart]), element('div.coregrids', grids),
                foundList(page, series)
            ]));
    }
}
