'use strict';
// Surfaces: of rates by two numbers, the independent chains of a subgroup and the subgroups of a core, a grid of cells.

const kFewestSides = 2;
const kUnfolded = 3; // maps

/**
 * A grid of series that differ in their chains alone: one row for each number of chains, one column for each number of
 * subgroups.
 */
function surfaceOf(name, series, columns) {
    const rows = series.map((each) => Number(optionsIn(each.options).get('chains'))),
          order = [...rows].sort((a, b) => a - b);
    const {unit} = series[0], values = series.flatMap((each) => soundPoints(each).map((point) => point.median)),
          [least, most] = extent(values), chainsText = (chains) => `${chains} chain${chains === 1 ? '' : 's'}`;
    const cells = series.flatMap(
        (each, i) => soundPoints(each).map((point) => ({
            column: columns.indexOf(point.x),
            row: order.indexOf(rows[i]),
            share: point.median / most,
            what: `${chainsText(rows[i])}, ${point.x} ${each.x_name}`,
            value: point.median,
            said: valueText(point.median, unit)
        })),
    );
    const marked = {
        rowText: (row) => String(order[row]),
        columnText: (column) => String(columns[column]),
        scale: ['0', valueText(most, unit)]
    };
    return element('figure.cores', element('figcaption', name), cellGrid({
        cells,
        columns: columns.length,
        name,
        title: name,
        rest: `${rangeText([least, most], unit)}; chains down, ${series[0].x_name} across`,
        ...marked
    }));
}

/** Series with chains that differ in nothing else, two and more together. */
function surfaceGroups(measured) {
    const others = (series) => [...optionsIn(series.options)]
                                   .filter(([name]) => name !== 'chains')
                                   .map(([name, value]) => (name === 'operation' ? value : `${name}=${value}`))
                                   .join(' '),
          groups = groupedBy(
              measured.filter((series) => optionsIn(series.options).has('chains') && soundPoints(series).length),
              (series) => `${series.index} ${series.device} ${others(series)}`);
    return [...groups.values()]
        .filter((series) => series.length >= kFewestSides)
        .map((series) => ({name: `${series[0].device} ${others(series[0])}`, series}));
}

/** The surfaces of a probe, the first ones unfolded; empty where its series have no chains. */
function surfacesOf(measured) {
    const groups = surfaceGroups(measured),
          columns =
              [
                  ...new Set(
                      groups.flatMap(({series}) => series.flatMap((each) => soundPoints(each).map((point) => point.x))))
              ].sort((a, b) => a - b), // of all, so that maps compare
        grids = (some) => element('div.coregrids', some.map(({name, series}) => surfaceOf(name, series, columns)));
    if (!groups.length || columns.length < kFewestSides) return [];
    const note = element('p.note',
        'Maps: chains of a subgroup down, subgroups of a core across; the stronger the colour, the higher the rate.');
    return [
        note, grids(groups.slice(0, kUnfolded)),
        groups.length > kUnfolded &&
            folded('facts', `${groups.length - kUnfolded} maps more`, () => grids(groups.slice(kUnfolded)))
    ];
}
