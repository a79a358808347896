'use strict';
// What stands beside the curves of a chart: levels and their edges, limits, published figures, names; and which curves
// lie on others.

const kMostEdges = 4;  // curves whose levels are marked: more hide each other
const kNearPixels = 2; // closer than this, one curve hides the other
const kEdgeText = 62;  // how far up the size at an edge reaches
const kLetter = 6.5;   // about how wide one is

/** For each curve, how many other devices' curves of its path, drawn after it, lie on it over most of its points. */
function coveredBy(curves, {x, y}) {
    const places = curves.map((curve) => new Map(curve.points.map((point) => [Math.round(x(point.x)), y(point.y)])));
    const covers = (below, above) => {
        const shared = [...below].filter(([at]) => above.has(at)),
              near = shared.filter(([at, height]) => Math.abs(above.get(at) - height) < kNearPixels);
        return near.length > 1 && near.length >= shared.length * 0.6;
    };
    const alike = (a, b) => a.path === b.path && a.colour !== b.colour;
    const over = (i) => curves.filter((other, j) => j > i && alike(curves[i], other) && covers(places[i], places[j]));
    return curves.map((_, i) => new Set(over(i).map((other) => other.colour)).size);
}

/** Where the curves run between two places of the drawing. */
function heightsWithin(curves, {x, y}, left, right) {
    const between = (at, [fromX, fromY], [toX, toY]) => fromY + ((toY - fromY) * (at - fromX)) / (toX - fromX);
    return curves.flatMap(({points}) => {
        const places = points.map((point) => [x(point.x), y(point.y)]);
        return places.flatMap((place, i) => [...(place[0] >= left && place[0] <= right ? [place[1]] : []),
                                  ...(i ? [left, right]
                                              .filter((at) => at > places[i - 1][0] && at < place[0])
                                              .map((at) => between(at, places[i - 1], place))
                                        : []),
        ]);
    });
}

/**
 * Values that the scale has to hold besides the curves': published ones, and limits that lie within twice the curves'
 * range.
 */
function valuesBesides(curves, {lines, published}) {
    const [low, high] = extent(curves.flatMap((curve) => curve.points.map((point) => point.y)));
    return [...published.flatMap((mark) => [mark.low, mark.high]), ...lines.map((line) => line.y)].filter(
        (y) => y > low / 2 && y < high * 2);
}

/** Of each colour the first curve with levels. */
function markedCurves(curves) {
    const marked = curves.filter((curve) => curve.levels && curve.levels.length > 1);
    return marked.filter((curve, i) => marked.findIndex((other) => other.colour === curve.colour) === i)
        .slice(0, kMostEdges);
}

/**
 * Where levels end, from the last footprint inside to the first outside, and the latency of each as a line; names,
 * latencies and edges in words are those of the first curve. Levels that are `borrowed` from the latency of the same
 * device have no line in a chart of another value.
 */
function levelMarks(curves, {x, y}, {height}, unit) {
    const marked = markedCurves(curves);
    if (!marked.length || x.places) return [];
    const bottom = height - kMargin.bottom, within = (bytes) => x(clamped(bytes, x.low, x.high)),
          start = (levels, i) => within((i && levels[i - 1].first_outside) || x.low);
    const edge = (curve, {last_inside: from, first_outside: to}) =>
        to && from < x.high &&
        rectangle(`edge.s${curve.colour}`, within(from), kMargin.top, Math.max(2, within(to) - within(from)),
            bottom - kMargin.top);
    const valueOf = (curve, level) => (curve.borrowed ? null : level[unit]);
    const plateau = (curve, level, i, levels) =>
        valueOf(curve, level) && rule(`plateau.s${curve.colour}`, start(levels, i), y(valueOf(curve, level)),
                                     within(level.last_inside), y(valueOf(curve, level)));
    const words = (level, i, levels) => {
        const [from, to] = [start(levels, i), within(level.last_inside)], value = valueOf(marked[0], level),
                     ends = level.first_outside && level.last_inside < x.high && level.first_outside > x.low,
                     occupied = ends && Math.max(...heightsWithin(curves, {x, y}, to - 14, to)) >
                                            bottom - kEdgeText; // by curves: then it stands at the upper end
        return [
            to > from && label((from + to) / 2, kMargin.top + 12, 'middle', level.name, 'text.soft.halo',
                             {'data-text': 'level'}),
            value && to - from > 70 &&
                label((from + to) / 2, y(value) + 15, 'middle', valueText(value, unit), 'text.strong.halo',
                    {'data-text': 'value'}),
            ends && label(occupied ? -(kMargin.top + 22) : -(bottom - 6), to - 4, occupied ? 'end' : 'start',
                        bytesText(Math.sqrt(level.last_inside * level.first_outside)), 'text.soft.halo',
                        {'data-text': 'edge', transform: 'rotate(-90)'}),
        ];
    };
    return shape('g', {'data-levels': marked.length},
        marked.map(
            (curve) => curve.levels.map((level, i) => [edge(curve, level), plateau(curve, level, i, curve.levels)])),
        marked[0].levels.map(words));
}

