'use strict';
// Each chart as a file, SVG, PNG or CSV, and as a place that a link leads to.

/** What a file or an anchor may be called, whatever stood in a results file. */
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'chart';

const kAnchors = new Map(); // how many drawings wanted each name

/** An id that no other drawing of the page has. */
function anchorOf(name) {
    const plain = slug(name), before = kAnchors.get(plain) || 0;
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

const kDrawn = [
    'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin',
    'paint-order', 'font-family', 'font-size', 'font-weight', 'visibility'
];

/**
 * What a drawing needs where the page is not around it: its title and the card above, `entries` {colour, dash, label}
 * below. Returns the space above and below, in its units.
 */
function addCaption(drawing, title, entries) {
    const [, , width, height] = drawing.getAttribute('viewBox').split(' ').map(Number), letter = width / 75,
                      caption = shape('g');
    const line = (x, y, text, kind) => {
        const node = label(x, y, 'start', text, kind);
        node.style.fontSize = `${letter}px`;
        return node;
    };
    caption.append(line(0, -letter, title, 'text.strong'));
    entries.forEach(({colour, dash, label: text}, i) => {
        const y = height + letter * (1.6 * i + 1.6);
        caption.append(
            shape(`line.line.s${colour}`,
                {x1: 0, y1: y - letter / 3, x2: letter * 2.6, y2: y - letter / 3, 'stroke-dasharray': dash || null}),
            line(letter * 3.2, y, text, 'text'));
    });
    drawing.append(caption);
    return {caption, above: letter * 2.4, below: letter * 1.6 * (entries.length + 0.4)};
}

/**
 * A drawing as it is seen, with its caption, what the page's style gives it written into its elements, on the ground
 * of the page.
 */
function standalone(drawing, title = '', entries = []) {
    const {caption, above, below} = addCaption(drawing, title, entries), copy = drawing.cloneNode(true),
                           originals = [drawing, ...drawing.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
        const style = getComputedStyle(originals[i]);
        for (const name of kDrawn) node.setAttribute(name, style.getPropertyValue(name));
        for (const name of ['class', 'tabindex', 'style']) node.removeAttribute(name);
    });
    caption.remove();
    const [x, y, inner, high] = drawing.getAttribute('viewBox').split(' ').map(Number), pad = inner / 60, box = {
        x: x - pad,
        y: y - above - pad,
        width: inner + 2 * pad,
        height: high + above + below + 2 * pad
    },
                        scale = Math.max(1, 900 / box.width), // grids are drawn in small units
        size = {width: box.width * scale, height: box.height * scale};
    for (const [name, value] of Object.entries({...size, viewBox: Object.values(box).join(' ')}))
        copy.setAttribute(name, value);
    copy.prepend(shape('rect', {...box, fill: getComputedStyle(document.body).backgroundColor}));
    return {text: new XMLSerializer().serializeToString(copy), ...size};
}

function save(name, blob) {
    const url = URL.createObjectURL(blob);
    element('a', {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const svgBlob = ({text}) => new Blob([text], {type: 'image/svg+xml'});

/** Twice as many pixels as the drawing has units: sharp where it is shown in its own size. */
async function pngBlob(alone) {
    const canvas = element('canvas', {width: Math.round(alone.width * 2), height: Math.round(alone.height * 2)}),
          picture = new Image(), url = URL.createObjectURL(svgBlob(alone));
    try {
        picture.src = url;
        await picture.decode();
        canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
        return await new Promise((done) => canvas.toBlob(done, 'image/png'));
    } finally {
        URL.revokeObjectURL(url);
    }
}

/**
 * The drawing's downloads and the link to itself. `rows()`: its values, a row of titles first. `legend()`: entries of
 * its caption (addCaption).
 */
function toolsOf(name, drawing, rows, legend = () => []) {
    const id = anchorOf(name),
          alone = () => standalone(drawing, `${name} · ${document.querySelector('h1').textContent}`, legend()),
          kinds = {
              SVG: () => svgBlob(alone()),
              PNG: () => pngBlob(alone()),
              CSV: () => new Blob([csvOf(rows())], {type: 'text/csv'})
          };
    const button = ([kind, blob]) => {
        const node = element('button', {type: 'button', 'data-save': kind, 'aria-label': `${name} as ${kind}`}, kind);
        node.addEventListener('click', async () => save(`${slug(name)}.${kind.toLowerCase()}`, await blob()));
        return node;
    };
    return element('div.tools', {id}, Object.entries(kinds).map(button),
        element('a', {href: `#${id}`, 'aria-label': `Link to ${name}`}, 'link'));
}
