'use strict';
// Curves on logarithmic axes, drawn as SVG: they take the page's colours, print sharply, and a reader's eye or a test can count their points. Bars for single values.

const kDashes = ['', '7 4', '2 3', '10 3 2 3', '4 2', '12 5', '1 4', '8 2 2 2 2 2'];
const kMargin = { left: 62, top: 10, bottom: 44 };
const rightMargin = (width) => (width > 600 ? 104 : 12); // where there is room, curves' names stand beside their ends

const placesOf = (curves) => [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)))].sort((a, b) => a - b);

/** Where data values lie in the drawing; both scales logarithmic, with a little air around the values; x may be places. */
function scalesOf(curves, width, height, inPlaces) {
  const right = width - rightMargin(width),
    points = curves.flatMap((curve) => curve.points),
    [x0, x1] = extent(points.map((point) => point.x)),
    [y0, y1] = extent(points.map((point) => point.y));
  return {
    x: inPlaces ? placeScale(placesOf(curves), kMargin.left, right) : logScale(x0, x1 > x0 ? x1 : x0 * 2, kMargin.left, right),
    y: logScale(y0 / 1.15, y1 * 1.15, height - kMargin.bottom, kMargin.top),
  };
}

/** Where labels stand along x: powers of two, or as many of the places as there is room for. */
function ticksAlong(x, most) {
  if (!x.places) return powerTicks(x.low, x.high, 2, most);
  const step = Math.ceil(x.places.length / most);
  return x.places.filter((_, i) => i % step === 0);
}

function axes({ x, y }, { width, height }, chart) {
  const bottom = height - kMargin.bottom,
    right = width - rightMargin(width),
    most = Math.max(3, Math.floor((width - kMargin.left) / 64));
  return [
    ticksAlong(x, most).map((tick) => [rule('grid', x(tick), kMargin.top, x(tick), bottom), label(x(tick), bottom + 16, 'middle', chart.xText(tick))]),
    valueTicks(y.low, y.high).map((tick) => [rule('grid', kMargin.left, y(tick), right, y(tick)), label(kMargin.left - 7, y(tick) + 4, 'end', tick.toLocaleString('en'))]),
    rule('axis', kMargin.left, bottom, right, bottom),
    label((kMargin.left + width) / 2, height - 8, 'middle', chart.along),
    label(-(kMargin.top + bottom) / 2, 13, 'middle', chart.unit, 'text.soft', { transform: 'rotate(-90)' }),
  ];
}

function curveGroup(curve, { x, y }) {
  const at = (point, value) => `${x(point.x).toFixed(1)},${y(value).toFixed(1)}`;
  const colour = curve.overlay ? 'overlay' : `s${curve.colour}`;
  const whole = curve.points.filter((point) => point.low > 0 && point.high > 0);
  const band = [...whole.map((point) => at(point, point.high)), ...whole.map((point) => at(point, point.low)).reverse()];
  return shape(
    'g',
    { 'data-series': curve.name, 'data-points': curve.points.length },
    band.length && shape(`polygon.band.${colour}`, { points: band.join(' ') }),
    shape(`polyline.line.${colour}`, { points: curve.points.map((point) => at(point, point.y)).join(' '), 'stroke-dasharray': curve.dash || null }),
    curve.points.map((point) => shape(`circle.dot.${colour}`, { cx: x(point.x).toFixed(1), cy: y(point.y).toFixed(1), r: 2.1 })),
  );
}

const kMostEdges = 4; // curves whose levels are marked: more hide each other

/** Where levels end, from the last footprint inside to the first outside; the names of the first curve's levels stand above. */
function levelMarks(curves, { x }, { height }) {
  const marked = curves.filter((curve) => curve.levels && curve.levels.length > 1);
  if (!marked.length || marked.length > kMostEdges || x.places) return [];
  const within = (bytes) => x(clamped(bytes, x.low, x.high));
  const edge = (curve, { last_inside: from, first_outside: to }) =>
    to && rectangle(`edge.s${curve.colour}`, within(from), kMargin.top, Math.max(2, within(to) - within(from)), height - kMargin.bottom - kMargin.top);
  const name = (level, i, levels) => {
    const from = (i && levels[i - 1].first_outside) || x.low;
    return label((within(from) + within(level.last_inside)) / 2, kMargin.top + 12, 'middle', level.name, 'text.soft.halo');
  };
  return [marked.map((curve) => curve.levels.map((level) => edge(curve, level))), marked[0].levels.map(name)];
}