/**
 * A line for each limit that lies in the chart, with its name: at its right end, or at the left one where only there
 * no curve is near.
 */
function valueLines(curves, lines, {x, y}, {width}) {
    const right = width - rightMargin(width);
    const named = ({y: value, name}) => {
        const clear = (from, to) =>
                  heightsWithin(curves, {x, y}, from, to).every((height) => Math.abs(height - y(value) + 8) > 10),
              wide = kLetter * name.length,
              atLeft = !clear(right - 4 - wide, right) && clear(kMargin.left, kMargin.left + 4 + wide);
        return shape('g', {'data-line': name}, rule('limit', kMargin.left, y(value), right, y(value)),
            label(atLeft ? kMargin.left + 4 : right - 4, y(value) - 5, atLeft ? 'start' : 'end', name, 'text.soft.halo',
                {'data-text': 'line'}));
    };
    return lines.filter((line) => line.y >= y.low && line.y <= y.high).map(named);
}

/** A figure, a range, or where the source tells only what it is under, that. */
function publishedText({low, high}, unit) {
    if (low <= 0) return `under ${valueText(high, unit)}`;
    return high < low * 1.05 ? valueText((low + high) / 2, unit)
                             : `${Number(low.toPrecision(3))} to ${valueText(high, unit)}`;
}

/**
 * What others published of a level: a mark at each value, at a quarter of the level's footprints, and its name in a
 * list above or below, where there is more room.
 */
function publishedMarks(curves, marks, {x, y}, {width, height}, unit) {
    const inside = marks.filter((mark) => mark.high > 0 && mark.high >= y.low && mark.low <= y.high &&
                                          mark.to > mark.from && mark.to >= x.low && mark.from <= x.high);
    const lists = []; // of names, where they stand
    return [...groupedBy(inside, (mark) => mark.level).values()].map((level) => {
        const sorted = level.sort((a, b) => b.low + b.high - a.low - a.high),
              [from, to] = [x(Math.max(level[0].from, x.low)), x(Math.min(level[0].to, x.high))],
              px = from + (to - from) / 4, at = (value) => y(clamped(value, y.low, y.high)),
              highest = at(sorted[0].high), [aside, anchor] = px > width * 0.6 ? [-10, 'end'] : [10, 'start'],
              words = (mark) => (width > 600 ? `${mark.title} ${publishedText(mark, unit)}` : mark.title.slice(0, 14)),
              far = px + Math.sign(aside) * (10 + kLetter * Math.max(...sorted.map((mark) => words(mark).length))),
              [left, right] = [Math.min(px, far), Math.max(px, far)],
              occupied = heightsWithin(curves, {x, y}, left, right).map((curve) => [curve, curve]),
              high = 13 * (sorted.length - 1), steps = Array.from({length: 24}, (_, i) => 8 * i),
              firsts = highest > height / 2
                           ? steps.map((step) => highest - 40 - high - step)
                           : steps.map((step) => at(sorted[sorted.length - 1].low || sorted[sorted.length - 1].high) +
                                                 44 + step),
              taken =
                  [
                      ...occupied,
                      ...lists.filter((list) => list.left < right && list.right > left).map(({top,
                          bottom}) => [top, bottom])
                  ],
              first =
                  firsts.find((line) => line > 34 && line + high < height - kMargin.bottom &&
                                        taken.every(([top, bottom]) => bottom < line - 14 || top > line + high + 5)) ??
                  firsts[0];
        lists.push({left, right, top: first - 11, bottom: first + high + 3});
        return sorted.map((mark, i) => {
            const [top, bottom] = [at(mark.high), at(mark.low > 0 ? mark.low : mark.high)], middle = (top + bottom) / 2,
                        line = first + 13 * i;
            return shape(
                'g',
                {'data-published': mark.title},
                shape('title', `${mark.title}, ${mark.level}: ${publishedText(mark, unit)}`),
                rule('leader', px, middle, px + aside * 0.8, line - 4),
                rule('published', px, top, px, bottom),
                shape('path.published', {d: `M${px} ${middle - 4}l4 4l-4 4l-4 -4z`}),
                label(px + aside, line, anchor, words(mark), 'text.soft.halo', {'data-text': 'published'}),
            );
        });
    });
}

