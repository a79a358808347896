'use strict';
// The memory map: nested boxes, width by capacity and height by latency, both on logarithmic scales that all APIs of a card share.

const kMap = { width: 420, height: 236, left: 8, right: 8, top: 4, bottom: 212, strip: 38 }; // `top` to `bottom`: the boxes

/** Plain series of a device that have levels, of these families. */
const levelSeries = (card, device, ...families) =>
  card.series.filter((series) => series.device === device.id && families.includes(series.family) && !series.options && series.levels.length);

/** The series that shows the most of a device's memory: `global` where it was measured. */
function mapSeries(card, device) {
  const own = levelSeries(card, device, 'memory');
  return own.find((series) => series.path === 'global') || own.sort((a, b) => b.levels.length - a.levels.length)[0];
}

/** Scratchpad and constant memory, which lie beside the others; the plain path of each, once, however many runs have it. */
function besideSeries(card, device) {
  const own = levelSeries(card, device, 'scratchpad', 'constant').filter((series) => !series.path.includes('.'));
  return own.filter((series, i) => own.findIndex((other) => other.path === series.path) === i);
}

const isMemory = (level) => level.name === 'DRAM';

/** Where a box ends: DRAM with the device's memory. */
function endOf(level, device) {
  return isMemory(level) && device.memory_bytes > level.last_inside ? device.memory_bytes : level.first_outside || level.last_inside;
}

/** The scales of a card's maps, and the unit of their latencies. */
function mapScales(card, devices) {
  const memory = devices.flatMap((device) => mapSeries(card, device).levels.map((level) => ({ level, device }))),
    all = [...memory, ...devices.flatMap((device) => besideSeries(card, device).flatMap((series) => series.levels.map((level) => ({ level, device }))))],
    unit = all.every(({ level }) => level.cycles !== null) ? 'cycles' : 'ns',
    latency = (level) => level[unit],
    [low, high] = extent(memory.map(({ level }) => latency(level)));
  return {
    latency,
    text: (level) => valueText(latency(level), unit),
    x: logScale(Math.min(...all.map(({ level }) => level.last_inside)) / 4, Math.max(...all.map(({ level, device }) => endOf(level, device))), kMap.left, kMap.width - kMap.right),
    y: logScale(low / 2, high * 1.05, kMap.bottom, kMap.top),
  };
}

/** One level; its label stands inside where there is room, else beside. */
function levelBox(level, device, scales, colour) {
  const top = scales.y(scales.latency(level)),
    right = scales.x(endOf(level, device)),
    sure = level.first_outside === null ? right : scales.x(level.last_inside),
    [x, anchor] = sure - kMap.left > 102 ? [sure - 6, 'end'] : [right + 6, 'start'];
  const box = (kind, width) => rectangle(`box.${kind}`, kMap.left, top, width, kMap.bottom - top, { rx: 3 });
  return shape(
    'g',
    { 'data-level': level.name },
    level.first_outside !== null && box(`unsure.s${colour}`, right - kMap.left),
    box(`s${colour}`, Math.max(2, sure - kMap.left)),
    label(x, top + 15, anchor, `${level.name}  ${scales.text(level)}`, 'text.strong'),
    label(x, top + 29, anchor, isMemory(level) && device.memory_bytes ? bytesText(device.memory_bytes) : level.capacity),
  );
}

function strip(series, scales, colour, top) {
  const levels = series.levels.map((level) => `${scales.text(level)} to ${level.capacity}`).join(', ');
  return shape(
    'g',
    { 'data-strip': series.path },
    shape('text.soft', { x: kMap.left, y: top + 10 }, shape('tspan.strong', series.path), `  ${levels}`),
    series.levels.map((level) => rectangle(`box.s${colour}`, kMap.left, top + 15, scales.x(level.first_outside || level.last_inside) - kMap.left, 12, { rx: 2 })),
  );
}

function mapFigure(card, device, scales, colour) {
  const beside = besideSeries(card, device),
    series = mapSeries(card, device),
    levels = series.levels.slice().sort((a, b) => scales.latency(b) - scales.latency(a)),
    spoken = `${device.id}: ${levels.map((level) => `${level.name} ${latencyText(level)} to ${level.capacity}`).join('; ')}`,
    ticks = powerTicks(scales.x.low, scales.x.high, 32, 7).map((tick) => [tick, scales.x(tick)]);
  return element(
    'figure',
    element('figcaption', swatch(colour), `${device.id} `, element('small', `${series.path} · ${device.driver || ''}`)),
    shape(
      'svg.map',
      { role: 'img', 'aria-label': spoken, viewBox: `0 0 ${kMap.width} ${kMap.height + beside.length * kMap.strip}`, 'data-device': device.id },
      ticks.map(([tick, x]) => [rule('grid', x, kMap.top, x, kMap.bottom), label(x, kMap.height - 8, 'middle', bytesText(tick))]),
      rule('axis', kMap.left, kMap.bottom, kMap.width - kMap.right, kMap.bottom),
      levels.map((level) => levelBox(level, device, scales, colour)),
      beside.map((each, i) => strip(each, scales, colour, kMap.height + 4 + i * kMap.strip)),
    ),
  );
}

function drawMaps(page) {
  drawCards(page, 'maps', (card) => {
    const devices = card.devices.filter((device) => mapSeries(card, device));
    if (!devices.length) return null;
    const scales = mapScales(card, devices);
    return element('div.maps', devices.map((device) => mapFigure(card, device, scales, page.colours.get(device.id))));
  });
}
