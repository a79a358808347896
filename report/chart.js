'use strict';
// Curves on logarithmic axes, drawn as SVG: they take the page's colours, print sharply, and a reader's eye or a test
// can count their points. Bars for single values.

const kDashes = ['', '7 4', '2 3', '10 3 2 3', '4 2', '12 5', '1 4', '8 2 2 2 2 2'];
const kMargin = {
    left: 62,
    top: 10,
    bottom: 44
};
const rightMargin = (width) => (width > 600 ? 104 : 12); // where there is room, curves' names stand beside their ends
const kRatio = 'times';                                  // the unit of a ratio
const numberText = (value, unit) =>
    (unit === kRatio ? `${value.toFixed(value < 10 ? 3 : 1)} times` : valueText(value, unit));

const placesOf =
    (curves) => [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)))].sort((a, b) => a - b);

/**
 * Where data values lie in the drawing; both scales logarithmic, with a little air around the values, more above them
 * where names of levels or of paths stand; x may be places. `besides`: values that are to be seen, too.
 */
function scalesOf(curves, width, height, inPlaces, besides = []) {
    const right = width - rightMargin(width), points = curves.flatMap((curve) => curve.points),
          [x0, x1] = extent(points.map((point) => point.x)),
          [y0, y1] = extent([...points.map((point) => point.y), ...besides]), marked = markedCurves(curves).length > 0,
          names = (marked ? 20 : 0) + 16, // of levels, and of paths above their curves, in pixels
        air = width > 600 ? (marked ? 1.3 : 1.15)
                          : (1.15 * (y1 / y0)) ** (names / (height - kMargin.bottom - kMargin.top - names));
    return {
        x: inPlaces ? placeScale(placesOf(curves), kMargin.left, right)
                    : logScale(x0, x1 > x0 ? x1 : x0 * 2, kMargin.left, right),
        y: logScale(y0 / 1.15, y1 * air, height - kMargin.bottom, kMargin.top),
    };
}

/** Where labels stand along x: powers of two, or as many of the places as there is room for. */
function ticksAlong(x, most) {
    if (!x.places) return powerTicks(x.low, x.high, 2, most);
    const step = Math.ceil(x.places.length / most);
    return x.places.filter((_, i) => i % step === 0);
}

function axes({x, y}, {width, height}, chart) {
    const bottom = height - kMargin.bottom, right = width - rightMargin(width),
          most = Math.max(3, Math.floor((width - kMargin.left) / 64));
    return [
        ticksAlong(x, most).map((tick) => [rule('grid', x(tick), kMargin.top, x(tick), bottom),
                                    label(Math.min(x(tick), width + 12 - (kLetter * chart.xText(tick).length) / 2),
                                        bottom + 16, 'middle', chart.xText(tick))]),
        valueTicks(y.low, y.high)
            .map((tick) => [rule('grid', kMargin.left, y(tick), right, y(tick)),
                     label(kMargin.left - 7, y(tick) + 4, 'end', tick.toLocaleString('en'))]),
        rule('axis', kMargin.left, bottom, right, bottom),
        label((kMargin.left + right) / 2, height - 8, 'middle', chart.along),
        label(-(kMargin.top + bottom) / 2, 13, 'middle', chart.unit === kRatio ? 'ratio' : chart.unit, 'text.soft',
            {transform: 'rotate(-90)'}),
    ];
}

/**
 * `under`: how many of the curves drawn after it lie on this one; it is drawn wider, so that it shows at both sides of
 * them.
 */
function curveGroup(curve, {x, y}, under) {
    const at = (point, value) => `${x(point.x).toFixed(1)},${y(clamped(value, y.low, y.high)).toFixed(1)}`;
    const colour = `s${curve.colour}`;
    const whole = curve.points.filter((point) => point.low > 0 && point.high > 0);
    const band =
        [...whole.map((point) => at(point, point.high)), ...whole.map((point) => at(point, point.low)).reverse()];
    const wider = under ? `.under${Math.min(under, 3)}` : '';
    return shape(
        'g',
        {'data-series': curve.name, 'data-points': curve.points.length, 'data-under': under || null},
        band.length && shape(`polygon.band.${colour}`, {points: band.join(' ')}),
        shape(`polyline.line.${colour}${wider}`, {
            points: curve.points.map((point) => at(point, point.y)).join(' '),
            'stroke-dasharray': curve.dash || null
        }),
        curve.points.map((point) => shape(`circle.dot.${colour}`,
                             {cx: x(point.x).toFixed(1), cy: y(point.y).toFixed(1), r: curve.large ? 4.5 : 2.1})),
    );
}

