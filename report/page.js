'use strict';
// Reads the data and draws every section.

/** The bytes of one results file, as it was on the disk. `element`: its <script class="raw">, gzip in base64 (core/report/pack.h). */
async function bytesOfRaw(element) {
  const packed = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The series and findings of a results file; lines that are none are left out, as the program that made this page did. */
function linesOfText(text) {
  const series = [],
    findings = [];
  for (const line of text.split('\n')) {
    let object = null;
    try {
      object = JSON.parse(line);
    } catch {
      continue;
    }
    if (object && object.type === 'series' && Array.isArray(object.points)) series.push(object);
    if (object && object.type === 'finding' && object.kind !== 'level' && typeof object.text === 'string') findings.push(object);
  }
  return { series, findings };
}

/** Each series finds its line in its file: same identity, same number of points, not yet taken; and what was concluded from it. */
function joinLines(page, run, { series: lines, findings }) {
  const optionsOf = (line) =>
    Object.keys(line.options || {})
      .sort()
      .map((name) => `${name}=${line.options[name]}`);
  const identity = (line) => [line.probe, line.device, line.path, ...optionsOf(line)].join(' ');
  const free = new Map(),
    found = new Map();
  for (const line of lines) free.set(identity(line), [...(free.get(identity(line)) || []), line]);
  for (const line of findings) found.set(identity(line), [...(found.get(identity(line)) || []), line]);
  for (const card of page.cards)
    for (const series of card.series) {
      if (series.run !== run) continue;
      const candidates = free.get(series.id) || [],
        at = candidates.findIndex((line) => line.points.length === series.points);
      if (at >= 0) series.line = candidates.splice(at, 1)[0];
      series.found = (found.get(series.id) || []).filter((line) => !series.line || line.card === series.line.card);
    }
}

/** A colour for each device, and where several cards are shown, one for each device of each. */
function coloursOf(page) {
  const colours = new Map();
  for (const device of page.cards.flatMap((card) => card.devices.map((each) => each.id))) if (!colours.has(device)) colours.set(device, colours.size % 8);
  let next = 0;
  page.cards.forEach((card, index) => card.devices.forEach((device) => colours.set(`${page.names[index]} ${device.id}`, next++ % 8)));
  return colours;
}

function complain(text) {
  const problem = document.getElementById('problem');
  problem.textContent = text;
  problem.hidden = false;
}

async function start() {
  const page = JSON.parse(document.getElementById('data').textContent);
  page.names = page.cards.map((card) => card.label);
  page.colours = coloursOf(page);
  page.raw = [...document.querySelectorAll('script.raw')];
  page.bytes = [];
  for (const draw of [drawMaps, drawMatrix, drawEnvironment, drawDownloads]) draw(page);
  if (typeof DecompressionStream === 'undefined') {
    complain('This browser has no DecompressionStream, which unpacks the measured points: curves are missing, everything else is here.');
  } else {
    for (let run = 0; run < page.raw.length; ++run) {
      page.bytes[run] = await bytesOfRaw(page.raw[run]);
      joinLines(page, run, linesOfText(new TextDecoder().decode(page.bytes[run])));
    }
    drawSegments(page);
    drawCores(page);
    drawProbes(page);
  }
  for (const link of document.querySelectorAll('nav a')) link.hidden = document.querySelector(link.getAttribute('href')).hidden;
  drawEvidence(page);
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => {
  complain(`This page could not be drawn whole: ${error.message}`);
  throw error;
});
