// The pure functions of the report page's scripts, without a browser: node --test tests/report/scripts.test.mjs
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const folder = new URL('../../report/', import.meta.url);

/** What the named scripts declare, by name. They are plain scripts that share one scope, as the page runs them. */
function declared(files, names) {
  const text = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  return new vm.Script(`(() => { ${text}\nreturn { ${names.join(', ')} }; })()`).runInThisContext();
}

const elements = declared(['elements.js'], ['bytesText', 'valueText', 'latencyText']);
const chart = declared(['elements.js', 'drawing.js', 'chart.js'], ['powerTicks', 'valueTicks', 'placesOf', 'placeScale', 'scalesOf']);
const grid = declared(['elements.js', 'drawing.js', 'grid.js'], ['valuesOf', 'soundPoints', 'shareOf']);
const probe = declared(['elements.js', 'probe.js'], ['pointsOf']);
const cores = declared(['elements.js', 'grid.js', 'cores.js'], ['pairOf']);
const segments = declared(['elements.js', 'drawing.js', 'grid.js', 'probe.js', 'segments.js'], ['offsetText', 'chunkValues']);
const sections = declared(['elements.js', 'sections.js'], ['flattened']);

test('bytes in the largest binary unit below a thousand of them', () => {
  const rows = [
    [0, '0 B'], [999, '999 B'], [1000, '0.977 KiB'], [1024, '1 KiB'], [48 * 1024, '48 KiB'], [1.5 * 2 ** 30, '1.5 GiB'], [2000 * 2 ** 40, '2000 TiB'], [NaN, '-'], [Infinity, '-'],
  ];
  for (const [bytes, text] of rows) assert.equal(elements.bytesText(bytes), text);
});

