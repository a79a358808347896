'use strict';
// Curves on logarithmic axes, drawn as SVG: they take the page's colours, print sharply, and a reader's eye or a test can count their points.

const kDashes = ['', '7 4', '2 3', '10 3 2 3', '4 2', '12 5', '1 4', '8 2 2 2 2 2'];
const kMargin = { left: 62, top: 10, bottom: 44 };
const rightMargin = (width) => (width > 600 ? 104 : 12); // where there is room, curves' names stand beside their ends

/** Ticks of a logarithmic axis: powers of `base`, thinned to at most `most`. */
function powerTicks(low, high, base, most) {
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9),
    last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most)),
    ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(base ** power);
  return ticks;
}

/** 1, 2, 5 of each decade, or fewer where there are many; even steps where there are hardly any. */
function valueTicks(low, high) {
  const ticks = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); ++decade)
    for (const digit of [1, 2, 5]) {
      const tick = digit * 10 ** decade;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  if (ticks.length > 2) return ticks.length > 10 ? ticks.filter((tick) => /^1/.test(tick.toExponential())) : ticks;
  const rough = (high - low) / 4,
    decade = 10 ** Math.floor(Math.log10(rough)),
    step = decade * ([1, 2, 5].find((digit) => digit * decade >= rough) || 10);
  return Array.from({ length: Math.max(0, Math.floor(high / step) - Math.ceil(low / step) + 1) }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(6)));
}

/** Places side by side, each as wide as the others. */
function placeScale(curves, width) {
  const places = [...new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)))].sort((a, b) => a - b),
    order = new Map(places.map((place, i) => [place, i])),
    wide = (width - rightMargin(width) - kMargin.left) / places.length;
  return {
    places,
    x: (value) => kMargin.left + (order.get(value) + 0.5) * wide,
    value: (px) => places[Math.min(places.length - 1, Math.max(0, Math.floor((px - kMargin.left) / wide)))],
  };
}

/** Where data values lie in the drawing; both scales logarithmic, with a little air around the values; x may be places. */
function scalesOf(curves, width, height, inPlaces) {
  let [x0, x1, y0, y1] = [Infinity, 0, Infinity, 0];
  for (const curve of curves)
    for (const point of curve.points) {
      ((x0 = Math.min(x0, point.x)), (x1 = Math.max(x1, point.x)));
      ((y0 = Math.min(y0, point.y)), (y1 = Math.max(y1, point.y)));
    }
  ((y0 /= 1.15), (y1 *= 1.15));
  if (x1 <= x0) x1 = x0 * 2;
  const along = (value, low, high, from, to) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  return {
    places: null,
    x0,
    x1,
    y0,
    y1,
    wide: width > 600,
    x: (value) => along(value, x0, x1, kMargin.left, width - rightMargin(width)),
    y: (value) => along(value, y0, y1, height - kMargin.bottom, kMargin.top),
    value: (px) => Math.min(x1, Math.max(x0, x0 * Math.exp(((px - kMargin.left) / (width - rightMargin(width) - kMargin.left)) * Math.log(x1 / x0)))),
    ...(inPlaces ? placeScale(curves, width) : {}),
  };
}

/** Where labels stand along x: powers of two, or as many of the places as there is room for. */
function ticksAlong(scales, most) {
  if (!scales.places) return powerTicks(scales.x0, scales.x1, 2, most);
  const step = Math.ceil(scales.places.length / most);
  return scales.places.filter((_, i) => i % step === 0);
}

