// The pure functions of the report page's scripts, without a browser: node --test tests/report/scripts.test.mjs
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import vm from 'node:vm';
import {deflateSync} from 'node:zlib';

const folder = new URL('../../report/', import.meta.url);

/**
 * What the named scripts declare, by name. They are plain scripts that share one scope, as the page runs them.
 * `others`: what they use of scripts that are not among them.
 */
function declared(files, names, others = {}) {
    const text = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
    return new vm.Script(`((${Object.keys(others).join(', ')}) => { ${text}\nreturn { ${names.join(', ')} }; })`)
        .runInThisContext()(...Object.values(others));
}

/** An element, enough of it to read what a script put into it. */
class Made {
    children = [];
    constructor(name) { this.name = name; }
    setAttribute() {}
    append(child) { this.children.push(child); }
}
globalThis.document = {
    createElementNS: (space, name) => new Made(name)
};
/** The texts of a table's cells, row by row. */
const rowsOf = (made) =>
    (made.name === 'tr' ? [made.children.map((cell) => cell.children.join(''))] : made.children.flatMap(rowsOf));

const elements = declared(['elements.js'], ['bytesText', 'valueText', 'latencyText']),
      paths = declared(['elements.js'], ['pathOf']);
globalThis.addEventListener ??= () => {}; // of the page's window
const chart = declared(['elements.js', 'drawing.js', 'marks.js', 'chart.js'], [
    'powerTicks', 'valueTicks', 'placesOf', 'placeScale', 'scalesOf', 'pointText', 'coveredBy', 'valuesBesides',
    'publishedText', 'clearShifts', 'heightsWithin', 'placeOfName', 'readings'
]);
const grid = declared(['elements.js', 'drawing.js', 'grid.js'], ['valuesOf', 'soundPoints', 'shareOf', 'rangeText']);
const curves = declared(['elements.js', 'drawing.js', 'marks.js', 'chart.js', 'curves.js'], [
    'deriveCycles', 'inCycles', 'pointsOf', 'choicesOf', 'sidesOf', 'curvesOf', 'ratiosTo', 'valueAt', 'kDashes',
    'axesOf', 'axesTitle'
]);
const exported = declared(['elements.js', 'export.js'], ['slug', 'csvOf', 'anchorOf']);
const cores = declared(['elements.js', 'grid.js', 'cores.js'], ['pairOf']);
const segments =
    declared(['elements.js', 'drawing.js', 'grid.js', 'curves.js', 'segments.js'], ['offsetText', 'chunkValues']);
const tables = declared(['elements.js', 'drawing.js', 'marks.js', 'chart.js', 'curves.js', 'table.js'],
    ['tableRows', 'pointOfValue', 'perClock']);
const surfaces = declared(['elements.js', 'drawing.js', 'marks.js', 'chart.js', 'curves.js', 'table.js', 'surface.js'],
    ['surfaceGroups', 'surfaceOf'], {...grid, cellGrid: (cells) => cells});
const rooflines =
    declared(['elements.js', 'drawing.js', 'marks.js', 'chart.js', 'roofline.js'], ['rooflineCurves', 'rooflineRange']);
const sections = declared(['elements.js', 'sections.js'], ['flattened', 'pointsTable']);
const probes =
    declared(['elements.js', 'drawing.js', 'marks.js', 'chart.js', 'curves.js', 'probe.js'], ['kValues', 'showChosen']);

