'use strict';
// The segment map: the card's memory from its beginning to its end, a cell for each chunk, by its read and write rate and its latency, for each API;
// and how two chunks at once slow each other down.

const kAllAlike = 0.6;

const testOf = (series) => optionOf(series, 'test') || 'latency';
const kSegmentTitles = { read: 'read', write: 'written', latency: 'latency', 'two-reads': 'two read at once', 'two-writes': 'two written at once', 'read-write': 'one read, one written' };
const isPair = (test) => test.includes('-');

/** Chunks are told apart by more digits than sizes need. */
const offsetText = (bytes) => (bytes >= 2 ** 30 ? `${Number((bytes / 2 ** 30).toPrecision(6))} GiB` : `${Number((bytes / 2 ** 20).toPrecision(6))} MiB`);

/** What the cells of a series show: values, their unit, how strong each is, and what the colours mean. */
function chunkValues(series, points) {
  const test = testOf(series),
    { unit, values } = valuesOf(series, points);
  const overlap = isPair(test) && Array.isArray(series.line.evidence && series.line.evidence.overlap) ? series.line.evidence.overlap : null;
  if (overlap && overlap.length === points.length)
    return {
      values: overlap.map(Number),
      text: (value, i) => `${value.toFixed(2)} times as long as alone, ${valueText(points[i].median, series.unit)} together`,
      share: (value) => Math.min(1, Math.max(0, value - 1)),
    };
  const least = Math.min(...values),
    most = Math.max(...values);
  return {
    values,
    text: (value) => valueText(value, unit),
    share: (value) => (most < least * kAlike ? kAllAlike : series.unit === 'ns' ? shareOf(value, least, most) : value / most),
  };
}

/** In words, where the program concluded nothing. */
function alikeText(series, points) {
  if (isPair(testOf(series))) return 'Two chunks share the DRAM bandwidth, as expected; no other conflict found.';
  const { unit, values } = valuesOf(series, points);
  return `${points.length} chunks, ${valueText(Math.min(...values), unit)} to ${valueText(Math.max(...values), unit)}.`;
}

/** What stands below a map while nothing is pointed at. */
function restText(series, points, chunk) {
  const all = Number(series.line.evidence && series.line.evidence.chunks);
  const end = bytesText(points[points.length - 1].x + chunk); // some are left out between, where time is short
  return `${points.length}${all > points.length ? ` of ${all}` : ''} chunks of ${bytesText(chunk)}, from the beginning of the memory to ${end}`;
}

function segmentFigure(series) {
  const points = soundPoints(series);
  if (!points.length) return null;
  const columns = points.length > 96 ? 32 : 16,
    { values, text, share } = chunkValues(series, points);
  const chunk = Number(series.line.evidence && series.line.evidence.chunk_bytes) || 0;
  const cells = points.map((point, i) => ({
    column: i % columns,
    row: Math.floor(i / columns),
    share: share(values[i]),
    text: `${offsetText(point.x)} to ${offsetText(point.x + chunk)}: ${text(values[i], i)}`,
  }));
  const title = kSegmentTitles[testOf(series)] || series.options;
  const found = (series.found || []).map((finding) => finding.text.replace(`${series.device} ${series.path}: `, ''));
  return element(
    'figure',
    { class: 'segments', 'data-segments': testOf(series) },
    element('figcaption', {}, element('span', { class: `swatch b${series.colour}` }), `${series.device} `, element('small', {}, title)),
    cellGrid({ cells, columns, name: `${series.id}: ${found.join('; ') || title}`, rest: restText(series, points, chunk) }),
    (found.length ? found : [alikeText(series, points)]).map((line) => element('p', { class: 'found' }, line)),
    series.status === 'ok' ? null : element('p', { class: 'found' }, element('span', { class: `status ${series.status}` }, series.status), ` ${series.reason}`),
  );
}

function drawSegments(page) {
  const target = body('segments');
  page.cards.forEach((card, index) => {
    const measured = probesDrawnAs(page, 'memory_map')
      .flatMap((probe) => seriesOfProbe(page, probe))
      .filter((series) => series.index === index);
    const order = Object.keys(kSegmentTitles);
    const figures = measured
      .map((series) => ({ ...series, colour: page.colours.get(series.device) }))
      .sort((a, b) => order.indexOf(testOf(a)) - order.indexOf(testOf(b)))
      .map(segmentFigure)
      .filter(Boolean);
    if (figures.length) target.append(...[cardHeading(page, index)].filter(Boolean), element('div', { class: 'maps' }, figures));
  });
  document.getElementById('segments').hidden = !target.childNodes.length;
}