/**
 * Where the name of a curve stands that has a place of its own: below its first point, above its last, or beside its
 * only one, on the side where there is more room.
 */
function placeOfName({named, points}, {x, y}, width) {
    const first = points[0], last = points[points.length - 1];
    if (named === 'below-start') return [x(first.x) + 10, y(first.y) + 8, 'start'];
    if (named === 'above-end') return [x(last.x) - 4, y(last.y) - 6, 'end'];
    return x(last.x) < width * 0.6 ? [x(last.x) + 8, y(last.y) + 4, 'start'] : [x(last.x) - 8, y(last.y) + 4, 'end'];
}

/** One name for each path at the end of its longest curve, so that dashes need no key. */
function pathNames(curves, {x, y}, {width}) {
    const ends = new Map(), wide = width > 600, [right, below,
        anchor] = wide ? [6, 4, 'start'] : [0, -8, 'end']; // in a narrow chart above the uppermost curve
    for (const curve of curves.filter((each) => !each.named)) {
        const last = curve.points[curve.points.length - 1];
        const there = ends.get(curve.path),
              further = !there || last.x > there.x || (!wide && last.x === there.x && last.y > there.y);
        if (curve.path && further) ends.set(curve.path, last);
    }
    const fromAbove = [...ends].sort((a, b) => b[1].y - a[1].y);
    const top = (path, last) => (wide ? y(last.y)
                                      : Math.min(...heightsWithin(curves.filter((curve) => curve.path === path), {x, y},
                                            x(last.x) - kLetter * path.length, x(last.x))));
    const ownPlaces =
        curves.filter((curve, i) => curve.named && curves.findIndex((other) => other.path === curve.path) === i)
            .map((curve) => [curve.path, ...placeOfName(curve, {x, y}, width)]);
    return [
        ...fromAbove.map(([path, last]) => [path, x(last.x) + right, top(path, last) + below, anchor]), ...ownPlaces
    ].map(([path, at, height, from]) => label(at, height, from, path, 'text.soft.halo', {'data-text': 'path'}));
}

// Texts beside the curves, the most important kind first, and how far down each may go to be clear of others.
const kTexts = {
    line: [0, 17],
    published: [0],
    level: [0, 13],
    path: [0, 22, ...Array.from({length: 12}, (_, i) => 13 * (i + 1)), -13, -26],
    value: [0, -22],
    edge: [0],
};

/**
 * For each of these boxes the first of its shifts that is clear of the boxes before it and within the drawing; null:
 * none is.
 */
function clearShifts(boxes, height) {
    const kept = [];
    return boxes.map(({left, right, top, bottom, shifts}) => {
        const clear = (shift) => top + shift >= 0 && bottom + shift <= height &&
                                 kept.every((other) => left >= other.right || right <= other.left ||
                                                       top + shift >= other.bottom || bottom + shift <= other.top);
        const shift = shifts.find(clear) ?? null;
        if (shift !== null) kept.push({left, right, top: top + shift, bottom: bottom + shift});
        return shift;
    });
}

/**
 * Moves the texts of a drawn chart so that none lies on another or on the axis below; where there is no room for one,
 * it goes.
 */
function spreadTexts(plot, height) {
    const texts = Object.keys(kTexts).flatMap((kind) => [...plot.querySelectorAll(`[data-text=${kind}]`)]);
    const boxOf = (text) => {
        const {x, y, width, height: high} = text.getBBox(),
                                    lies = text.hasAttribute('transform') ? [y, y + high, -x - width, -x] : [
                                        x, x + width, y + 2, y + high - 2
                                    ]; // without the air above and below letters
        return {
            ...Object.fromEntries(['left', 'right', 'top', 'bottom'].map((side, i) => [side, lies[i]])),
            shifts: kTexts[text.dataset.text]
        };
    };
    clearShifts(texts.map(boxOf), height - kMargin.bottom)
        .forEach((shift, i) => (shift === null
                                    ? texts[i].remove()
                                    : shift && texts[i].setAttribute('y', Number(texts[i].getAttribute('y')) + shift)));
}