test('a roofline: each bandwidth rises to the highest roof, each arithmetic has its own, a workload is a large point',
    () => {
        const lattice = {
            device: 'a:0',
            ceilings: [{name: 'L2', rate: 8000}, {name: 'DRAM', rate: 4000}],
            roofs: [{name: 'FMA', rate: 60000}],
            points: [{name: 'workload.lbm', x: 1.2, y: 4000}]
        };
        const range = rooflines.rooflineRange([lattice]);
        assert.deepEqual(range, [0.3, 30]);
        const [peak, l2, dram, point] = rooflines.rooflineCurves(lattice, 3, range);
        assert.deepEqual(peak.points, [{x: 7.5, y: 60000}, {x: 30, y: 60000}]);
        assert.deepEqual(l2.points, [{x: 0.3, y: 2400}, {x: 7.5, y: 60000}]);
        assert.deepEqual(dram.points, [{x: 0.3, y: 1200}, {x: 15, y: 60000}]);
        assert.deepEqual(point.points, [{x: 1.2, y: 4000}]);
        assert.equal(point.colour, 3);
        assert.deepEqual([peak.large, point.large], [undefined, true]);
        const product = {...lattice, roofs: [...lattice.roofs, {name: 'mma', rate: 600000}]};
        const [, units, higher] = rooflines.rooflineCurves(product, 3, rooflines.rooflineRange([product]));
        assert.deepEqual(units.points, [{x: 75, y: 600000}, {x: 300, y: 600000}]);
        assert.deepEqual(higher.points, [{x: 0.3, y: 2400}, {x: 75, y: 600000}]);
        assert.notEqual(l2.dash, dram.dash);
    });

test('names of a roofline: below the start of what rises, above the end of what is flat, beside a point where ' +
         'there is room',
    () => {
        const scales = {x: (x) => 100 * x, y: (y) => 10 * y};
        const place = (named, points) => chart.placeOfName({named, points}, scales, 1000);
        assert.deepEqual(place('below-start', [{x: 1, y: 30}, {x: 8, y: 3}]), [110, 308, 'start']);
        assert.deepEqual(place('above-end', [{x: 1, y: 3}, {x: 8, y: 3}]), [796, 24, 'end']);
        assert.deepEqual(
            [place('beside', [{x: 2, y: 3}]), place('beside', [{x: 9, y: 3}])], [[208, 34, 'start'], [892, 34, 'end']]);
    });

test('a surface is of series that differ in their chains alone', () => {
    const series = (device, options, points = [{x: 1, median: 2}]) => ({index: 0, device, options, line: {points}});
    const groups = surfaces.surfaceGroups([
        series('a:0', 'chains=1 operation=fma.f32'),
        series('a:0', 'chains=8 operation=fma.f32'),
        series('a:0', 'chains=4 operation=fma.f32', []),
        series('b:0', 'chains=1 operation=fma.f32'),
        series('a:0', 'chains=1 data=zeros operation=fma.f32'),
        series('a:0', 'split=balanced'),
    ]);
    assert.deepEqual(groups.map(({name, series: each}) => [name, each.length]), [['a:0 fma.f32', 2]]);
});

test('rows of a surface are in the order of their numbers of chains', () => {
    const series = (chains, median) =>
        ({options: `chains=${chains}`, unit: 'Gop/s', x_name: 'subgroups', line: {points: [{x: 1, median}]}});
    const [, {cells, rowText}] =
        surfaces.surfaceOf('a', [series(16, 300), series(2, 100), series(4, 200)], [1]).children;
    assert.deepEqual([0, 1, 2].map(rowText), ['2', '4', '16']);
    assert.deepEqual(cells.map(({row, value}) => [row, value]), [[2, 300], [0, 100], [1, 200]]);
});

test('bytes in the largest binary unit below a thousand of them', () => {
    const rows = [
        [0, '0 B'],
        [999, '999 B'],
        [1000, '0.977 KiB'],
        [1024, '1 KiB'],
        [48 * 1024, '48 KiB'],
        [1.5 * 2 ** 30, '1.5 GiB'],
        [2000 * 2 ** 40, '2000 TiB'],
        [NaN, '-'],
        [Infinity, '-'],
    ];
    for (const [bytes, text] of rows) assert.equal(elements.bytesText(bytes), text);
});

