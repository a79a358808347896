'use strict';
// A grid of cells, stronger in colour by value: cores, chunks of memory, pairs of cores. Its cells are a few paths, one a shade, so that thousands of them
// are light; what the pointer or the arrow keys are on stands below.

const kShades = 12;

/** `cells`: {column, row, share: 0 (pale) to 1 (strong), text}; at most one for each place. `name`: for those who cannot see it. */
function cellGrid({ cells, columns, name, rest }) {
  const rows = Math.max(...cells.map((cell) => cell.row)) + 1,
    size = 10,
    places = new Map(cells.map((cell, i) => [`${cell.column} ${cell.row}`, i])),
    shades = Array.from({ length: kShades }, () => '');
  for (const cell of cells)
    shades[clamped(Math.floor(cell.share * kShades), 0, kShades - 1)] += `M${cell.column * size + 0.5} ${cell.row * size + 0.5}h${size - 1}v${size - 1}h${1 - size}z`;
  const cursor = rectangle('cursor', 0, 0, size, size, { rx: 1, visibility: 'hidden' });
  const readout = element('p.cellread', { 'aria-live': 'polite' }, rest);
  const drawing = shape(
    'svg.cells',
    { viewBox: `0 0 ${columns * size} ${rows * size}`, tabindex: 0, role: 'img', 'aria-label': `${name}. Arrow keys move along it.`, 'data-cells': cells.length },
    shades.map((d, i) => d && shape('path.cell', { d, 'fill-opacity': (0.08 + (0.92 * i) / (kShades - 1)).toFixed(3) })),
    cursor,
  );
  let at = -1;
  const go = (index) => {
    const cell = cells[(at = index)];
    cursor.setAttribute('visibility', cell ? 'visible' : 'hidden');
    readout.textContent = cell ? cell.text : rest;
    for (const [axis, place] of cell ? Object.entries({ x: cell.column, y: cell.row }) : []) cursor.setAttribute(axis, place * size);
  };
  const point = (x, y) => go(places.get(`${Math.floor(x * columns)} ${Math.floor(y * rows)}`) ?? -1);
  explorable(drawing, { point, count: () => cells.length, at: () => at, go, leave: () => go(-1), columns });
  return [drawing, readout];
}

/** The unit in which all of a series' points can be told, and their values in it. */
function valuesOf(series, points) {
  const inCycles = points.length && points.every((point) => point.cycles > 0);
  return { unit: inCycles ? 'cycles' : series.unit, values: points.map((point) => (inCycles ? point.cycles : point.median)) };
}

const soundPoints = (series) => series.line.points.filter((point) => Number.isFinite(point.median) && point.median > 0 && Number.isFinite(point.x));
const rangeText = (values, unit) => extent(values).map((value) => valueText(value, unit)).join(' to ');

const kAlike = 1.15; // values within this factor of each other stay pale: the program takes chunks of memory for alike within it (core/analysis/traffic.h)

/** How strong a colour: 1 for the largest value, unless all are alike. */
function shareOf(value, least, most) {
  const span = Math.max(most, least * kAlike) - least;
  return span > 0 ? (value - least) / span : 0;
}
