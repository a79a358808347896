'use strict';
// The memory map: nested boxes, width by capacity and height by latency, both on logarithmic scales that all APIs of a card share.

const kMap = { width: 420, height: 236, left: 8, right: 8, top: 4, bottom: 24, strip: 38 };

/** The series that shows the most of a device's memory: `global` where it was measured. */
function mapSeries(card, device) {
  const own = card.series.filter(
    (series) => series.device === device && series.family === 'memory' && !series.options && series.levels.length,
  );
  return own.find((series) => series.path === 'global') || own.sort((a, b) => b.levels.length - a.levels.length)[0];
}

/** Scratchpad and constant memory, which lie beside the others; the plain path of each, once, however many runs have it. */
function besideSeries(card, device) {
  const own = card.series.filter(
    (series) =>
      series.device === device &&
      ['scratchpad', 'constant'].includes(series.family) &&
      !series.options &&
      !series.path.includes('.') &&
      series.levels.length,
  );
  return own.filter((series, i) => own.findIndex((other) => other.path === series.path) === i);
}

const latencyIn = (level, unit) => (unit === 'cycles' ? level.cycles : level.ns);

const isMemory = (level) => level.name === 'DRAM';

/** Where a box ends: DRAM with the device's memory. */
function endOf(level, device) {
  return isMemory(level) && device.memory_bytes > level.last_inside ? device.memory_bytes : level.first_outside || level.last_inside;
}

function mapScales(card, devices) {
  const pairs = devices.flatMap((device) =>
    [mapSeries(card, device.id), ...besideSeries(card, device.id)].flatMap((series) => series.levels.map((level) => ({ level, device }))),
  );
  const unit = pairs.every(({ level }) => level.cycles !== null) ? 'cycles' : 'ns';
  const memory = devices.flatMap((device) => mapSeries(card, device.id).levels);
  const low = Math.min(...memory.map((level) => latencyIn(level, unit))) / 2,
    high = Math.max(...memory.map((level) => latencyIn(level, unit))) * 1.05;
  const small = Math.min(...pairs.map(({ level }) => level.last_inside)) / 4,
    large = Math.max(...pairs.map(({ level, device }) => endOf(level, device)));
  return {
    unit,
    small,
    large,
    x: (bytes) => kMap.left + (Math.log(bytes / small) / Math.log(large / small)) * (kMap.width - kMap.left - kMap.right),
    y: (value) => kMap.height - kMap.bottom - (Math.log(value / low) / Math.log(high / low)) * (kMap.height - kMap.top - kMap.bottom),
  };
}

/** One level; its label stands inside where there is room, else beside. */
function levelBox(level, device, scales, colour) {
  const bottom = kMap.height - kMap.bottom,
    top = scales.y(latencyIn(level, scales.unit)),
    right = scales.x(endOf(level, device));
  const sure = level.first_outside === null ? right : scales.x(level.last_inside);
  const size = isMemory(level) && device.memory_bytes ? bytesText(device.memory_bytes) : level.capacity;
  const label = sure - kMap.left > 102 ? { x: sure - 6, anchor: 'end' } : { x: right + 6, anchor: 'start' };
  return shape(
    'g',
    { 'data-level': level.name },
    (level.first_outside !== null && shape('rect', { class: `box unsure s${colour}`, x: kMap.left, y: top, width: right - kMap.left, height: bottom - top, rx: 3 })) ||
      null,
    shape('rect', { class: `box s${colour}`, x: kMap.left, y: top, width: Math.max(2, sure - kMap.left), height: bottom - top, rx: 3 }),
    shape(
      'text',
      { class: 'strong', x: label.x, y: top + 15, 'text-anchor': label.anchor },
      `${level.name}  ${valueText(latencyIn(level, scales.unit), scales.unit)}`,
    ),
    shape('text', { class: 'soft', x: label.x, y: top + 29, 'text-anchor': label.anchor }, size),
  );
}

function strip(series, device, scales, colour, top) {
  const nodes = [
    shape(
      'text',
      { class: 'soft', x: kMap.left, y: top + 10 },
      shape('tspan', { class: 'strong' }, series.path),
      `  ${series.levels.map((level) => `${valueText(latencyIn(level, scales.unit), scales.unit)} to ${level.capacity}`).join(', ')}`,
    ),
  ];
  for (const level of series.levels)
    nodes.push(shape('rect', { class: `box s${colour}`, x: kMap.left, y: top + 15, width: scales.x(level.first_outside || level.last_inside) - kMap.left, height: 12, rx: 2 }));
  return shape('g', { 'data-strip': series.path }, nodes);
}

function mapFigure(card, device, scales, colour) {
  const beside = besideSeries(card, device.id),
    height = kMap.height + beside.length * kMap.strip,
    series = mapSeries(card, device.id);
  const ticks = powerTicks(scales.small, scales.large, 32, 7).map((tick) => [
    shape('line', { class: 'grid', x1: scales.x(tick), x2: scales.x(tick), y1: kMap.top, y2: kMap.height - kMap.bottom }),
    shape('text', { class: 'soft', x: scales.x(tick), y: kMap.height - 8, 'text-anchor': 'middle' }, bytesText(tick)),
  ]);
  const levels = series.levels.slice().sort((a, b) => latencyIn(b, scales.unit) - latencyIn(a, scales.unit));
  const spoken = `${device.id}: ${levels.map((level) => `${level.name} ${latencyText(level)} to ${level.capacity}`).join('; ')}`;
  return element(
    'figure',
    {},
    element(
      'figcaption',
      {},
      element('span', { class: `swatch b${colour}` }),
      `${device.id} `,
      element('small', {}, `${series.path} · ${device.driver || ''}`),
    ),
    shape(
      'svg',
      { class: 'map', role: 'img', 'aria-label': spoken, viewBox: `0 0 ${kMap.width} ${height}`, 'data-device': device.id },
      ticks.flat(),
      shape('line', { class: 'axis', x1: kMap.left, x2: kMap.width - kMap.right, y1: kMap.height - kMap.bottom, y2: kMap.height - kMap.bottom }),
      levels.map((level) => levelBox(level, device, scales, colour)),
      beside.map((each, i) => strip(each, device, scales, colour, kMap.height + 4 + i * kMap.strip)),
    ),
  );
}

function drawMaps(page) {
  const target = body('maps');
  page.cards.forEach((card, index) => {
    const devices = card.devices.filter((device) => mapSeries(card, device.id));
    if (!devices.length) return;
    const scales = mapScales(card, devices);
    target.append(
      ...[cardHeading(page, index)].filter(Boolean),
      element(
        'div',
        { class: 'maps' },
        devices.map((device) => mapFigure(card, device, scales, page.colours.get(device.id))),
      ),
    );
  });
  if (!target.childNodes.length) document.getElementById('maps').hidden = true;
}