test('values with three digits, large rates in the next unit', () => {
    const rows = [
        [39.14, 'cycles', '39.1 cycles'],
        [0.04, 'ns', '0.040 ns'],
        [0, 'ns', '0.0 ns'],
        [20, 'ns', '20.0 ns'],
        [273.4, 'ns', '273 ns'],
        [999.7, 'ns', '999.7 ns'],
        [1234.5, 'ns', '1235 ns'],
        [49028.3, 'ns', '49030 ns'],
        [999, 'GB/s', '999 GB/s'],
        [999.9, 'GB/s', '1.00 TB/s'],
        [4321, 'GB/s', '4.32 TB/s'],
        [66123, 'Gop/s', '66.1 Top/s'],
        [1291234, 'Gop/s', '1.29 Pop/s'],
    ];
    for (const [value, unit, text] of rows) assert.equal(elements.valueText(value, unit), text);
    assert.equal(elements.latencyText({cycles: null, ns: 20}), '20.0 ns');
    assert.equal(elements.latencyText({cycles: 34, ns: 20}), '34.0 cycles');
    assert.equal(elements.latencyText({cycles: null, derived: 40, ns: 20}), '40.0 cycles*');
});

test('ticks at powers: inside the range, evenly thinned, at most as many as there is room for', () => {
    assert.deepEqual(chart.powerTicks(512, 4096, 2, 10), [512, 1024, 2048, 4096]);
    assert.deepEqual(chart.powerTicks(600, 4000, 2, 10), [1024, 2048]);
    for (const most of [1, 2, 3, 5, 8]) {
        const ticks = chart.powerTicks(512, 2 ** 36, 2, most);
        assert.ok(ticks.length <= most && ticks.length > 0, `${ticks.length} of ${most}`);
        assert.equal(new Set(ticks.slice(1).map((tick, i) => tick / ticks[i])).size, Math.min(1, ticks.length - 1));
    }
});

test('ticks of values: 1, 2 and 5 of each decade, tens where those are many, finer where they are few, even ' +
         'steps in a narrow range',
    () => {
        assert.deepEqual(chart.valueTicks(10, 100), [10, 20, 50, 100]);
        assert.deepEqual(chart.valueTicks(1, 1e5), [1, 10, 100, 1000, 10000, 100000]);
        assert.ok(chart.valueTicks(4000, 34000).length >= 5, 'an axis of one decade has more than three');
        const narrow = chart.valueTicks(30.5, 34.2);
        assert.ok(narrow.length >= 3);
        for (const tick of narrow) assert.ok(tick >= 30.5 && tick <= 34.2, `${tick}`);
        assert.equal(new Set(narrow.slice(1).map((tick, i) => (tick - narrow[i]).toFixed(6))).size, 1);
    });

test('places stand side by side in their order, and a pixel leads back to its place', () => {
    const scale = chart.placeScale(chart.placesOf([{points: [{x: 8}, {x: 2}]}, {points: [{x: 32}, {x: 2}]}]), 60, 390);
    assert.deepEqual(scale.places, [2, 8, 32]);
    for (const place of scale.places) assert.equal(scale.value(scale(place)), place);
    assert.ok(scale(2) < scale(8) && scale(8) < scale(32));
    assert.ok(Math.abs(scale(8) - scale(2) - (scale(32) - scale(8))) < 1e-9);
    assert.equal(scale.value(-100), 2);
    assert.equal(scale.value(9999), 32);
});

test('logarithmic scales: larger is to the right and above, and all points lie inside', () => {
    const curves = [{points: [{x: 512, y: 30}, {x: 2 ** 20, y: 200}, {x: 2 ** 30, y: 600}]}];
    const scales = chart.scalesOf(curves, 700, 300, false);
    const at = curves[0].points.map((point) => [scales.x(point.x), scales.y(point.y)]);
    for (let i = 1; i < at.length; ++i) assert.ok(at[i][0] > at[i - 1][0] && at[i][1] < at[i - 1][1]);
    for (const [x, y] of at) assert.ok(x >= 0 && x <= 700 && y >= 0 && y <= 300, `${x} ${y}`);
});

