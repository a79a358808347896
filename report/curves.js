'use strict';
// Which series a chart shows, and as what: values, or ratios to those of another card or run.

const kSideBySide = ['direction', 'operation', 'test', 'layout', 'scope'];

/** Cycles that no kernel counted, where the data have a clock for them. */
function deriveCycles({derived, line}) {
    if (derived)
        for (const point of line.points) point.cycles = (point.median * derived.mhz) / 1e3;
}

/**
 * The points of a series as a chart takes them; in cycles the quartiles follow the median. `also`: the same in the
 * other unit.
 */
function pointsOf(series, inCycles) {
    const scaled = ({x, median, low, high, cycles}) => {
        const scale = inCycles ? cycles / median : 1,
              also = cycles > 0 && median > 0
                         ? {also: inCycles ? valueText(median, series.unit) : valueText(cycles, cyclesOf(series))}
                         : {};
        return {x, y: median * scale, low: low * scale, high: high * scale, ...also};
    };
    return (series.line ? series.line.points : []).map(scaled).filter(({x,
        y}) => x >= 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y));
}

/** Whether its kernels counted cycles. */
const inCycles = (series) =>
    Boolean(series.line && !series.derived && series.line.points.some((point) => point.cycles > 0));

/** Values of one property in the order of `series`, each once. */
const distinct = (series, value) => [...new Set(series.map(value))];

const evidenceOf = (series) => (series.line && series.line.evidence) || {};

/** An option's value of a series, "" where it has none. */
const optionOf = (series, name) =>
    (series.line && series.line.options && name in series.line.options ? String(series.line.options[name]) : '');

/** Series of one probe that one pair of axes can hold are alike in this. */
const axesOf = (series) => `${optionOf(series, 'pattern')} ${series.unit}`;

/** The heading of such a chart: with its unit where that is not the one of the probe's first series. */
const axesTitle =
    (probe, series, first) => [probe, optionOf(series, 'pattern'), series.unit !== first.unit && `in ${series.unit}`]
                                  .filter(Boolean)
                                  .join(' ');

/**
 * Options whose values belong side by side; of the others one is shown at first: none, the widest loads, else the
 * first one measured.
 */
function firstValues(name, values) {
    if (kSideBySide.includes(name)) return values;
    if (values.includes('')) return [''];
    return [name === 'width' ? values.reduce((most, value) => (Number(value) > Number(most) ? value : most))
                             : values[0]];
}

/**
 * What a reader chooses among: `of` tells a series' value, `first` which values are chosen at the start, `useful`
 * whether to ask at all; one for each option besides.
 */
function choicesOf(measured) {
    const names = new Set(measured.flatMap((series) => Object.keys((series.line && series.line.options) || {})));
    const first = (values) =>
        values.filter((path, i) => (values.includes('global') ? path === 'global' : i === 0) || path === 'scratchpad');
    const fewer = (some, all) => distinct(measured, some).length < distinct(measured, all).length;
    return [
        {title: 'Card', of: (series) => series.card, first: (values) => values.slice(0, 1)},
        {title: 'API', of: (series) => series.api, useful: fewer((series) => series.api, (series) => series.device)},
        {title: 'Device', of: (series) => series.device},
        {title: 'Path', of: (series) => series.path, first},
        ...[...names].map((title) => ({
            title,
            option: true,
            of: (series) => optionOf(series, title),
            first: (values) => firstValues(title, values),
            label: (value) => value || 'none'
        })),
        {title: 'Run', of: (series) => series.file, useful: runsDiffer(measured)},
    ];
}

/** The series of a probe that have points here, each with the names of its card and file. */
function seriesOfProbe(page, probe) {
    return page.cards.flatMap(
        (card, index) =>
            card.series.filter((series) => series.probe === probe && series.line && series.points > 0)
                .map((series) => ({...series, index, card: page.names[index], file: page.runs[series.run].file})),
    );
}

