'use strict';
// A grid of cells, stronger in colour by value: cores, chunks of memory, pairs of cores. Its cells are a few paths, one a shade, so that thousands of them
// are light; what the pointer or the arrow keys are on stands below.

const kShades = 12;

/** `cells`: {column, row, share: 0 (pale) to 1 (strong), text}; at most one for each place. `name`: for those who cannot see it. */
function cellGrid({ cells, columns, name, rest }) {
  const rows = Math.max(...cells.map((cell) => cell.row)) + 1,
    size = 10;
  const places = new Map(cells.map((cell) => [`${cell.column} ${cell.row}`, cell]));
  const shades = Array.from({ length: kShades }, () => []);
  for (const cell of cells) {
    const shade = Math.min(kShades - 1, Math.max(0, Math.floor(cell.share * kShades)));
    shades[shade].push(`M${cell.column * size + 0.5} ${cell.row * size + 0.5}h${size - 1}v${size - 1}h${1 - size}z`);
  }
  const cursor = shape('rect', { class: 'cursor', width: size, height: size, rx: 1, visibility: 'hidden' });
  const readout = element('p', { class: 'cellread', 'aria-live': 'polite' }, rest);
  const drawing = shape(
    'svg',
    { class: 'cells', viewBox: `0 0 ${columns * size} ${rows * size}`, tabindex: 0, role: 'img', 'aria-label': `${name}. Arrow keys move along it.`, 'data-cells': cells.length },
    shades.map((path, i) => path.length && shape('path', { class: 'cell', d: path.join(''), 'fill-opacity': (0.08 + (0.92 * i) / (kShades - 1)).toFixed(3) })).filter(Boolean),
    cursor,
  );
  let at = -1;
  const show = (index) => {
    at = index;
    const cell = cells[index];
    cursor.setAttribute('visibility', cell ? 'visible' : 'hidden');
    readout.textContent = cell ? cell.text : rest;
    if (!cell) return;
    cursor.setAttribute('x', cell.column * size);
    cursor.setAttribute('y', cell.row * size);
  };
  const point = (event) => {
    const box = drawing.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns),
      row = Math.floor(((event.clientY - box.top) / box.height) * rows);
    show(cells.indexOf(places.get(`${column} ${row}`)));
  };
  drawing.addEventListener('pointermove', point);
  drawing.addEventListener('pointerdown', point);
  drawing.addEventListener('pointerleave', () => show(-1));
  drawing.addEventListener('blur', () => show(-1));
  drawing.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === 'Escape') show(-1);
    if (step === undefined) return;
    event.preventDefault();
    show(Math.min(cells.length - 1, Math.max(0, at < 0 ? (step > 0 ? 0 : cells.length - 1) : at + step)));
  });
  return [drawing, readout];
}

/** The unit in which all of a series' points can be told, and their values in it. */
function valuesOf(series, points) {
  const inCycles = points.length && points.every((point) => point.cycles > 0);
  return { unit: inCycles ? 'cycles' : series.unit, values: points.map((point) => (inCycles ? point.cycles : point.median)) };
}

const soundPoints = (series) => series.line.points.filter((point) => Number.isFinite(point.median) && point.median > 0 && Number.isFinite(point.x));

const kAlike = 1.15; // values within this factor of each other stay pale: the program takes chunks of memory for alike within it (core/analysis/traffic.h)

/** How strong a colour: 1 for the largest value, unless all are alike. */
function shareOf(value, least, most) {
  const span = Math.max(most, least * kAlike) - least;
  return span > 0 ? (value - least) / span : 0;
}