test('texts move out of the way of those before them, within the drawing, or go', () => {
    const box = (left, top, shifts) => ({left, right: left + 50, top, bottom: top + 10, shifts});
    assert.deepEqual(
        chart.clearShifts(
            [box(0, 20, [0]), box(60, 20, [0]), box(40, 20, [0, 5, 12]), box(10, 20, [0, -12]), box(10, 20, [0, 3])],
            100),
        [0, 0, 12, -12, null]);
    assert.deepEqual(chart.clearShifts([box(0, 2, [-5, 0]), box(0, 92, [0, -3])], 100), [0, -3]); // not over the edges
});

test('where curves run between two places: points there, and lines that cross their ends', () => {
    const scales = {x: (x) => x, y: (y) => y}, heights = (points, left, right) => chart.heightsWithin(
                                                   [{points: points.map(([x, y]) => ({x, y}))}], scales, left, right);
    assert.deepEqual(heights([[0, 0], [10, 100]], 4, 6), [40, 60]); // between two points
    assert.deepEqual(heights([[0, 0], [10, 100], [20, 100]], 5, 15), [100, 50, 100]);
    assert.deepEqual(heights([[0, 0], [10, 100]], 11, 12), []);
    assert.deepEqual(heights([[0, 7]], -1, 1), [7]);
});

test('a narrow chart leaves room above its curves for the names of levels and of paths', () => {
    const levels = [{last_inside: 1024, first_outside: 2048}, {last_inside: 4096, first_outside: null}];
    for (const high of [40, 4000]) {
        const scales =
            chart.scalesOf([{colour: 0, points: [{x: 512, y: 30}, {x: 4096, y: high}], levels}], 340, 270, false);
        assert.ok(scales.y(high) > 40 && scales.y(high) < 80, `${scales.y(high)}`);
    }
});

test('a point in words: median, quartiles where they differ, the other unit', () => {
    assert.equal(chart.pointText({y: 39.14, low: 39.02, high: 39.3, also: '19.8 ns'}, 'cycles'),
        '39.1 cycles (39.0 to 39.3 cycles), 19.8 ns');
    assert.equal(chart.pointText({y: 4550, low: 4550, high: 4550}, 'GB/s'), '4.55 TB/s');
    assert.equal(chart.pointText({y: 1.5, low: null, high: null}, 'times'), '1.500 times');
});

test('a curve under those of other devices on its path is known; other paths, runs of one device and curves ' +
         'apart do not count',
    () => {
        const scales = {x: Math.log2, y: (value) => value};
        const curve = (colour, path, ...ys) => ({colour, path, points: ys.map((y, i) => ({x: 512 * 32 ** i, y}))});
        const [base, same, apart] = [[10, 20, 30], [10, 20.5, 31], [10, 90, 90]];
        assert.deepEqual(
            chart.coveredBy(
                [curve(0, 'global', ...base), curve(1, 'global', ...same), curve(2, 'global', ...same)], scales),
            [2, 1, 0]);
        assert.deepEqual(chart.coveredBy([curve(0, 'global', ...base), curve(1, 'global', ...apart)], scales), [0, 0]);
        assert.deepEqual(
            chart.coveredBy(
                [curve(0, 'global', ...base), curve(0, 'global', ...same), curve(1, 'texel', ...same)], scales),
            [0, 0, 0]);
    });

