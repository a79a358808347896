'use strict';
// What all drawings share: scales, ticks, marks, and how the pointer and the keys look at them.

const clamped = (value, low, high) => Math.min(high, Math.max(low, value));
const extent = (values) => [Math.min(...values), Math.max(...values)];

/** A logarithmic scale: a value's place in the drawing, and by `value` the way back. */
function logScale(low, high, from, to) {
    const perPixel = Math.log(high / low) / (to - from);
    return Object.assign((value) => from + Math.log(value / low) / perPixel,
        {low, high, value: (px) => clamped(low * Math.exp((px - from) * perPixel), low, high)});
}

/** Places side by side, each as wide as the others. */
function placeScale(places, from, to) {
    const wide = (to - from) / places.length;
    return Object.assign((place) => from + (places.indexOf(place) + 0.5) * wide,
        {places, value: (px) => places[clamped(Math.floor((px - from) / wide), 0, places.length - 1)]});
}

/** Ticks of a logarithmic axis: powers of `base`, thinned to at most `most`. */
function powerTicks(low, high, base, most) {
    const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9),
          last = Math.floor(Math.log(high) / Math.log(base) + 1e-9),
          step = Math.max(1, Math.ceil((last - first + 1) / most));
    return Array.from(
        {length: Math.max(0, Math.floor((last - first) / step) + 1)}, (_, i) => base ** (first + i * step));
}

/**
 * 1, 2, 5 of each decade, or fewer where there are many, more where there are few; even steps where there are hardly
 * any.
 */
function valueTicks(low, high) {
    const decades = Array.from({length: Math.floor(Math.log10(high)) - Math.floor(Math.log10(low)) + 1},
        (_, i) => 10 ** (Math.floor(Math.log10(low)) + i));
    const inside = (digits) =>
        decades.flatMap((decade) => digits.map((digit) => Number((digit * decade).toPrecision(6))))
            .filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    const [tens, usual, fine] = [[1], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]].map(inside);
    if (usual.length > 2) return usual.length > 10 ? tens : usual.length < 4 ? fine : usual;
    const rough = (high - low) / 6, decade = 10 ** Math.floor(Math.log10(rough)),
          step = decade * ([1, 2, 5].find((digit) => digit * decade >= rough) || 10), first = Math.ceil(low / step);
    return Array.from({length: Math.max(0, Math.floor(high / step) - first + 1)},
        (_, i) => Number(((first + i) * step).toPrecision(6)));
}

/** Text in a drawing; `anchor`: which of its ends stands at x. */
const label = (x, y, anchor, text, kind = 'text.soft', more = {}) =>
    shape(kind, {x, y, 'text-anchor': anchor, ...more}, text);
const rule = (kind, x1, y1, x2, y2) => shape(`line.${kind}`, {x1, y1, x2, y2});
const rectangle = (kind, x, y, width, height, more = {}) => shape(`rect.${kind}`, {x, y, width, height, ...more});

/**
 * The pointer and the keys look at a drawing: `point` is told where, in shares of its width and height, `go` which of
 * `count()` values from the one `at()` (-1: none), `leave` that nothing is looked at. Up and Down go by `columns`,
 * where there are such.
 */
function explorable(drawing, {point, count, at, go, leave, columns}) {
    const pointed = (event) => {
        const box = drawing.getBoundingClientRect();
        point((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    };
    for (const name of ['pointermove', 'pointerdown']) drawing.addEventListener(name, pointed);
    for (const name of ['pointerleave', 'blur']) drawing.addEventListener(name, leave);
    const steps = {
        ArrowLeft: -1,
        ArrowRight: 1,
        Home: -Infinity,
        End: Infinity,
        ...(columns && {ArrowUp: -columns, ArrowDown: columns})
    };
    drawing.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') leave();
        const step = steps[event.key], last = count() - 1, here = at();
        if (step === undefined || last < 0) return;
        event.preventDefault();
        go(here < 0 && Number.isFinite(step) ? (step > 0 ? 0 : last) : clamped(here + step, 0, last));
    });
}
