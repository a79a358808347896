'use strict';
// Elements and numbers as text. What comes from a file becomes text nodes and attribute values only, never markup.

const kSvg = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const element = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const shape = (name, attributes, ...children) => fill(document.createElementNS(kSvg, name), attributes, children);
const body = (section) => document.querySelector(`#${section} .body`);

function bytesText(bytes) {
  if (!Number.isFinite(bytes)) return '-';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1000 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${Number(bytes.toPrecision(3))} ${units[unit]}`;
}

function valueText(value, unit) {
  if (unit === 'GB/s' && value >= 1000) return `${(value / 1000).toPrecision(3)} TB/s`;
  return `${value < 100 ? value.toFixed(1) : value.toPrecision(value < 1000 ? 3 : 4)} ${unit}`;
}

function latencyText(level) {
  return level.cycles !== null ? valueText(level.cycles, 'cycles') : valueText(level.ns, 'ns');
}

/** "h3" with a card's name and id; nothing to tell apart where there is one card and `always` is not asked for. */
function cardHeading(page, index, always) {
  if (page.cards.length < 2 && !always) return null;
  return element('h3', {}, page.names[index], element('span', { class: 'id' }, page.cards[index].id));
}

/** The probes that the page's data want drawn in one of these ways, in the order of the runs. */
const probesDrawnAs = (page, ...charts) => Object.keys(page.probes).filter((probe) => charts.includes(page.probes[probe].chart));

/** A probe's title and question; behind the title, where the data have it, how it is measured. */
function probeHeading(page, probe, title) {
  const { question, explanation } = page.probes[probe],
    heading = element('h3', {}, title);
  return [
    explanation
      ? element(
          'details',
          { class: 'explain' },
          element('summary', { title: `How ${title} is measured` }, heading, element('span', { class: 'help' }, '?')),
          element('p', { class: 'note' }, explanation),
        )
      : heading,
    question ? element('p', { class: 'note' }, question) : null,
  ];
}
