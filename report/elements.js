'use strict';
// Elements, the parts that sections share, and numbers as text. What comes from a file becomes text nodes and attribute
// values only, never markup.

const present = (parts) => parts.flat(Infinity).filter(Boolean);

/**
 * `kind`: a name and classes, "div.probe.minor". `parts`: attributes, where there are any, then children; what is null
 * or false is left out.
 */
function make(space, kind, parts) {
    const [name, ...classes] = kind.split('.'), node = document.createElementNS(`http://www.w3.org/${space}`, name),
                 attributes = parts[0] && parts[0].constructor === Object ? parts.shift() : {};
    if (classes.length) node.setAttribute('class', classes.join(' '));
    for (const [key, value] of Object.entries(attributes))
        if (value !== null && value !== undefined && value !== false)
            node.setAttribute(key, value === true ? '' : value);
    for (const child of present(parts)) node.append(child);
    return node;
}

const element = (kind, ...parts) => make('1999/xhtml', kind, parts);
const shape = (kind, ...parts) => make('2000/svg', kind, parts);
const body = (section) => document.querySelector(`#${section} .body`);

const swatch = (colour) => element(`span.swatch.b${colour}`);
const listOf = (kind, texts) => element(kind, [...texts].map((text) => element('li', text)));

/** Rows under titles, scrolled sideways where they are too wide. */
function tableOf(name, titles, rows) {
    const heads = titles.map((title) => element('th', {scope: 'col'}, title));
    return element('div.scroll', {tabindex: 0, role: 'region', 'aria-label': name},
        element('table', element('thead', element('tr', heads)), element('tbody', rows)));
}

/** What opens. A function as `inside` is called when it does so first: there may be hundreds. */
function folded(kind, summary, inside) {
    const later = typeof inside === 'function',
          node = element(`details.${kind}`, element('summary', summary), !later && inside);
    if (later)
        node.addEventListener(
            'toggle', () => node.open && node.childNodes.length === 1 && node.append(...present([inside()])));
    return node;
}

/** Lists of what has the same `key`, by it. */
function groupedBy(all, key) {
    const groups = new Map();
    for (const each of all) groups.set(key(each), [...(groups.get(key(each)) || []), each]);
    return groups;
}

function bytesText(bytes) {
    if (!Number.isFinite(bytes)) return '-';
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    for (; bytes >= 1000 && unit + 1 < units.length; ++unit) bytes /= 1024;
    return `${Number(bytes.toPrecision(3))} ${units[unit]}`;
}

function valueText(value, unit) {
    const steps = /^G.*\/s$/.test(unit)
                      ? [...'GTP'].findIndex((_, step, all) => value < 999.5 * 1000 ** step || step + 1 === all.length)
                      : 0;
    if (steps) return `${(value / 1000 ** steps).toPrecision(3)} ${'GTP'[steps]}${unit.slice(1)}`;
    if (value >= 999.5) return `${Number(value.toPrecision(4))} ${unit}`;
    return `${
        value >= 100             ? value.toPrecision(3)
        : value < 1 && value > 0 ? value.toPrecision(2)
                                 : value.toFixed(1)} ${unit}`;
}

/** What cycles of a series are called: those that no kernel counted bear a star. */
const cyclesOf = (series) => (series.derived ? 'cycles*' : 'cycles');

/** In cycles where a kernel counted them; derived ones bear a star. */
function latencyText({cycles, derived, ns}) {
    if (cycles !== null) return valueText(cycles, 'cycles');
    return derived ? valueText(derived, 'cycles*') : valueText(ns, 'ns');
}

/** Whence the derived cycles of such series are. */
const notesOf = (measured) => [...new Set(measured.map(({derived}) => derived && derived.note).filter(Boolean))].map(
    (note) => element('p.note', note));

/** What `make` gives of each card that is shown, and of their equals below each other on a click. */
function ofCards(page, make) {
    const made = (shown) => page.cards.map((card, index) => (card.shown === shown ? present([make(card, index)]) : []))
                                .filter((parts) => parts.length),
          equals = made(false);
    return [
        ...made(true), equals.length > 0 && folded('facts', `equal cards: ${equals.length}`, element('div', equals))
    ];
}

/**
 * What `draw` makes of each card, into a section; with the card's name and id where there are several cards or `named`
 * asks for it.
 */
function drawCards(page, section, draw, named) {
    const ofCard = (card, index) => {
        const parts = present([draw(card, index)]), name = page.names[index],
              heading = (named || page.cards.length > 1) && element('h3', name, element('span.id', card.id));
        if (!parts.length) return [];
        return card.shown ? [heading, parts] : folded('facts', name, element('div', parts));
    };
    body(section).append(...present(ofCards(page, ofCard)));
}

/** The probes that the page's data want drawn in one of these ways, in the order of the runs. */
const probesDrawnAs = (page, ...charts) =>
    Object.keys(page.probes).filter((probe) => charts.includes(page.probes[probe].chart));

/** The path of a series, where its probe has several: the only one tells no series from another. */
const pathOf = (page, series) => (page.probes[series.probe].one_path ? '' : series.path);

/** A probe's title and question; behind the title, where the data have it, how it is measured. */
function probeHeading(page, probe, title) {
    const {question, explanation} = page.probes[probe], heading = element('h3', title),
                     summary =
                         element('summary', {title: `How ${title} is measured`}, heading, element('span.help', '?'));
    return [
        explanation ? element('details.explain', summary, element('p.note', explanation)) : heading,
        question && element('p.note', question)
    ];
}