function axes(scales, width, height, chart) {
  const nodes = [],
    bottom = height - kMargin.bottom;
  const labels = Math.max(3, Math.floor((width - kMargin.left) / 64));
  for (const tick of ticksAlong(scales, labels)) {
    nodes.push(shape('line', { class: 'grid', x1: scales.x(tick), x2: scales.x(tick), y1: kMargin.top, y2: bottom }));
    nodes.push(shape('text', { class: 'soft', x: scales.x(tick), y: bottom + 16, 'text-anchor': 'middle' }, chart.xText(tick)));
  }
  for (const tick of valueTicks(scales.y0, scales.y1)) {
    nodes.push(shape('line', { class: 'grid', x1: kMargin.left, x2: width - rightMargin(width), y1: scales.y(tick), y2: scales.y(tick) }));
    nodes.push(shape('text', { class: 'soft', x: kMargin.left - 7, y: scales.y(tick) + 4, 'text-anchor': 'end' }, tick.toLocaleString('en')));
  }
  nodes.push(shape('line', { class: 'axis', x1: kMargin.left, x2: width - rightMargin(width), y1: bottom, y2: bottom }));
  nodes.push(shape('text', { class: 'soft', x: (kMargin.left + width) / 2, y: height - 8, 'text-anchor': 'middle' }, chart.along));
  nodes.push(shape('text', { class: 'soft', x: -(kMargin.top + bottom) / 2, y: 13, transform: 'rotate(-90)', 'text-anchor': 'middle' }, chart.unit));
  return nodes;
}

function curveGroup(curve, scales) {
  const at = (point, value) => `${scales.x(point.x).toFixed(1)},${scales.y(value).toFixed(1)}`;
  const colour = curve.overlay ? 'overlay' : `s${curve.colour}`;
  const whole = curve.points.filter((point) => point.low > 0 && point.high > 0);
  const band = whole
    .map((point) => at(point, point.high))
    .concat(
      whole
        .slice()
        .reverse()
        .map((point) => at(point, point.low)),
    );
  return shape(
    'g',
    { 'data-series': curve.name, 'data-points': curve.points.length },
    band.length && shape('polygon', { class: `band ${colour}`, points: band.join(' ') }),
    shape('polyline', { class: `line ${colour}`, points: curve.points.map((point) => at(point, point.y)).join(' '), 'stroke-dasharray': curve.dash || null }),
    curve.points.map((point) => shape('circle', { class: `dot ${colour}`, cx: scales.x(point.x).toFixed(1), cy: scales.y(point.y).toFixed(1), r: 2.1 })),
  );
}

const kMostEdges = 4; // curves whose levels are marked: more hide each other

/** Where levels end, from the last footprint inside to the first outside; the names of the first curve's levels stand above. */
function levelMarks(curves, scales, height) {
  const marked = curves.filter((curve) => curve.levels && curve.levels.length > 1);
  if (!marked.length || marked.length > kMostEdges || scales.places) return [];
  const within = (bytes) => scales.x(Math.min(scales.x1, Math.max(scales.x0, bytes)));
  const edge = (curve, { last_inside: from, first_outside: to }) =>
    to && shape('rect', { class: `edge s${curve.colour}`, x: within(from), width: Math.max(2, within(to) - within(from)), y: kMargin.top, height: height - kMargin.bottom - kMargin.top });
  const name = ({ name, last_inside: end }, i, levels) => {
    const from = within(i ? levels[i - 1].first_outside || scales.x0 : scales.x0);
    return shape('text', { class: 'soft halo', x: (from + within(end)) / 2, y: kMargin.top + 12, 'text-anchor': 'middle' }, name);
  };
  return [...marked.flatMap((curve) => curve.levels.map((level) => edge(curve, level))), ...marked[0].levels.map(name)].filter(Boolean);
}

/** One name for each path at the end of its longest curve, so that dashes need no key; none on top of another. */
function pathNames(curves, scales) {
  const ends = new Map(),
    placed = [];
  for (const curve of curves) {
    const last = curve.points[curve.points.length - 1];
    if (curve.path && (!ends.has(curve.path) || last.x > ends.get(curve.path).x)) ends.set(curve.path, last);
  }
  for (const [path, last] of [...ends].sort((a, b) => b[1].y - a[1].y)) {
    const spot = { x: scales.x(last.x) + (scales.wide ? 6 : 0), y: scales.y(last.y) + (scales.wide ? 4 : -8) };
    while (placed.some((other) => Math.abs(other.x - spot.x) < 110 && Math.abs(other.y - spot.y) < 13)) spot.y += 13;
    placed.push({ ...spot, path });
  }
  return placed.map(({ x, y, path }) => shape('text', { class: 'soft halo', x, y, 'text-anchor': scales.wide ? 'start' : 'end' }, path));
}