/** Whether one series was measured in several of the files. */
const runsDiffer = (measured) => distinct(measured, (series) => `${series.card} ${series.id}`).length < measured.length;

/** What two sides of a comparison are: cards, or else runs of one card; null where there is one of each. */
function sidesOf(measured, choices) {
    const choice = ['Card', 'Run']
                       .map((title) => choices.find((each) => each.title === title))
                       .find((each) => each.useful !== false && distinct(measured, each.of).length > 1);
    return choice ? {title: choice.title, of: choice.of, names: distinct(measured, choice.of)} : null;
}

/**
 * Levels of a series, or where it has none those of the latency of its path on its device: their edges are the same.
 */
function levelsOf(page, series) {
    if (series.levels.length || page.probes[series.probe].axis !== 'footprint' || page.probes[series.probe].one_path ||
        series.family !== 'memory')
        return {levels: series.levels};
    const same = (other) =>
        other.levels.length && other.device === series.device && other.path === series.path && !other.options;
    return {levels: (page.cards[series.index].series.find(same) || series).levels, borrowed: true};
}

/**
 * The series that the choices leave, as a chart takes them: a colour for each device, dashes for each path, or for
 * each run where there are several.
 */
function curvesOf(page, measured, shown, choices, unit) {
    const differing = choices.filter((choice) => choice.option && distinct(shown, choice.of).length > 1);
    const kind = (series) => [pathOf(page, series),
              ...differing.map((choice) => choice.of(series) && `${choice.title}=${choice.of(series)}`)]
                                 .filter(Boolean)
                                 .join(' '),
          kinds = distinct(shown, kind), files = distinct(measured, (series) => series.file);
    const [manyCards, manyPaths] = ['card', 'path'].map((name) => distinct(shown, (series) => series[name]).length > 1);
    const manyRuns = runsDiffer(measured);
    return shown.map((series) => ({
        name: `${series.card} ${series.id}`,
        path: manyPaths || !differing.length ? kind(series) : kind(series).replace(`${series.path} `, ''),
        label: [
            manyCards && series.card, series.device, kind(series), manyRuns && series.file,
            unit === 'cycles' && series.derived && '*'
        ].filter(Boolean)
                   .join(' '),
        colour: page.colours.get(manyCards ? `${series.card} ${series.device}` : series.device),
        dash: kDashes[(manyRuns ? files.indexOf(series.file) : kinds.indexOf(kind(series))) % kDashes.length],
        points: pointsOf(series, unit === 'cycles'),
        peak: unit === series.unit ? series.peak : null,
        series,
        ...levelsOf(page, series),
    }));
}

/** A curve's value at x, between its points by the logarithms of both; NaN outside. */
function valueAt(points, x) {
    const next = points.findIndex((point) => point.x >= x);
    if (next < 0 || (next === 0 && points[0].x > x)) return NaN;
    if (points[next].x === x) return points[next].y;
    const [a, b] = [points[next - 1], points[next]];
    return a.y * (b.y / a.y) ** (Math.log(x / a.x) / Math.log(b.x / a.x));
}

/**
 * Each curve of another side over the one of the side `reference` that has its API, path and options; those without
 * one are left out.
 */
function ratiosTo(curves, sideOf, reference) {
    const key = ({series}) => `${series.api} ${series.path} ${series.options}`,
          own = curves.filter((curve) => sideOf(curve.series) === reference);
    const ratio = (curve) => {
        const base = own.find((other) => key(other) === key(curve)),
              ordered = base ? [...base.points].sort((a, b) => a.x - b.x) : [];
        const points = curve.points.map(({x, y, low, high}) => {
            const by = valueAt(ordered, x);
            return {x, y: y / by, low: low / by, high: high / by};
        });
        return {
            ...curve,
            name: `${curve.name} over ${reference}`,
            levels: [],
            peak: null,
            points: points.filter(({y}) => Number.isFinite(y) && y > 0)
        };
    };
    return curves.filter((curve) => sideOf(curve.series) !== reference).map(ratio);
}