test('values with three digits, large rates in the next unit', () => {
  const rows = [
    [39.14, 'cycles', '39.1 cycles'], [0.04, 'ns', '0.0 ns'], [273.4, 'ns', '273 ns'], [1234.5, 'ns', '1235 ns'], [999, 'GB/s', '999 GB/s'], [4321, 'GB/s', '4.32 TB/s'],
  ];
  for (const [value, unit, text] of rows) assert.equal(elements.valueText(value, unit), text);
  assert.equal(elements.latencyText({ cycles: null, ns: 20 }), '20.0 ns');
  assert.equal(elements.latencyText({ cycles: 34, ns: 20 }), '34.0 cycles');
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

test('ticks of values: 1, 2 and 5 of each decade, tens where those are many, even steps in a narrow range', () => {
  assert.deepEqual(chart.valueTicks(10, 100), [10, 20, 50, 100]);
  assert.deepEqual(chart.valueTicks(1, 1e5), [1, 10, 100, 1000, 10000, 100000]);
  const narrow = chart.valueTicks(30.5, 34.2);
  assert.ok(narrow.length >= 3);
  for (const tick of narrow) assert.ok(tick >= 30.5 && tick <= 34.2, `${tick}`);
  assert.equal(new Set(narrow.slice(1).map((tick, i) => (tick - narrow[i]).toFixed(6))).size, 1);
});

test('places stand side by side in their order, and a pixel leads back to its place', () => {
  const scale = chart.placeScale(chart.placesOf([{ points: [{ x: 8 }, { x: 2 }] }, { points: [{ x: 32 }, { x: 2 }] }]), 60, 390);
  assert.deepEqual(scale.places, [2, 8, 32]);
  for (const place of scale.places) assert.equal(scale.value(scale(place)), place);
  assert.ok(scale(2) < scale(8) && scale(8) < scale(32));
  assert.ok(Math.abs(scale(8) - scale(2) - (scale(32) - scale(8))) < 1e-9);
  assert.equal(scale.value(-100), 2);
  assert.equal(scale.value(9999), 32);
});

test('logarithmic scales: larger is to the right and above, and all points lie inside', () => {
  const curves = [{ points: [{ x: 512, y: 30 }, { x: 2 ** 20, y: 200 }, { x: 2 ** 30, y: 600 }] }];
  const scales = chart.scalesOf(curves, 700, 300, false);
  const at = curves[0].points.map((point) => [scales.x(point.x), scales.y(point.y)]);
  for (let i = 1; i < at.length; ++i) assert.ok(at[i][0] > at[i - 1][0] && at[i][1] < at[i - 1][1]);
  for (const [x, y] of at) assert.ok(x >= 0 && x <= 700 && y >= 0 && y <= 300, `${x} ${y}`);
});

test('cells: what is no number is left out, all are told in one unit, and what is alike looks alike', () => {
  const line = (...points) => ({ unit: 'ns', line: { points } });
  const sound = grid.soundPoints(line({ x: 0, median: 5 }, { x: 1, median: null }, { x: 2, median: -1 }, { x: NaN, median: 3 }, { x: 3, median: 1e300 }));
  assert.deepEqual(sound.map((point) => point.x), [0, 3]);
  const points = [{ x: 0, median: 5, cycles: 9 }, { x: 1, median: 6, cycles: 11 }];
  assert.deepEqual(grid.valuesOf({ unit: 'ns' }, points), { unit: 'cycles', values: [9, 11] });
  assert.deepEqual(grid.valuesOf({ unit: 'ns' }, [...points, { x: 2, median: 7, cycles: null }]), { unit: 'ns', values: [5, 6, 7] });
  assert.equal(grid.shareOf(5, 5, 10), 0);
  assert.equal(grid.shareOf(10, 5, 10), 1);
  assert.equal(grid.shareOf(5, 5, 5), 0);
  assert.ok(grid.shareOf(10.1, 10, 10.1, 1.15) < 0.1);
});

test('points of a chart: in cycles the quartiles follow the median, and what is no number is left out', () => {
  const points = [{ x: 512, median: 20, low: 19, high: 22, cycles: 40 }, { x: 1024, median: null, low: 0, high: 0, cycles: null }, { x: -1, median: 5, low: 5, high: 5, cycles: 9 }];
  assert.deepEqual(probe.pointsOf({ line: { points } }, false), [{ x: 512, y: 20, low: 19, high: 22 }]);
  assert.deepEqual(probe.pointsOf({ line: { points } }, true), [{ x: 512, y: 40, low: 38, high: 44 }]);
  assert.deepEqual(probe.pointsOf({ line: null }, false), []);
});

test('an x of hand-offs names its two cores, one that is too large none', () => {
  const numbers = [3, 5, 9];
  for (let first = 0; first < 3; ++first) for (let second = 0; second < 3; ++second) assert.deepEqual(cores.pairOf(1 + first * 3 + second, numbers), [first, second]);
  assert.equal(cores.pairOf(10, numbers), null);
});

test('chunks: offsets by as many digits as tell them apart, faster is stronger, and alike looks alike', () => {
  assert.equal(segments.offsetText(3584 * 2 ** 20), '3.5 GiB');
  assert.equal(segments.offsetText(128 * 2 ** 20), '128 MiB');
  const series = { probe: 'segments', options: 'test=read', unit: 'GB/s', line: { evidence: {} } };
  const unlike = segments.chunkValues(series, [{ x: 0, median: 196 }, { x: 1, median: 28 }]);
  assert.ok(unlike.share(196) > unlike.share(28));
  const alike = segments.chunkValues(series, [{ x: 0, median: 100 }, { x: 1, median: 105 }]);
  assert.equal(alike.share(100), alike.share(105));
});

test('evidence in lines: names joined, lists of plain values in one, nothing said where nothing is known', () => {
  assert.deepEqual(sections.flattened({ a: { b: 1, c: [1, 2] }, d: null, e: [] }), [['a, b', '1'], ['a, c', '1 ; 2'], ['d', 'not known'], ['e', 'nothing']]);
});
