'use strict';
// One probe's chart, the controls that choose what it shows, and what was concluded.

/** What the places of an access pattern are called, where they have no number (core/probes/coalescing.cpp). */
const kPlaceNames = { order: ['in order', 'reversed', 'permuted', 'one address', 'at random'] };
const kCases = ['place', 'stride']; // axes on which 32 and 33 are unrelated
const kMostFound = 6; // conclusions of a probe that are shown unfolded

/** The points of a series as a chart takes them; in cycles the quartiles follow the median. */
function pointsOf(series, inCycles) {
  const scaled = ({ x, median, low, high, cycles }) => {
    const scale = inCycles ? cycles / median : 1;
    return { x, y: median * scale, low: low * scale, high: high * scale };
  };
  return (series.line ? series.line.points : []).map(scaled).filter(({ x, y }) => x >= 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y));
}

const inCycles = (series) => Boolean(series.line && series.line.points.some((point) => point.cycles > 0));

/** Values of one property in the order of `series`, each once. */
const distinct = (series, value) => [...new Set(series.map(value))];

const evidenceOf = (series) => (series.line && series.line.evidence) || {};

/** An option's value of a series, "" where it has none. */
const optionOf = (series, name) => (series.line && series.line.options && name in series.line.options ? String(series.line.options[name]) : '');

/** A row of checkboxes or radios for the values that the set `chosen` may hold. */
function boxes(type, title, values, chosen, change, { label = (value) => value, mark = () => null } = {}) {
  const box = (value) => {
    const input = element('input', { type, name: type === 'radio' && title, value, 'data-group': title });
    input.checked = chosen.has(value);
    input.addEventListener('change', () => {
      if (type === 'radio') chosen.clear();
      if (input.checked) chosen.add(value);
      else chosen.delete(value);
      change();
    });
    return element('label', input, mark(value), label(value));
  };
  return element('fieldset', element('legend', title), values.map(box));
}

function overlayCurves(page, probe, unit, chosen) {
  return page.published
    .filter((each) => each.probe === probe && each.unit === unit && chosen.has(each.title))
    .map(({ title, points }) => ({
      name: `published ${title}`,
      label: title,
      colour: 7,
      overlay: true,
      points: points.filter(([x, y]) => x > 0 && y > 0).map(([x, y]) => ({ x, y })),
    }));
}

/** Options whose values belong side by side; of the others one is shown at first: none, the widest loads, else the first one measured. */
const kSideBySide = ['direction', 'operation', 'test', 'layout', 'scope'];
function firstValues(name, values) {
  if (kSideBySide.includes(name)) return values;
  if (values.includes('')) return [''];
  return [name === 'width' ? values.reduce((most, value) => (Number(value) > Number(most) ? value : most)) : values[0]];
}

