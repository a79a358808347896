'use strict';
// One probe's chart, the controls that choose what it shows, and what was concluded.

/** What the places of an access pattern are called, where they have no number (core/probes/coalescing.cpp). */
const kPlaceNames = { order: ['in order', 'reversed', 'permuted', 'one address', 'at random'] };
const kCases = ['place', 'stride']; // axes on which 32 and 33 are unrelated
const kMostFound = 6; // conclusions of a probe that are shown unfolded

/** The points of a series as a chart takes them; in cycles the quartiles follow the median. */
function pointsOf(series, inCycles) {
  const points = [];
  for (const { x, median, low, high, cycles } of series.line ? series.line.points : []) {
    const scale = inCycles ? cycles / median : 1;
    if (x >= 0 && median * scale > 0 && Number.isFinite(x) && Number.isFinite(median * scale)) points.push({ x, y: median * scale, low: low * scale, high: high * scale });
  }
  return points;
}

const inCycles = (series) => Boolean(series.line && series.line.points.some((point) => point.cycles > 0));

/** Values of one property in the order of `series`, each once. */
const distinct = (series, value) => [...new Set(series.map(value))];

/** A row of checkboxes; `chosen` is a set that they keep. */
function checkboxes(title, values, chosen, change, labelOf = (value) => value, swatchOf = () => null) {
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    values.map((value) => {
      const box = element('input', { type: 'checkbox', value, 'data-group': title });
      box.checked = chosen.has(value);
      box.addEventListener('change', () => {
        if (box.checked) chosen.add(value);
        else chosen.delete(value);
        change();
      });
      return element('label', {}, box, swatchOf(value), labelOf(value));
    }),
  );
}

function radios(title, values, state, change) {
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    values.map((value) => {
      const button = element('input', { type: 'radio', name: title, value, 'data-group': title });
      button.checked = state.unit === value;
      button.addEventListener('change', () => {
        state.unit = value;
        change();
      });
      return element('label', {}, button, value);
    }),
  );
}

function overlayCurves(page, probe, unit, chosen) {
  return page.published
    .filter((each) => each.probe === probe && each.unit === unit && chosen.has(each.title))
    .map((each) => ({
      name: `published ${each.title}`,
      label: each.title,
      colour: 7,
      overlay: true,
      points: each.points.filter(([x, y]) => x > 0 && y > 0).map(([x, y]) => ({ x, y })),
    }));
}

/** An option's value of a series, "" where it has none. */
const optionOf = (series, name) => (series.line && series.line.options && name in series.line.options ? String(series.line.options[name]) : '');

/** Options whose values belong side by side; of the others one is shown at first: none, the widest loads, else the first one measured. */
const kSideBySide = ['direction', 'operation', 'test', 'layout', 'scope'];
function firstValues(name, values) {
  if (kSideBySide.includes(name)) return values;
  if (values.includes('')) return [''];
  return [name === 'width' ? values.reduce((most, value) => (Number(value) > Number(most) ? value : most)) : values[0]];
}

/** What a reader chooses among: `of` tells a series' value, `first` which values are chosen at the start, `useful` whether to ask at all. */
const kChoices = [
  { title: 'Card', of: (series) => series.card, first: (values) => values.slice(0, 1) },
  {
    title: 'API',
    of: (series) => series.api,
    useful: (series) => distinct(series, (each) => each.api).length < distinct(series, (each) => each.device).length,
  },
  { title: 'Device', of: (series) => series.device },
  {
    title: 'Path',
    of: (series) => series.path,
    first: (values) => values.filter((path, i) => (values.includes('global') ? path === 'global' : i === 0) || path === 'scratchpad'),
  },
  { title: 'Run', of: (series) => series.file, useful: (series) => distinct(series, (each) => `${each.card} ${each.id}`).length < series.length },
];

/** Those, and one for each option that the series have. */
function choicesOf(measured) {
  const names = [...new Set(measured.flatMap((series) => Object.keys((series.line && series.line.options) || {})))];
  const options = names.map((name) => ({
    title: name,
    of: (series) => optionOf(series, name),
    first: (values) => firstValues(name, values),
    label: (value) => value || 'none',
  }));
  return [...kChoices.slice(0, 4), ...options, ...kChoices.slice(4)];
}

/** The series of a probe that have points here, each with the names of its card and file. */
function seriesOfProbe(page, probe) {
  return page.cards.flatMap((card, index) =>
    card.series
      .filter((series) => series.probe === probe && series.line && series.points > 0)
      .map((series) => ({ ...series, index, card: page.names[index], file: page.runs[series.run].file })),
  );
}

