'use strict';
// The results files that the page carries: base64, gzip, and numbers in columns (core/report/pack.h tells the layout).

function bytesOfBase64(text) {
  const binary = atob(text);
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The numbers of one column as the texts that they were. */
function numbersOfColumn(lines) {
  const lag = Number(lines[1]),
    ending = lines[2],
    before = [0, 0],
    numbers = [];
  let floatMilliseconds = false;
  for (let i = 3; i < lines.length; ++i) {
    let entry = lines[i];
    if (entry[0] === "'") {
      numbers.push(entry.slice(1));
      continue;
    }
    if (entry[0] === '~') {
      floatMilliseconds = !floatMilliseconds;
      entry = entry.slice(1);
    }
    const at = (i - 3) % lag;
    before[at] += Number(entry);
    numbers.push(floatMilliseconds ? String(Math.fround(before[at] / 1e6) * 1e6) : String(before[at]) + ending);
  }
  return numbers;
}

function textOfColumns(columns) {
  const parts = columns.split('\x02'),
    numbers = new Map();
  for (const part of parts.slice(1)) {
    const lines = part.split('\n');
    numbers.set(lines[0], { texts: numbersOfColumn(lines), next: 0 });
  }
  return parts[0].replace(/"([a-z_]+)":\x01/g, (_, key) => {
    const column = numbers.get(key);
    return `"${key}":${column.texts[column.next++]}`;
  });
}

/** The bytes of one results file, as it was on the disk. `element`: its <script class="raw">. */
async function bytesOfRaw(element) {
  const bytes = await gunzip(bytesOfBase64(element.textContent));
  if (element.dataset.columns !== 'true') return bytes;
  return new TextEncoder().encode(textOfColumns(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)));
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