test('limits and published figures widen the scale where they are near', () => {
    const shown = [{points: [{x: 1, y: 100}, {x: 2, y: 400}]}];
    assert.deepEqual(
        chart.valuesBesides(shown, {lines: [{y: 500}, {y: 5000}], published: [{low: 60, high: 70}, {low: 1, high: 2}]}),
        [60, 70, 500]);
    assert.equal(chart.publishedText({low: 39.5, high: 40.5}, 'cycles'), '40.0 cycles');
    assert.equal(chart.publishedText({low: 0, high: 300}, 'cycles'), 'under 300 cycles');
    assert.equal(chart.publishedText({low: 29.5, high: 40.5}, 'cycles'), '29.5 to 40.5 cycles');
});

/** A series as a page knows it, of a file and a card. */
const sample = (file, card, ys) => ({
    probe: 'latency',
    path: 'global',
    options: '',
    device: 'cuda:0',
    api: 'cuda',
    id: 'latency cuda:0 global',
    family: 'memory',
    unit: 'ns',
    peak: null,
    levels: [],
    index: 0,
    card,
    file,
    line: {points: ys.map((y, i) => ({x: 512 * 4 ** i, median: y, low: y, high: y, cycles: null})), options: {}},
});
const shownPage = {
    colours: new Map([['cuda:0', 0], ['a cuda:0', 0], ['b cuda:0', 1]]),
    probes: {latency: {axis: 'footprint'}},
    cards: [{series: []}]
};

test('published figures stand among values of their own unit', () => {
    const of = (unit, low, high) => ({probe: 'latency', title: 'b', unit, marks: [{low, high}]}),
          page = {...shownPage, published: [of('cycles', 30, 40), of('ns', 15, 20)]};
    const measured = [sample('one', 'a', [1, 2])], choices = curves.choicesOf(measured), state = {
        unit: new Set(['ns']),
        shownAs: new Set([probes.kValues]),
        published: new Set(['b']),
        chosen: new Map(choices.map(({title, of: valueOf}) => [title, new Set(measured.map(valueOf))]))
    };
    const shows = {show: (...shown) => shown},
          [, , {published}] = probes.showChosen(page, shows, 'latency', measured, {choices, sides: null, state});
    assert.deepEqual(published, [{title: 'b', low: 15, high: 20}]);
});

test('runs of one card have a colour and are told apart by dash; cards by colour', () => {
    const runs = [sample('one', 'a', [1, 2]), sample('two', 'a', [2, 4])];
    const drawn = curves.curvesOf(shownPage, runs, runs, curves.choicesOf(runs), 'ns');
    assert.deepEqual(
        drawn.map((curve) => [curve.colour, curve.dash]), [[0, curves.kDashes[0]], [0, curves.kDashes[1]]]);
    assert.equal(curves.curvesOf(shownPage, runs, [runs[1]], curves.choicesOf(runs), 'ns')[0].dash, curves.kDashes[1],
        'the same dash whatever else is shown');
    const cards = [sample('one', 'a', [1, 2]), sample('two', 'b', [2, 4])];
    assert.deepEqual(
        curves.curvesOf(shownPage, cards, cards, curves.choicesOf(cards), 'ns').map((curve) => curve.colour), [0, 1]);
});

test('ratios: of the other sides to the one chosen, between its points by logarithms, nothing outside of them', () => {
    assert.ok(Math.abs(curves.valueAt([{x: 1, y: 10}, {x: 4, y: 90}], 2) - 30) < 1e-9); // 37 on a straight line
    assert.ok(Number.isNaN(curves.valueAt([{x: 1, y: 10}], 2)) && Number.isNaN(curves.valueAt([{x: 1, y: 10}], 0.5)));
    const both = [sample('one', 'a', [10, 20]), sample('two', 'b', [20, 30, 40])], choices = curves.choicesOf(both),
          sides = curves.sidesOf(both, choices);
    assert.deepEqual([sides.title, sides.names], ['Card', ['a', 'b']]);
    const [ratio, ...more] = curves.ratiosTo(curves.curvesOf(shownPage, both, both, choices, 'ns'), sides.of, 'a');
    assert.equal(more.length, 0);
    assert.deepEqual(ratio.points.map(({x, y}) => [x, y]), [[512, 2], [2048, 1.5]]);
    assert.equal(curves.sidesOf([both[0]], curves.choicesOf([both[0]])), null, 'one side has no ratio');
    const runs = [sample('one', 'a', [10]), sample('two', 'a', [20])];
    assert.equal(curves.sidesOf(runs, curves.choicesOf(runs)).title, 'Run');
});