/** What the choices leave, as a chart takes it: a colour for each device, dashes for each path. */
function chosenCurves(page, measured, choices, state) {
  const shown = measured.filter((series) => choices.every((choice) => state.chosen.get(choice.title).has(choice.of(series))));
  const differing = choices.slice(4).filter((choice) => choice.title !== 'Run' && distinct(shown, choice.of).length > 1);
  const kind = (series) => [series.path, ...differing.map((choice) => choice.of(series) && `${choice.title}=${choice.of(series)}`)].filter(Boolean).join(' '),
    kinds = distinct(shown, kind);
  const several = (value) => distinct(shown, value).length > 1;
  const manyCards = several((series) => series.card),
    manyPaths = several((series) => series.path),
    manyRuns = several((series) => series.file);
  return shown.map((series) => ({
    name: `${series.card} ${series.id}`,
    path: manyPaths || !differing.length ? kind(series) : kind(series).replace(`${series.path} `, ''),
    label: [manyCards && series.card, series.device, kind(series), manyRuns && series.file].filter(Boolean).join(' '),
    colour: page.colours.get(manyCards ? `${series.card} ${series.device}` : series.device),
    dash: kDashes[kinds.indexOf(kind(series)) % kDashes.length],
    points: pointsOf(series, state.unit === 'cycles'),
    levels: series.levels,
  }));
}

/** A chart on the axis that the series have, or bars where they have a value each. */
function chartOf(page, title, measured) {
  const points = measured.map((series) => pointsOf(series, false));
  if (points.every((each) => each.length <= 1)) return new Bars(title);
  const { x_name: name, x_unit: unit } = measured[0];
  const places = kCases.includes(name) || points.some((each) => each.some((point) => point.x <= 0)); // nothing is twice as far as 0
  const names = kPlaceNames[optionOf(measured[0], 'pattern')];
  const along = { place: optionOf(measured[0], 'pattern') || 'place' }[name] || name || 'footprint';
  return new Chart(title, along, { inBytes: unit === 'bytes', places, names });
}

/** What was concluded from the series, each in its own words; or why nothing was. */
function foundList(series) {
  const why = (each) => (each.status !== 'ok' && each.reason ? [`${each.device} ${each.path}: ${each.status}: ${each.reason}`] : []);
  const texts = [...new Set(series.flatMap((each) => [...(each.found || []).map((finding) => finding.text), ...why(each)]))];
  if (!texts.length) return [];
  const list = element(
    'ul',
    { class: 'foundlist' },
    texts.map((text) => element('li', {}, text)),
  );
  return texts.length <= kMostFound ? list : element('details', { class: 'facts' }, element('summary', {}, `${texts.length} conclusions`), list);
}

/** One heading's chart with its controls, of series that have one axis. */
function drawChart(page, target, title, probe, measured) {
  const withCycles = measured[0].unit === 'ns' && measured.some(inCycles);
  const published = [...new Set(page.published.filter((each) => each.probe === probe).map((each) => each.title))];
  const state = { unit: withCycles ? 'cycles' : measured[0].unit, published: new Set(published), chosen: new Map() };
  const chart = chartOf(page, title, measured),
    choices = choicesOf(measured);
  const change = () => chart.show([...chosenCurves(page, measured, choices, state), ...overlayCurves(page, probe, state.unit, state.published)], state.unit);
  const swatch = (device) => element('span', { class: `swatch b${page.colours.get(device)}` });
  let left = measured; // by the choices so far: the first values are of what they leave, so that something is shown
  const controls = choices.map((choice) => {
    const values = distinct(measured, choice.of),
      useful = values.length > 1 && (!choice.useful || choice.useful(measured));
    const chosen = new Set(useful && choice.first ? choice.first(distinct(left, choice.of)) : values);
    state.chosen.set(choice.title, chosen);
    left = left.filter((series) => chosen.has(choice.of(series)));
    return useful ? checkboxes(choice.title, values, chosen, change, choice.label, choice.title === 'Device' ? swatch : undefined) : null;
  });
  if (published.length) controls.push(checkboxes('Published', published, state.published, change));
  if (withCycles) controls.push(radios(`Unit of ${title}`, ['cycles', 'ns'], state, change));
  target.append(
    element(
      'div',
      { class: isWide(page, probe) ? 'probe' : 'probe minor' },
      probeHeading(page, probe, title),
      element('div', { class: 'controls', 'data-controls': title }, controls),
      chart.node,
      foundList(measured),
    ),
  );
  change();
}

/** Series whose axes mean the same: all of a probe, but by pattern where the probe has such. */
function axesOf(measured) {
  const groups = new Map();
  for (const series of measured) {
    const pattern = optionOf(series, 'pattern');
    groups.set(pattern, [...(groups.get(pattern) || []), series]);
  }
  return groups;
}

/** Staircases are as wide as the page; the others two in a row. */
const isWide = (page, probe) => page.probes[probe].axis === 'footprint';

function drawProbes(page) {
  const target = body('curves'),
    grid = element('div', { class: 'probes' }),
    probes = probesDrawnAs(page, 'curve', 'bars', 'core_pairs', 'facts');
  for (const probe of [...probes].sort((a, b) => isWide(page, b) - isWide(page, a))) {
    const measured = seriesOfProbe(page, probe).filter((series) => !betweenCores(page, series));
    if (!measured.length) continue;
    if (page.probes[probe].chart === 'facts' && measured.some((series) => series.found && series.found.length))
      grid.append(element('div', { class: 'probe minor' }, probeHeading(page, probe, probe), foundList(measured)));
    else
      for (const [pattern, series] of axesOf(measured)) drawChart(page, isWide(page, probe) ? target : grid, pattern ? `${probe} ${pattern}` : probe, probe, series);
  }
  target.append(grid);
  if (!target.querySelector('.probe')) document.getElementById('curves').hidden = true;
}
