'use strict';
// The core map: a square for each core, darker the farther it is; one map for each series of the probe `map`.

/** One series: squares in the order of the cores' numbers, sixteen to a row. */
function coreMap(series) {
  const points = series.line.points.filter((point) => Number.isFinite(point.median) && point.median > 0),
    values = points.map((point) => (point.cycles > 0 ? point.cycles : point.median)),
    unit = points.every((point) => point.cycles > 0) ? 'cycles' : series.unit,
    least = Math.min(...values),
    most = Math.max(...values),
    size = 22,
    rows = Math.ceil(points.length / 16);
  const squares = points.map((point, i) => {
    const share = most > least ? (values[i] - least) / (most - least) : 0;
    return shape(
      'rect',
      { class: 'core', x: (i % 16) * size + 1, y: Math.floor(i / 16) * size + 1, width: size - 2, height: size - 2, 'fill-opacity': (0.12 + 0.88 * share).toFixed(3) },
      shape('title', {}, `core ${point.x}: ${valueText(values[i], unit)}`),
    );
  });
  const label = `${series.id}: ${points.length} cores, ${valueText(least, unit)} to ${valueText(most, unit)}`;
  return element(
    'figure',
    { class: 'cores' },
    element('figcaption', {}, label),
    shape('svg', { class: 'coremap', viewBox: `0 0 ${16 * size} ${rows * size}`, role: 'img', 'aria-label': label, style: null }, squares),
  );
}

function drawCores(page) {
  const measured = seriesOfProbe(page, 'map');
  if (!measured.length) return;
  body('curves').append(
    element('h3', {}, 'map'),
    element('p', { class: 'note' }, 'How far the shared level is from each core: a square for each core, in the order of their numbers, darker the farther it is. Point at one to read it.'),
    element('div', { class: 'coremaps' }, measured.map(coreMap)),
  );
}