/** The curves' values nearest to `x`, nearest curve of the eye first. */
function readings(curves, x, inPlaces) {
    const distance = inPlaces ? (point) => (point.x === x ? 0 : Infinity) : (point) => Math.abs(Math.log2(point.x / x));
    const nearest = (points) => points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
    const found =
        curves.map((curve) => ({curve, point: nearest(curve.points)})).filter(({point}) => distance(point) < 0.75);
    return found.sort((a, b) => b.point.y - a.point.y);
}

/** A point in words: its median, the quartiles where they differ, and the same in the other unit where there is one. */
function pointText(point, unit) {
    const [low, high] = [point.low, point.high].map((value) => (Number.isFinite(value) ? numberText(value, unit) : '')),
                spread = low !== high ? ` (${low.replace(/ [^ ]*$/, '')} to ${high})` : '';
    return `${numberText(point.y, unit)}${spread}${point.also ? `, ${point.also}` : ''}`;
}

const kMostReadings = 14;
// A chart on paper, where four stand side by side; one of a whole hierarchy is higher.
const kPaper = {
    width: 206,
    height: 132
},
      kPaperHigh = {
          width: 206,
          height: 170
      };
const kShown = new Set(); // all charts of the page
let onPaper = false;

class Chart {
    /** By what the curves go, `along`: `inBytes`, or by `places` side by side, which may have `names`. */
    constructor(name, along, {inBytes, places, names, paper}) {
        this.name = name;
        this.paper = paper;
        this.along = along;
        this.places = places;
        this.xText = (x) => (names && names[x]) ||
                            (inBytes ? bytesText(x) : String(Number.isInteger(x) ? x : Number(x.toPrecision(6))));
        this.curves = [];
        this.unit = '';
        this.besides = {lines: [], published: []};
        this.at = null; // footprint under the crosshair
        this.plot = shape('svg.plot', {
            tabindex: 0,
            role: 'img',
            'aria-label': `${name} by ${along}. Arrow keys move along it.`,
            'data-chart': name
        });
        this.readout = element('div.readout', {'aria-live': 'polite', hidden: true});
        this.node = element('div.chart', this.plot, this.readout,
            toolsOf(name, this.plot, () => this.rows(), () => this.curves.slice(0, kMostReadings)));
        explorable(this.plot, {
            point: (share) => this.scales && this.move(this.scales.x.value(share * this.size.width)),
            count: () => (this.scales ? placesOf(this.curves).length : 0),
            at: () => (this.at === null ? -1 : placesOf(this.curves).findIndex((x) => x >= this.at * 0.999)),
            go: (i) => this.move(placesOf(this.curves)[i]),
            leave: () => this.move(null),
        });
        kShown.add(this);
        new ResizeObserver(() => this.draw()).observe(this.node);
    }

    /**
     * `lines`: {y, name} across the whole chart. `published`: marks beside the curves (core/report/overlay.h), each
     * with the `title` of its source.
     */
    show(curves, unit, besides = {}) {
        this.curves =
            curves.map((curve) => ({...curve, points: curve.points.filter((point) => this.places || point.x > 0)}))
                .filter((curve) => curve.points.length);
        this.unit = unit;
        this.besides = {lines: [], published: [], ...besides};
        this.draw();
    }

    /** What is shown, as a table. */
    rows() {
        const titles = ['series', this.along, this.unit, 'lower quartile', 'upper quartile', 'the same as'];
        return [
            titles,
            ...this.curves.flatMap((curve) => curve.points.map(
                                       (point) => [curve.name, point.x, point.y, point.low, point.high, point.also]))
        ];
    }