/** What a reader chooses among: `of` tells a series' value, `first` which values are chosen at the start, `useful` whether to ask at all; one for each option besides. */
function choicesOf(measured) {
  const names = new Set(measured.flatMap((series) => Object.keys((series.line && series.line.options) || {})));
  const first = (values) => values.filter((path, i) => (values.includes('global') ? path === 'global' : i === 0) || path === 'scratchpad');
  const fewer = (some, all) => distinct(measured, some).length < distinct(measured, all).length;
  return [
    { title: 'Card', of: (series) => series.card, first: (values) => values.slice(0, 1) },
    { title: 'API', of: (series) => series.api, useful: fewer((series) => series.api, (series) => series.device) },
    { title: 'Device', of: (series) => series.device },
    { title: 'Path', of: (series) => series.path, first },
    ...[...names].map((title) => ({ title, option: true, of: (series) => optionOf(series, title), first: (values) => firstValues(title, values), label: (value) => value || 'none' })),
    { title: 'Run', of: (series) => series.file, useful: fewer((series) => `${series.card} ${series.id}`, (series) => series) },
  ];
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
function chosenCurves(page, measured, choices, chosen, unit) {
  const shown = measured.filter((series) => choices.every((choice) => chosen.get(choice.title).has(choice.of(series))));
  const differing = choices.filter((choice) => choice.option && distinct(shown, choice.of).length > 1);
  const kind = (series) => [series.path, ...differing.map((choice) => choice.of(series) && `${choice.title}=${choice.of(series)}`)].filter(Boolean).join(' '),
    kinds = distinct(shown, kind);
  const [manyCards, manyPaths, manyRuns] = ['card', 'path', 'file'].map((name) => distinct(shown, (series) => series[name]).length > 1);
  return shown.map((series) => ({
    name: `${series.card} ${series.id}`,
    path: manyPaths || !differing.length ? kind(series) : kind(series).replace(`${series.path} `, ''),
    label: [manyCards && series.card, series.device, kind(series), manyRuns && series.file].filter(Boolean).join(' '),
    colour: page.colours.get(manyCards ? `${series.card} ${series.device}` : series.device),
    dash: kDashes[kinds.indexOf(kind(series)) % kDashes.length],
    points: pointsOf(series, unit === 'cycles'),
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
  const texts = [...new Set(series.flatMap((each) => [...each.found, ...why(each)]))];
  if (!texts.length) return [];
  const list = listOf('ul.foundlist', texts);
  return texts.length <= kMostFound ? list : folded('facts', `${texts.length} conclusions`, list);
}

/** One heading's chart with its controls, of series that have one axis. */
function drawChart(page, target, title, probe, measured) {
  const withCycles = measured[0].unit === 'ns' && measured.some(inCycles);
  const published = [...new Set(page.published.filter((each) => each.probe === probe).map((each) => each.title))];
  const state = { unit: new Set([withCycles ? 'cycles' : measured[0].unit]), published: new Set(published), chosen: new Map() };
  const chart = chartOf(page, title, measured),
    choices = choicesOf(measured);
  const change = () => {
    const [unit] = state.unit;
    chart.show([...chosenCurves(page, measured, choices, state.chosen, unit), ...overlayCurves(page, probe, unit, state.published)], unit);
  };
  let left = measured; // by the choices so far: the first values are of what they leave, so that something is shown
  const controls = choices.map((choice) => {
    const values = distinct(measured, choice.of),
      useful = values.length > 1 && choice.useful !== false,
      chosen = new Set(useful && choice.first ? choice.first(distinct(left, choice.of)) : values),
      mark = choice.title === 'Device' ? (device) => swatch(page.colours.get(device)) : undefined;
    state.chosen.set(choice.title, chosen);
    left = left.filter((series) => chosen.has(choice.of(series)));
    return useful && boxes('checkbox', choice.title, values, chosen, change, { label: choice.label, mark });
  });
  controls.push(published.length && boxes('checkbox', 'Published', published, state.published, change));
  controls.push(withCycles && boxes('radio', `Unit of ${title}`, ['cycles', 'ns'], state.unit, change));
  const heading = probeHeading(page, probe, title);
  target.append(element(isWide(page, probe) ? 'div.probe' : 'div.probe.minor', heading, element('div.controls', { 'data-controls': title }, controls), chart.node, foundList(measured)));
  change();
}

/** Staircases are as wide as the page; the others two in a row. */
const isWide = (page, probe) => page.probes[probe].axis === 'footprint';

function drawProbes(page) {
  const target = body('curves'),
    grid = element('div.probes');
  for (const probe of probesDrawnAs(page, 'curve', 'bars', 'core_pairs', 'facts')) {
    const measured = seriesOfProbe(page, probe).filter((series) => !betweenCores(page, series)),
      axes = groupedBy(measured, (series) => optionOf(series, 'pattern')); // each pattern's are its own
    if (page.probes[probe].chart === 'facts' && measured.some((series) => series.found.length))
      grid.append(element('div.probe.minor', probeHeading(page, probe, probe), foundList(measured)));
    else for (const [pattern, series] of axes) drawChart(page, isWide(page, probe) ? target : grid, pattern ? `${probe} ${pattern}` : probe, probe, series);
  }
  if (grid.childNodes.length) target.append(grid);
}