/** The curves' values nearest to `x`, nearest curve of the eye first. */
function readings(curves, x, inPlaces) {
  const found = [],
    distance = inPlaces ? (point) => (point.x === x ? 0 : Infinity) : (point) => Math.abs(Math.log2(point.x / x));
  for (const curve of curves) {
    let nearest = null;
    for (const point of curve.points) if (!nearest || distance(point) < distance(nearest)) nearest = point;
    if (nearest && distance(nearest) < 0.75) found.push({ curve, point: nearest });
  }
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
    this.plot = shape('svg', { class: 'plot', tabindex: 0, role: 'img', 'aria-label': `${name} by ${along}. Arrow keys move along it.`, 'data-chart': name });
    this.readout = element('div', { class: 'readout', 'aria-live': 'polite', hidden: true });
    this.node = element('div', { class: 'chart' }, this.plot, this.readout);
    this.plot.addEventListener('pointermove', (event) => this.point(event));
    this.plot.addEventListener('pointerdown', (event) => this.point(event));
    this.plot.addEventListener('pointerleave', () => this.move(null));
    this.plot.addEventListener('blur', () => this.move(null));
    this.plot.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  show(curves, unit) {
    this.curves = curves.map((curve) => ({ ...curve, points: this.places ? curve.points : curve.points.filter((point) => point.x > 0) })).filter((curve) => curve.points.length);
    this.unit = unit;
    this.draw();
  }

  draw() {
    const width = Math.max(300, this.node.clientWidth - 26),
      height = Math.round(Math.min(520, Math.max(300, width * 0.48)));
    if (!this.node.clientWidth) return;
    this.plot.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.size = { width, height };
    if (!this.curves.length) {
      this.scales = null;
      this.plot.replaceChildren(shape('text', { class: 'soft', x: width / 2, y: height / 2, 'text-anchor': 'middle' }, 'Nothing is selected.'));
      return;
    }
    this.scales = scalesOf(this.curves, width, height, this.places);
    this.cross = shape('line', { class: 'cross', y1: kMargin.top, y2: height - kMargin.bottom, visibility: 'hidden' });
    this.plot.replaceChildren(
      ...axes(this.scales, width, height, this),
      ...levelMarks(this.curves, this.scales, height),
      ...this.curves.map((curve) => curveGroup(curve, this.scales)),
      ...pathNames(this.curves, this.scales),
      this.cross,
    );
    this.move(this.at);
  }

  point(event) {
    if (!this.scales) return;
    const box = this.plot.getBoundingClientRect();
    this.move(this.scales.value(((event.clientX - box.left) / box.width) * this.size.width));
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === 'Escape') this.move(null);
    if (step === undefined || !this.scales) return;
    event.preventDefault();
    const sizes = this.scales.places || [...new Set(this.curves.flatMap((curve) => curve.points.map((point) => point.x)))].sort((a, b) => a - b);
    const here = this.at === null ? -1 : sizes.findIndex((size) => size >= this.at * 0.999);
    this.move(sizes[Math.min(sizes.length - 1, Math.max(0, (here < 0 ? (step > 0 ? -1 : sizes.length) : here) + step))]);
  }

  /** The crosshair to a footprint, or away. */
  move(x) {
    this.at = x;
    const found = x === null || !this.scales ? [] : readings(this.curves, x, this.places);
    this.readout.hidden = !found.length;
    if (!this.scales || !this.cross) return;
    this.cross.setAttribute('visibility', found.length ? 'visible' : 'hidden');
    if (!found.length) return;
    const px = this.scales.x(found[0].point.x);
    this.cross.setAttribute('x1', px);
    this.cross.setAttribute('x2', px);
    const rows = found
      .slice(0, kMostReadings)
      .map(({ curve, point }) =>
        element('span', {}, element('span', { class: `swatch b${curve.colour}` }), `${valueText(point.y, this.unit)}  ${curve.label}`, element('br')),
      );
    if (found.length > kMostReadings) rows.push(`and ${found.length - kMostReadings} more`);
    this.readout.replaceChildren(element('b', {}, this.xText(found[0].point.x)), ...rows);
    const share = px / this.size.width;
    this.readout.style.left = share < 0.5 ? `calc(${(share * 100).toFixed(2)}% + 1.6rem)` : '';
    this.readout.style.right = share < 0.5 ? '' : `calc(${((1 - share) * 100).toFixed(2)}% + 1.2rem)`;
  }
}