    draw() {
        const paper = onPaper && this.paper;
        if (!paper && !this.node.clientWidth) return;
        const onScreen = Math.max(300, this.node.clientWidth - 26),
              {width, height} = paper || {width: onScreen, height: Math.round(clamped(onScreen * 0.42, 270, 440))},
              {curves, besides} = this;
        this.plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
        this.size = {width, height};
        const extra = curves.length ? valuesBesides(curves, besides) : [];
        this.scales = curves.length ? scalesOf(curves, width, height, this.places, extra) : null;
        this.cross = rule('cross', 0, kMargin.top, 0, height - kMargin.bottom);
        const {scales, size} = this;
        const parts = () => {
            const under = this.unit === kRatio ? [] : coveredBy(curves, scales); // ratios of what is alike are all 1
            return [
                axes(scales, size, this), levelMarks(curves, scales, size, this.unit),
                valueLines(curves, besides.lines, scales, size),
                curves.map((curve, i) => curveGroup(curve, scales, under[i] || 0)),
                publishedMarks(curves, besides.published, scales, size, this.unit), pathNames(curves, scales, size),
                this.cross
            ];
        };
        this.plot.replaceChildren(
            ...present([scales ? parts() : label(width / 2, height / 2, 'middle', 'Nothing is selected.')]));
        spreadTexts(this.plot, height);
        this.move(this.at);
    }

    /** The crosshair to a footprint, or away. */
    move(x) {
        this.at = x;
        const found = x === null || !this.scales ? [] : readings(this.curves, x, this.places);
        this.readout.hidden = !found.length;
        if (!this.scales) return;
        this.cross.setAttribute('visibility', found.length ? 'visible' : 'hidden');
        if (!found.length) return;
        const px = this.scales.x(found[0].point.x), share = px / this.size.width,
              rows = found.map(({curve, point}) => element('span', swatch(curve.colour),
                                   `${pointText(point, this.unit)}  ${curve.label}`, element('br')));
        for (const end of ['x1', 'x2']) this.cross.setAttribute(end, px);
        const more = rows.splice(kMostReadings).length;
        this.readout.replaceChildren(
            ...present([element('b', this.xText(found[0].point.x)), rows, more && `and ${more} more`]));
        this.readout.style.left = share < 0.5 ? `calc(${(share * 100).toFixed(2)}% + 1.6rem)` : '';
        this.readout.style.right = share < 0.5 ? '' : `calc(${((1 - share) * 100).toFixed(2)}% + 1.2rem)`;
    }
}

/** Series of one value each: a bar from 0 on. */
class Bars {
    constructor(name) {
        this.paper = kPaper;
        this.plot = shape('svg.bars', {role: 'img', 'aria-label': name, 'data-bars': name});
        this.node = element('div.chart', this.plot, toolsOf(name, this.plot, () => this.rows()));
        kShown.add(this);
        new ResizeObserver(() => this.draw()).observe(this.node);
    }

    show(curves, unit) {
        this.unit = unit;
        this.values = curves.flatMap((curve) => curve.points.map((point) => ({curve, point})));
        this.draw();
    }

    rows() {
        return [
            ['series', this.unit, 'lower quartile', 'upper quartile', 'the same as'],
            ...this.values.map(({curve, point}) => [curve.name, point.y, point.low, point.high, point.also])
        ];
    }

    draw() {
        const paper = onPaper && this.paper;
        if (!paper && !this.node.clientWidth) return;
        const width = paper ? paper.width : Math.max(300, this.node.clientWidth - 26),
              most = Math.max(...this.values.map(({point}) => point.y)), high = paper ? 26 : 34;
        const cut = (text, letters) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
        const bar = ({curve, point}, i) => {
            const value = paper ? numberText(point.y, this.unit) : pointText(point, this.unit);
            return shape('g', {'data-series': curve.name}, shape('title', curve.label),
                label(0, i * high + 13, 'start', cut(curve.label, Math.max(8, width / 6.4 - value.length)), 'text'),
                label(width, i * high + 13, 'end', value, 'text.strong'),
                rectangle(`bar.s${curve.colour}`, 0, i * high + 18, ((width * point.y) / most).toFixed(1), high / 4));
        };
        this.plot.setAttribute('viewBox', `0 0 ${width} ${Math.max(1, this.values.length) * high}`);
        this.plot.replaceChildren(
            ...(this.values.length ? this.values.map(bar) : [label(width / 2, 20, 'middle', 'Nothing is selected.')]));
    }
}

/** Paper is narrower than a screen: charts are drawn again for it, so that their letters stay readable. */
for (const [event, printed] of [['beforeprint', true], ['afterprint', false]])
    addEventListener(event, () => {
        onPaper = printed;
        kShown.forEach((chart) => chart.draw());
    });
