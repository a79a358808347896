'use strict';
// Each chart as a file, SVG, PNG or CSV, and as a place that a link leads to.

/** What a file or an anchor may be called, whatever stood in a results file. */
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'chart';

const kAnchors = new Map(); // how many drawings wanted each name

/** An id that no other drawing of the page has. */
function anchorOf(name) {
  const plain = slug(name),
    before = kAnchors.get(plain) || 0;
  kAnchors.set(plain, before + 1);
  return before ? `chart-${plain}-${before + 1}` : `chart-${plain}`;
}

/** Rows of values as RFC 4180 has them. A text that a spreadsheet would take for a formula is led by an apostrophe. */
function csvOf(rows) {
  const cell = (value) => {
    if (value === null || value === undefined) return '';
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

const kDrawn = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin', 'paint-order', 'font-family', 'font-size', 'font-weight', 'visibility'];

/** A drawing as it is seen, with what the page's style gives it written into its elements, on the ground of the page. */
function standalone(drawing) {
  const copy = drawing.cloneNode(true),
    [x, y, width, height] = drawing.getAttribute('viewBox').split(' ').map(Number),
    originals = [drawing, ...drawing.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of kDrawn) node.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'tabindex', 'style']) node.removeAttribute(name);
  });
  const scale = Math.max(1, 900 / width); // grids are drawn in small units
  for (const [name, value] of Object.entries({ width: width * scale, height: height * scale })) copy.setAttribute(name, value);
  copy.prepend(shape('rect', { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  return { text: new XMLSerializer().serializeToString(copy), width: width * scale, height: height * scale };
}

function save(name, blob) {
  const url = URL.createObjectURL(blob);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const svgBlob = (drawing) => new Blob([standalone(drawing).text], { type: 'image/svg+xml' });

/** Twice as many pixels as the drawing has units: sharp where it is shown in its own size. */
async function pngBlob(drawing) {
  const { width, height } = standalone(drawing),
    canvas = element('canvas', { width: width * 2, height: height * 2 }),
    picture = new Image(),
    url = URL.createObjectURL(svgBlob(drawing));
  try {
    picture.src = url;
    await picture.decode();
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The drawing's downloads and the link to itself. `rows()`: its values, a row of titles first. */
function toolsOf(name, drawing, rows) {
  const id = anchorOf(name),
    kinds = { SVG: () => svgBlob(drawing), PNG: () => pngBlob(drawing), CSV: () => new Blob([csvOf(rows())], { type: 'text/csv' }) };
  const button = ([kind, blob]) => {
    const node = element('button', { type: 'button', 'data-save': kind, 'aria-label': `${name} as ${kind}` }, kind);
    node.addEventListener('click', async () => save(`${slug(name)}.${kind.toLowerCase()}`, await blob()));
    return node;
  };
  return element('div.tools', { id }, Object.entries(kinds).map(button), element('a', { href: `#${id}`, 'aria-label': `Link to ${name}` }, 'link'));
}
