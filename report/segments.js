'use strict';
// The segment map: the card's memory from its beginning to its end, a cell for each chunk, by its read and write rate
// and its latency, for each API; and how two chunks at once slow each other down.

const kAllAlike = 0.6;

const testOf = (series) => optionOf(series, 'test') || 'latency';
const kSegmentTitles = {
    read: 'read',
    write: 'written',
    latency: 'latency',
    'two-reads': 'two read at once',
    'two-writes': 'two written at once',
    'read-write': 'one read, one written'
};
const isPair = (test) => test.includes('-');

/** Chunks are told apart by more digits than sizes need. */
const offsetText = (bytes) => (bytes >= 2 ** 30 ? `${Number((bytes / 2 ** 30).toPrecision(6))} GiB`
                                                : `${Number((bytes / 2 ** 20).toPrecision(6))} MiB`);

/**
 * What the cells of a series show: what each says, how strong each is; and in words what that means, where the program
 * concluded nothing.
 */
function chunkValues(series, points) {
    const {overlap} = evidenceOf(series), pair = isPair(testOf(series)),
          together = pair && Array.isArray(overlap) && overlap.length === points.length,
          {unit, values} = valuesOf(series, points), [least, most] = extent(values);
    const rate = (value) => (most < least * kAlike  ? kAllAlike
                             : series.unit === 'ns' ? shareOf(value, least, most)
                                                    : value / most);
    return {
        values: together ? overlap.map(Number) : values,
        text: (value, i) =>
            (together
                    ? `${value.toFixed(2)} times as long as alone, ${valueText(points[i].median, series.unit)} together`
                    : valueText(value, unit)),
        share: together ? (value) => clamped(value - 1, 0, 1) : rate,
        scale: together               ? ['as long as alone', 'twice']
               : series.unit === 'ns' ? [least, Math.max(most, least * kAlike)].map((value) => valueText(value, unit))
                                      : ['0', valueText(most, unit)],
        alike: pair ? 'Two chunks share the DRAM bandwidth, as expected; no other conflict found.'
                    : `${points.length} chunks, ${rangeText(values, unit)}.`,
    };
}

/** What stands below a map while nothing is pointed at. */
function restText(series, points, chunk) {
    const all = Number(evidenceOf(series).chunks),
          end = bytesText(points[points.length - 1].x + chunk); // some are left out between, where time is short
    return `${points.length}${all > points.length ? ` of ${all}` : ''} chunks of ${
        bytesText(chunk)}, from the beginning of the memory to ${end}`;
}

function segmentFigure(page, series) {
    const points = soundPoints(series);
    if (!points.length) return null;
    const columns = points.length > 96 ? 32 : 16, {values, text, share, scale, alike} = chunkValues(series, points),
          chunk = Number(evidenceOf(series).chunk_bytes) || 0, title = kSegmentTitles[testOf(series)] || series.options,
          {found} = series;
    const cells = points.map((point, i) => ({
        column: i % columns,
        row: Math.floor(i / columns),
        share: share(values[i]),
        what: `${offsetText(point.x)} to ${offsetText(point.x + chunk)}`,
        value: values[i],
        said: text(values[i], i),
    }));
    return element(
        'figure.segments',
        {'data-segments': testOf(series)},
        element('figcaption', swatch(page.colours.get(series.device)), `${series.device} `, element('small', title)),
        cellGrid({
            cells,
            columns,
            name: `${series.id}: ${found.join('; ') || title}`,
            title: series.id,
            rest: restText(series, points, chunk),
            rowText: (row) => bytesText(points[row * columns].x),
            scale,
        }),
        (found.length ? found : [alike]).map((line) => element('p.found', line)),
        series.status !== 'ok' && element('p.found', statusMark(series), ` ${series.reason}`),
    );
}

function drawSegments(page) {
    const order = Object.keys(kSegmentTitles),
          measured = probesDrawnAs(page, 'memory_map')
                         .flatMap((probe) => seriesOfProbe(page, probe))
                         .sort((a, b) => order.indexOf(testOf(a)) - order.indexOf(testOf(b)));
    drawCards(page, 'segments', (card, index) => {
        const figures =
            present(measured.filter((series) => series.index === index).map((series) => segmentFigure(page, series)));
        return figures.length && element('div.maps', figures);
    });
}
