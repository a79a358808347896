'use strict';
// A grid of cells, stronger in colour by value: cores, chunks of memory, pairs of cores. Its cells are a few paths, one
// a shade, so that thousands of them are light; what the pointer or the arrow keys are on stands below.

const kShades = 12;
const kWide = 64; // columns of a grid that takes twice the width

/**
 * Where a grid's cells lie in its drawing, in units of which a cell is ten wide; letters have room to be as large as
 * they can be read on paper, in a figure of some 230 pixels, a wide one of 460.
 */
function gridSpace(rows, columns, {rowText, columnText, scale}) {
    const size = 10, letter = (columns > kWide ? 0.25 : 0.45) * columns + 0.6;
    const left = rowText
                     ? letter * (0.6 * Math.max(...Array.from({length: rows}, (_, row) => rowText(row).length)) + 0.5)
                     : 0,
          foot = (columnText ? letter * 1.4 : 0) + (scale ? letter * 2 : 0);
    return {size, letter, left, width: left + columns * size, height: rows * size + foot, bottom: rows * size};
}

/**
 * Numbers of the rows, and of the columns, as many as there is room for; and below what the palest and the strongest
 * shade stand for.
 */
function gridScale(rows, columns, {rowText, columnText, scale}, {size, letter, left, width, height, bottom}) {
    const text = (x, y, anchor, words) => {
        const node = label(x, y, anchor, words);
        node.style.setProperty('--letter', letter);
        return node;
    };
    const each = (count, step) => Array.from({length: Math.ceil(count / step)}, (_, i) => i * step),
          shade = letter * 0.8;
    return [
        rowText &&
            each(rows, Math.ceil((letter * 1.2) / size))
                .map((row) => text(left - letter * 0.4, row * size + size / 2 + letter * 0.35, 'end', rowText(row))),
        columnText && each(columns, Math.ceil((letter * 2.2) / size))
                          .map((column) => text(left + column * size + size / 2, bottom + letter * 1.1, 'middle',
                                   columnText(column))),
        scale &&
            [
                Array.from({length: kShades}, (_, i) => rectangle('cell', width / 2 + (i - kShades / 2) * shade,
                                                  height - letter, shade, shade, {'fill-opacity': opacityOf(i)})),
                text(width / 2 - (kShades / 2) * shade - letter * 0.4, height - letter * 0.2, 'end', scale[0]),
                text(width / 2 + (kShades / 2) * shade + letter * 0.4, height - letter * 0.2, 'start', scale[1]),
            ],
    ];
}

const opacityOf = (shade) => (0.08 + (0.92 * shade) / (kShades - 1)).toFixed(3);

/**
 * `cells`: {column, row, share: 0 (pale) to 1 (strong), what, value, said: the value in words}; at most one for each
 * place. `name`: for those who cannot see it. `title`: of its downloads. `rowText` and `columnText`: what stands beside
 * a row and below a column; `scale`: what the palest and the strongest shade mean; each may be missing.
 */
function cellGrid({cells, columns, name, rest, title, ...marked}) {
    const rows = Math.max(...cells.map((cell) => cell.row)) + 1, space = gridSpace(rows, columns, marked),
          {size, left} = space, places = new Map(cells.map((cell, i) => [`${cell.column} ${cell.row}`, i])),
          shades = Array.from({length: kShades}, () => '');
    for (const cell of cells)
        shades[clamped(Math.floor(cell.share * kShades), 0, kShades - 1)] +=
            `M${left + cell.column * size + 0.5} ${cell.row * size + 0.5}h${size - 1}v${size - 1}h${1 - size}z`;
    const cursor = rectangle('cursor', 0, 0, size, size, {rx: 1, visibility: 'hidden'});
    const readout = element('p.cellread', {'aria-live': 'polite'}, rest);
    const drawing = shape(
        'svg.cells',
        {
            viewBox: `0 0 ${space.width} ${space.height}`,
            tabindex: 0,
            role: 'img',
            'aria-label': `${name}. Arrow keys move along it.`,
            'data-cells': cells.length
        },
        shades.map((d, i) => d && shape('path.cell', {d, 'fill-opacity': opacityOf(i)})),
        gridScale(rows, columns, marked, space),
        cursor,
    );
    let at = -1;
    const go = (index) => {
        const cell = cells[(at = index)];
        cursor.setAttribute('visibility', cell ? 'visible' : 'hidden');
        readout.textContent = cell ? `${cell.what}: ${cell.said}` : rest;
        if (!cell) return;
        cursor.setAttribute('x', left + cell.column * size);
        cursor.setAttribute('y', cell.row * size);
    };
    const point = (x, y) =>
        go(places.get(`${Math.floor((x * space.width - left) / size)} ${Math.floor((y * space.height) / size)}`) ?? -1);
    explorable(drawing, {point, count: () => cells.length, at: () => at, go, leave: () => go(-1), columns});
    const listed = () => [['cell', 'value', 'in words'], ...cells.map((cell) => [cell.what, cell.value, cell.said])];
    return [drawing, readout, toolsOf(title, drawing, listed)];
}

/** The unit in which all of a series' points can be told, and their values in it. */
function valuesOf(series, points) {
    const inCycles = points.length && points.every((point) => point.cycles > 0);
    return {
        unit: inCycles ? cyclesOf(series) : series.unit,
        values: points.map((point) => (inCycles ? point.cycles : point.median))
    };
}

const soundPoints = (series) =>
    series.line.points.filter((point) => Number.isFinite(point.median) && point.median > 0 && Number.isFinite(point.x));
const rangeText = (values, unit) => extent(values).map((value) => valueText(value, unit)).join(' to ');

const kAlike = 1.15; // values within this factor of each other stay pale: the program takes chunks of memory for alike
                     // within it (core/analysis/traffic.h)

/** How strong a colour: 1 for the largest value, unless all are alike. */
function shareOf(value, least, most) {
    const span = Math.max(most, least * kAlike) - least;
    return span > 0 ? (value - least) / span : 0;
}
