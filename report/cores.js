'use strict';
// The core maps: a square for each core, stronger the farther it is from what the probe asks for; and one for each pair of cores that handed a word over.

const kCoreMaps = [
  { probe: 'map', text: 'How far the shared level is from each core: a square for each core, in the order of their numbers, the stronger its colour the farther it is.' },
  {
    probe: 'neighbours',
    text: 'What a walk on one core takes while another core walks beside it: a square for each of the others. Strong ones share its first level.',
  },
];

/** One series: squares in the order of the cores' numbers, sixteen to a row. */
function coreMap(series) {
  const points = soundPoints(series);
  if (!points.length) return null;
  const { unit, values } = valuesOf(series, points),
    least = Math.min(...values),
    most = Math.max(...values),
    alike = series.probe === 'neighbours' ? 1.5 : 1;
  const cells = points.map((point, i) => ({
    column: i % 16,
    row: Math.floor(i / 16),
    share: shareOf(values[i], least, most, alike),
    text: `${series.x_name} ${point.x}: ${valueText(values[i], unit)}`,
  }));
  const rest = `${points.length} cores, ${valueText(least, unit)} to ${valueText(most, unit)}`;
  return element('figure', { class: 'cores' }, element('figcaption', {}, series.id), cellGrid({ cells, columns: 16, name: `${series.id}: ${rest}`, rest }));
}

/** Which cores a hand-off's x stands for: 1 + first * cores + second, by their places in the list of cores. */
function pairOf(x, numbers) {
  const first = Math.floor((x - 1) / numbers.length),
    second = (x - 1) % numbers.length;
  return first < numbers.length && second >= 0 ? [first, second] : null;
}

/** One series of hand-offs between cores: a square for each pair, the first core down, the second across. */
function pairMap(series) {
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

const betweenCores = (series) => series.probe === 'handoff' && /(^| )parties=cores( |$)/.test(series.options);

/** One heading's maps, with what was concluded; nothing where there are none. */
function mapGroup(page, title, text, series, draw) {
  const maps = series.map(draw).filter(Boolean);
  if (!maps.length) return;
  body('cores').append(element('h3', {}, title), element('p', { class: 'note' }, text), element('div', { class: 'coremaps' }, maps), foundList(series));
}

function drawCores(page) {
  for (const { probe, text } of kCoreMaps) mapGroup(page, probe, text, seriesOfProbe(page, probe), coreMap);
  mapGroup(
    page,
    'handoff between cores',
    'How long a word takes from one core to another: a square for each pair that was measured, one core down, the other across, the stronger its colour the longer it takes.',
    seriesOfProbe(page, 'handoff').filter(betweenCores),
    pairMap,
  );
  document.getElementById('cores').hidden = !body('cores').childNodes.length;
}
