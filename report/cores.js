'use strict';
// Grids of cores: a square for each core, or for each pair of cores.

const kCoreGrids = {
  cores: 'A square for each core, by number: the stronger its colour, the slower. Differences below 15 % stay pale.',
  core_pairs: 'A square for each pair of cores that was measured, one core down, the other across: the stronger its colour, the slower.',
};

/** One series: squares in the order of the cores' numbers, sixteen to a row. */
function coreGrid(series) {
  const points = soundPoints(series);
  if (!points.length) return null;
  const { unit, values } = valuesOf(series, points),
    least = Math.min(...values),
    most = Math.max(...values);
  const cells = points.map((point, i) => ({
    column: i % 16,
    row: Math.floor(i / 16),
    share: shareOf(values[i], least, most),
    text: `${series.x_name} ${point.x}: ${valueText(values[i], unit)}`,
  }));
  const rest = `${points.length} cores, ${valueText(least, unit)} to ${valueText(most, unit)}`;
  return element('figure', { class: 'cores' }, element('figcaption', {}, series.id), cellGrid({ cells, columns: 16, name: `${series.id}: ${rest}`, rest }));
}

/** Which cores a point's x stands for: 1 + first * cores + second, by their places in the list of cores. */
function pairOf(x, numbers) {
  const first = Math.floor((x - 1) / numbers.length),
    second = (x - 1) % numbers.length;
  return first < numbers.length && second >= 0 ? [first, second] : null;
}

/** One series between cores: a square for each pair, the first core down, the second across. */
function pairGrid(series) {
  const numbers = series.line.evidence && series.line.evidence.cores;
  if (!Array.isArray(numbers) || numbers.length < 2 || numbers.length > 1024) return null;
  const points = soundPoints(series).filter((point) => pairOf(point.x, numbers));
  if (!points.length) return null;
  const { unit, values } = valuesOf(series, points),
    least = Math.min(...values),
    most = Math.max(...values);
  const rows = [...new Set(points.map((point) => pairOf(point.x, numbers)[0]))].sort((a, b) => a - b); // of a large card there are some rows only
  const cells = points.map((point, i) => {
    const [first, second] = pairOf(point.x, numbers);
    return { column: second, row: rows.indexOf(first), share: shareOf(values[i], least, most), text: `cores ${numbers[first]} and ${numbers[second]}: ${valueText(values[i], unit)}` };
  });
  const rest = `${points.length} pairs of ${numbers.length} cores, ${valueText(least, unit)} to ${valueText(most, unit)}`;
  return element('figure', { class: 'cores' }, element('figcaption', {}, series.id), cellGrid({ cells, columns: numbers.length, name: `${series.id}: ${rest}`, rest }));
}

/** Whether a series has a value for each pair of cores, and so is no bar. */
const betweenCores = (page, series) => page.probes[series.probe].chart === 'core_pairs' && Array.isArray(series.line.evidence && series.line.evidence.cores);

/** One probe's grids, with what was concluded; nothing where there are none. */
function gridGroup(page, probe, series, draw) {
  const grids = series.map(draw).filter(Boolean);
  if (!grids.length) return;
  body('cores').append(
    ...probeHeading(page, probe, probe).filter(Boolean),
    element('p', { class: 'note' }, kCoreGrids[page.probes[probe].chart]),
    element('div', { class: 'coregrids' }, grids),
    foundList(series),
  );
}

function drawCores(page) {
  for (const probe of probesDrawnAs(page, 'cores')) gridGroup(page, probe, seriesOfProbe(page, probe), coreGrid);
  for (const probe of probesDrawnAs(page, 'core_pairs'))
    gridGroup(
      page,
      probe,
      seriesOfProbe(page, probe).filter((series) => betweenCores(page, series)),
      pairGrid,
    );
  document.getElementById('cores').hidden = !body('cores').childNodes.length;
}