test('files and anchors: names of letters alone, each anchor once, texts quoted and no formulas', () => {
    assert.equal(exported.slug('../Latency of "L1" <b>'), 'latency-of-l1-b');
    assert.equal(exported.slug('\u2028'), 'chart');
    assert.deepEqual([exported.anchorOf('latency'), exported.anchorOf('latency'), exported.anchorOf('tlb')],
        ['chart-latency', 'chart-latency-2', 'chart-tlb']);
    assert.equal(exported.csvOf([['series', 'x'], ['a,"b"', 1.5], ['=1+1', -2], [null, undefined]]),
        'series,x\r\n"a,""b""",1.5\r\n\'=1+1,-2\r\n,\r\n');
});

test('cells: what is no number is left out, all are told in one unit, and what is alike looks alike', () => {
    const line = (...points) => ({unit: 'ns', line: {points}});
    const sound = grid.soundPoints(
        line({x: 0, median: 5}, {x: 1, median: null}, {x: 2, median: -1}, {x: NaN, median: 3}, {x: 3, median: 1e300}));
    assert.deepEqual(sound.map((point) => point.x), [0, 3]);
    const points = [{x: 0, median: 5, cycles: 9}, {x: 1, median: 6, cycles: 11}];
    assert.deepEqual(grid.valuesOf({unit: 'ns'}, points), {unit: 'cycles', values: [9, 11]});
    assert.deepEqual(
        grid.valuesOf({unit: 'ns'}, [...points, {x: 2, median: 7, cycles: null}]), {unit: 'ns', values: [5, 6, 7]});
    assert.equal(grid.shareOf(5, 5, 10), 0);
    assert.equal(grid.shareOf(10, 5, 10), 1);
    assert.equal(grid.shareOf(5, 5, 5), 0);
    assert.ok(grid.shareOf(10.1, 10, 10.1, 1.15) < 0.1);
});

test('cycles that no kernel counted: by the clock that the data have, with a star', () => {
    const series = {
        unit: 'ns',
        derived: {mhz: 2000},
        line: {
            points: [
                {x: 512, median: 20, low: 19, high: 22, cycles: null},
                {x: 1024, median: null, low: 0, high: 0, cycles: null}
            ]
        }
    };
    curves.deriveCycles(series);
    assert.deepEqual(curves.pointsOf(series, true), [{x: 512, y: 40, low: 38, high: 44, also: '20.0 ns'}]);
    assert.equal(curves.pointsOf(series, false)[0].also, '40.0 cycles*');
    assert.equal(curves.inCycles(series), false); // they were not counted
    const plain = {unit: 'ns', derived: null, line: {points: [{x: 512, median: 20, cycles: null}]}};
    curves.deriveCycles(plain);
    assert.equal(plain.line.points[0].cycles, null);
});

test('points of a chart: in cycles the quartiles follow the median, the other unit stands beside, and what is ' +
         'no number is left out',
    () => {
        const points = [
            {x: 512, median: 20, low: 19, high: 22, cycles: 40}, {x: 1024, median: null, low: 0, high: 0, cycles: null},
            {x: -1, median: 5, low: 5, high: 5, cycles: 9}
        ];
        assert.deepEqual(curves.pointsOf({unit: 'ns', line: {points}}, false),
            [{x: 512, y: 20, low: 19, high: 22, also: '40.0 cycles'}]);
        assert.deepEqual(
            curves.pointsOf({unit: 'ns', line: {points}}, true), [{x: 512, y: 40, low: 38, high: 44, also: '20.0 ns'}]);
        assert.deepEqual(curves.pointsOf({line: null}, false), []);
    });

