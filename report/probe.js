'use strict';
// One probe's chart, and the controls that choose what it shows.

/** The points of a series as a chart takes them; in cycles the quartiles follow the median. */
function pointsOf(series, inCycles) {
  const points = [];
  for (const { x, median, low, high, cycles } of series.line ? series.line.points : []) {
    const scale = inCycles ? cycles / median : 1;
    if (x > 0 && median * scale > 0 && Number.isFinite(x) && Number.isFinite(median * scale))
      points.push({ x, y: median * scale, low: low * scale, high: high * scale });
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
    first: (values) => values.filter((path, i) => (values.includes('global') ? path === 'global' : i === 0) || path === 'local'),
  },
  { title: 'Options', of: (series) => series.options, first: (values) => (values.includes('') ? [''] : values.slice(-1)), label: (value) => value || 'none' },
  { title: 'Run', of: (series) => series.file, useful: (series) => distinct(series, (each) => `${each.card} ${each.id}`).length < series.length },
];

/** The series of a probe that have points here, each with the names of its card and file. */
function seriesOfProbe(page, probe) {
  return page.cards.flatMap((card, index) =>
    card.series
      .filter((series) => series.probe === probe && series.line && series.points > 0)
      .map((series) => ({ ...series, card: page.names[index], file: page.runs[series.run].file })),
  );
}

/** What the choices leave, as a chart takes it: a colour for each device, dashes for each path. */
function chosenCurves(page, measured, state) {
  const shown = measured.filter((series) => kChoices.every((choice) => state.chosen.get(choice.title).has(choice.of(series))));
  const kind = (series) => `${series.path} ${series.options}`.trim(),
    kinds = distinct(shown, kind);
  const several = (value) => distinct(shown, value).length > 1;
  const manyCards = several((series) => series.card),
    manyOptions = several((series) => series.options),
    manyRuns = several((series) => series.file);
  return shown.map((series) => ({
    name: `${series.card} ${series.id}`,
    path: manyOptions ? kind(series) : series.path,
    label: [manyCards && series.card, series.device, series.path, series.options, manyRuns && series.file].filter(Boolean).join(' '),
    colour: page.colours.get(manyCards ? `${series.card} ${series.device}` : series.device),
    dash: kDashes[kinds.indexOf(kind(series)) % kDashes.length],
    points: pointsOf(series, state.unit === 'cycles'),
  }));
}

/** One probe's chart with its controls. */
function drawProbe(page, probe) {
  const measured = seriesOfProbe(page, probe);
  if (!measured.length) return;
  const withCycles = measured[0].unit === 'ns' && measured.some(inCycles);
  const published = [...new Set(page.published.filter((each) => each.probe === probe).map((each) => each.title))];
  const state = { unit: withCycles ? 'cycles' : measured[0].unit, published: new Set(published), chosen: new Map() };
  const chart = new Chart(probe, measured[0].x_name || 'footprint', measured[0].x_unit === 'bytes');
  const change = () => chart.show([...chosenCurves(page, measured, state), ...overlayCurves(page, probe, state.unit, state.published)], state.unit);
  const swatch = (device) => element('span', { class: `swatch b${page.colours.get(device)}` });
  const controls = kChoices.map((choice) => {
    const values = distinct(measured, choice.of),
      useful = values.length > 1 && (!choice.useful || choice.useful(measured));
    const chosen = new Set(useful && choice.first ? choice.first(values) : values);
    state.chosen.set(choice.title, chosen);
    return useful ? checkboxes(choice.title, values, chosen, change, choice.label, choice.title === 'Device' ? swatch : undefined) : null;
  });
  if (published.length) controls.push(checkboxes('Published', published, state.published, change));
  if (withCycles) controls.push(radios(`Unit of ${probe}`, ['cycles', 'ns'], state, change));
  body('curves').append(element('h3', {}, probe), element('div', { class: 'controls', 'data-controls': probe }, controls), chart.node);
  change();
}