/** One name for each path at the end of its longest curve, so that dashes need no key; none on top of another. */
function pathNames(curves, { x, y }, { width }) {
  const ends = new Map(),
    placed = [],
    [right, below, anchor] = width > 600 ? [6, 4, 'start'] : [0, -8, 'end'];
  for (const curve of curves) {
    const last = curve.points[curve.points.length - 1];
    if (curve.path && (!ends.has(curve.path) || last.x > ends.get(curve.path).x)) ends.set(curve.path, last);
  }
  for (const [path, last] of [...ends].sort((a, b) => b[1].y - a[1].y)) {
    const spot = { path, x: x(last.x) + right, y: y(last.y) + below };
    while (placed.some((other) => Math.abs(other.x - spot.x) < 110 && Math.abs(other.y - spot.y) < 13)) spot.y += 13;
    placed.push(spot);
  }
  return placed.map((spot) => label(spot.x, spot.y, anchor, spot.path, 'text.soft.halo'));
}

/** The curves' values nearest to `x`, nearest curve of the eye first. */
function readings(curves, x, inPlaces) {
  const distance = inPlaces ? (point) => (point.x === x ? 0 : Infinity) : (point) => Math.abs(Math.log2(point.x / x));
  const nearest = (points) => points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
  const found = curves.map((curve) => ({ curve, point: nearest(curve.points) })).filter(({ point }) => distance(point) < 0.75);
  return found.sort((a, b) => b.point.y - a.point.y);
}

const kMostReadings = 14;

class Chart {
  /** By what the curves go, `along`: `inBytes`, or by `places` side by side, which may have `names`. */
  constructor(name, along, { inBytes, places, names }) {
    this.along = along;
    this.places = places;
    this.xText = (x) => (names && names[x]) || (inBytes ? bytesText(x) : String(Number(x.toPrecision(6))));
    this.curves = [];
    this.unit = '';
    this.at = null; // footprint under the crosshair
    this.plot = shape('svg.plot', { tabindex: 0, role: 'img', 'aria-label': `${name} by ${along}. Arrow keys move along it.`, 'data-chart': name });
    this.readout = element('div.readout', { 'aria-live': 'polite', hidden: true });
    this.node = element('div.chart', this.plot, this.readout);
    explorable(this.plot, {
      point: (share) => this.scales && this.move(this.scales.x.value(share * this.size.width)),
      count: () => (this.scales ? placesOf(this.curves).length : 0),
      at: () => (this.at === null ? -1 : placesOf(this.curves).findIndex((x) => x >= this.at * 0.999)),
      go: (i) => this.move(placesOf(this.curves)[i]),
      leave: () => this.move(null),
    });
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  show(curves, unit) {
    this.curves = curves.map((curve) => ({ ...curve, points: curve.points.filter((point) => this.places || point.x > 0) })).filter((curve) => curve.points.length);
    this.unit = unit;
    this.draw();
  }

  draw() {
    const width = Math.max(300, this.node.clientWidth - 26),
      height = Math.round(clamped(width * 0.48, 300, 520));
    if (!this.node.clientWidth) return;
    this.plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.size = { width, height };
    this.scales = this.curves.length ? scalesOf(this.curves, width, height, this.places) : null;
    this.cross = rule('cross', 0, kMargin.top, 0, height - kMargin.bottom);
    const { curves, scales, size } = this;
    const parts = scales
      ? [axes(scales, size, this), levelMarks(curves, scales, size), curves.map((curve) => curveGroup(curve, scales)), pathNames(curves, scales, size), this.cross]
      : label(width / 2, height / 2, 'middle', 'Nothing is selected.');
    this.plot.replaceChildren(...present([parts]));
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
    const px = this.scales.x(found[0].point.x),
      share = px / this.size.width,
      rows = found.map(({ curve, point }) => element('span', swatch(curve.colour), `${valueText(point.y, this.unit)}  ${curve.label}`, element('br')));
    for (const end of ['x1', 'x2']) this.cross.setAttribute(end, px);
    const more = rows.splice(kMostReadings).length;
    this.readout.replaceChildren(...present([element('b', this.xText(found[0].point.x)), rows, more && `and ${more} more`]));
    this.readout.style.left = share < 0.5 ? `calc(${(share * 100).toFixed(2)}% + 1.6rem)` : '';
    this.readout.style.right = share < 0.5 ? '' : `calc(${((1 - share) * 100).toFixed(2)}% + 1.2rem)`;
  }
}

/** Series of one value each: a bar from 0 on. */
class Bars {
  constructor(name) {
    this.list = element('ul.bars', { 'data-bars': name, 'aria-label': name });
    this.node = element('div.chart', this.list);
  }

  show(curves, unit) {
    const rows = curves.flatMap((curve) => curve.points.map(({ y }) => ({ curve, y }))),
      most = Math.max(...rows.map(({ y }) => y));
    const bar = ({ curve, y }) =>
      shape('svg.bar', { viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, shape(`rect.s${curve.colour}`, { width: ((100 * y) / most).toFixed(2), height: 6 }));
    const item = (row) => element('li', { 'data-series': row.curve.name }, element('span', row.curve.label), element('b', valueText(row.y, unit)), bar(row));
    this.list.replaceChildren(...(rows.length ? rows.map(item) : ['Nothing is selected.']));
  }
}