test('an x of hand-offs names its two cores, one that is too large none', () => {
    const numbers = [3, 5, 9];
    for (let first = 0; first < 3; ++first)
        for (let second = 0; second < 3; ++second)
            assert.deepEqual(cores.pairOf(1 + first * 3 + second, numbers), [first, second]);
    assert.equal(cores.pairOf(10, numbers), null);
});

test('chunks: offsets by as many digits as tell them apart, faster is stronger, and alike looks alike', () => {
    assert.equal(segments.offsetText(3584 * 2 ** 20), '3.5 GiB');
    assert.equal(segments.offsetText(128 * 2 ** 20), '128 MiB');
    const series = {probe: 'segments', options: 'test=read', unit: 'GB/s', line: {evidence: {}}};
    const unlike = segments.chunkValues(series, [{x: 0, median: 196}, {x: 1, median: 28}]);
    assert.ok(unlike.share(196) > unlike.share(28));
    const alike = segments.chunkValues(series, [{x: 0, median: 100}, {x: 1, median: 105}]);
    assert.equal(alike.share(100), alike.share(105));
});

test('evidence in lines: names joined, lists of plain values in one, nothing said where nothing is known', () => {
    assert.deepEqual(sections.flattened({a: {b: 1, c: [1, 2]}, d: null, e: []}),
        [['a, b', '1'], ['a, c', '1 ; 2'], ['d', 'not known'], ['e', 'nothing']]);
});

test('values in a table: the median, the lower and the upper quartile', () => {
    const points = [{x: 512, median: 20, low: 19, high: 22, cycles: 40, clock_mhz: 500, samples: [1, 2, 3, 4]}];
    const [table] = sections.pointsTable({x_unit: 'bytes', unit: 'ns', line: {points}});
    assert.deepEqual(rowsOf(table)[1], ['512 B', '20', '19', '22', '40', '500', '2']);
});

test('each series gets the points of its own run', async () => {
    const packed = (median) =>
        ({textContent: deflateSync(`{}\n${JSON.stringify({points: [{median}]})}\n`).toString('base64')});
    const series = [{run: 0, at: 2}, {run: 1, at: 2}, {run: 1, at: 0}];
    let drawn;
    const names = [
        'drawMapTools', 'drawMatrix', 'drawEnvironment', 'drawDownloads', 'drawSegments', 'drawCoreGrids', 'drawProbes',
        'drawRooflines'
    ];
    const {start} = declared(['page.js'], ['start'], {
        ...Object.fromEntries(names.map((name) => [name, () => {}])),
        drawEvidence: (page) => drawn = page.cards[0].series,
        deriveCycles: () => {},
        requestAnimationFrame: (then) => then(),
        location: {hash: ''},
        document: {
            getElementById: () =>
                ({textContent: JSON.stringify({colours: {}, cards: [{label: 'a', devices: [], series}]})}),
            querySelectorAll: (what) => (what === 'script.raw' ? [packed(10), packed(20)] : []),
            documentElement: {dataset: {}},
            addEventListener: () => {}
        }
    });
    await start();
    assert.deepEqual(drawn.map(({line}) => line && line.points[0].median), [10, 20, undefined]);
});

test('a table has a row for each variant: the option that most differ in, and of the others what is unusual', () => {
    const series = (device, options) => ({device, options, unit: 'Gop/s'});
    const rows = tables.tableRows([
        series('cuda:0', 'chains=8 operation=fma.f32'),
        series('cuda:0', 'chains=8 operation=add.f32'),
        series('cuda:0', 'chains=1 operation=fma.f32'),
        series('vulkan:0', 'chains=8 operation=fma.f32'),
        series('cuda:0', 'chains=8 operation=mul.f32'),
    ]);
    assert.deepEqual(rows.map((row) => [row.name, row.series.map((each) => each.device)]), [
        ['fma.f32', ['cuda:0', 'vulkan:0']], ['fma.f32 chains=1', ['cuda:0']], ['add.f32', ['cuda:0']],
        ['mul.f32', ['cuda:0']]
    ]);
});

test('a rate has its value where it is highest, a time at its last point; per clock and core where both are known',
    () => {
        const points =
                  [
                      {x: 4, median: 10, clock_mhz: 1000}, {x: 8, median: 30, clock_mhz: 2000},
                      {x: 16, median: 20, clock_mhz: 1000}
                  ],
              rate = {index: 0, device: 'a:0', unit: 'Gop/s', value: {number: 30, unit: 'Gop/s'}, line: {points}},
              page = (cores) => ({cards: [{devices: [{id: 'a:0', cores}]}]});
        assert.equal(tables.pointOfValue(rate).x, 8);
        assert.equal(tables.pointOfValue({...rate, unit: 'ns'}).x, 16);
        assert.equal(tables.pointOfValue({unit: 'ns'}), null);
        assert.equal(tables.perClock(page(3), rate), 5);
        assert.equal(tables.perClock(page(0), rate), null);
        assert.equal(tables.perClock(page(3), {...rate, options: 'chains=8 cores=one operation=fma.f32'}), 15,
            'of one core alone');
    });

test('the only path of a probe tells no series from another', () => {
    const page = (one) => ({probes: {rate: {one_path: one}}});
    assert.equal(paths.pathOf(page(true), {probe: 'rate', path: 'global'}), '');
    assert.equal(paths.pathOf(page(false), {probe: 'rate', path: 'global'}), 'global');
});

test('series of one probe with other units have axes of their own', () => {
    const operations = {unit: 'Gop/s', line: {options: {operation: 'fma.f32'}}},
          bytes = {unit: 'GB/s', line: {options: {operation: 'read'}}},
          pattern = {unit: 'GB/s', line: {options: {pattern: 'stride'}}};
    assert.notEqual(curves.axesOf(operations), curves.axesOf(bytes));
    assert.equal(curves.axesTitle('sustained', operations, operations), 'sustained');
    assert.equal(curves.axesTitle('sustained', bytes, operations), 'sustained in GB/s');
    assert.equal(curves.axesTitle('coalescing', pattern, pattern), 'coalescing stride');
});

test('the crosshair reads the point of each curve that is nearest by the ratio of their places, the highest first',
    () => {
        const [high, low] = [
            {name: 'high', points: [{x: 1, y: 5}, {x: 64, y: 50}, {x: 4096, y: 500}]},
            {name: 'low', points: [{x: 1, y: 4}, {x: 60, y: 40}]}
        ];
        const read = (x) => chart.readings([low, high], x, false).map(({curve, point}) => [curve.name, point.x]);
        assert.deepEqual(read(62), [['high', 64], ['low', 60]]);
        assert.deepEqual(read(4096), [['high', 4096]]);
        assert.deepEqual(chart.readings([low, high], 60, true).map(({curve}) => curve.name), ['low']);
    });

test('a cell of CSV with a quote, a comma or a line break is quoted', () => {
    assert.equal(exported.csvOf([['a"b', 'a,b', 'a\nb', 'a\rb', 'a b']]), '"a""b","a,b","a\nb","a\rb",a b\r\n');
});

test('chunks read together: as long as alone is nothing, twice as long is all', () => {
    const series = {
        probe: 'segments',
        options: 'test=two-reads',
        unit: 'GB/s',
        line: {evidence: {overlap: [1, 2]}, options: {test: 'two-reads'}}
    };
    const {values, share} = segments.chunkValues(series, [{x: 0, median: 196}, {x: 1, median: 98}]);
    assert.deepEqual(values, [1, 2]);
    assert.deepEqual(values.map(share), [0, 1]);
});
