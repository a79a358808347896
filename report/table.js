'use strict';
// A probe's series as a table: variants by device, what each comes to as a number and a bar, as far as the peak or the
// best of its row.

/** The options of a series by name, as the page's data have them: "chains=8 operation=fma.f32". */
const optionsIn = (text) => new Map(text.split(' ').filter(Boolean).map((option) => option.split('=')));

/** The name of the option that has most values, and of the others the value that most series have. */
function usualOptions(measured) {
    const names = distinct(measured.flatMap((series) => [...optionsIn(series.options).keys()]), (name) => name),
          counts = (name) => groupedBy(measured, (series) => optionsIn(series.options).get(name)),
          first =
              names.reduce((most, name) => (most === '' || counts(name).size > counts(most).size ? name : most), '');
    return {
        first,
        usual: new Map(
            names.map((name) => [name, [...counts(name)].reduce(
                                           (most, each) => (each[1].length > most[1].length ? each : most))[0]]))
    };
}

/** What a row is called: the value of the first option, and what else is not as in most series. */
function rowName(text, {first, usual}) {
    const options = optionsIn(text),
          others = [...options].filter(([name, value]) => name !== first && value !== usual.get(name));
    return [options.get(first) || '', ...others.map(([name, value]) => `${name}=${value}`)].filter(Boolean).join(' ');
}

/** Rows in the order of the first option's values, each with the series of every device. */
function tableRows(measured) {
    const names = usualOptions(measured),
          byFirst = groupedBy(measured, (series) => optionsIn(series.options).get(names.first));
    return [...byFirst.values()]
        .flatMap((alike) => [...groupedBy(alike, (series) => rowName(series.options, names))])
        .map(([name, series]) => ({name, series}));
}

/** The point at which a series has its value: the last one of times, the best one of rates. */
function pointOfValue(series) {
    const points = ((series.line && series.line.points) || []).filter((point) => point.median > 0);
    return points.reduce(
        (best, point) =>
            (!best || (series.unit.endsWith('/s') ? point.median > best.median : point.x > best.x) ? point : best),
        null);
}

/** A rate of all cores as one of a clock and core; null where no clock is known. */
function perClock(page, series) {
    const point = pointOfValue(series),
          device = page.cards[series.index].devices.find((each) => each.id === series.device);
    return series.value.unit === 'Gop/s' && point && point.clock_mhz > 0 && device && device.cores > 0
               ? (series.value.number * 1000) / point.clock_mhz /
                     ((series.options || '').includes('cores=one') ? 1 : device.cores)
               : null;
}

/** Instructions of a step, as the listing counts them; "" where none does. */
const stepText = (series) => Object.entries((evidenceOf(series).kernel || {}).step_instructions || {})
                                 .map(([mnemonic, count]) => `${Number(count.toPrecision(3))} ${mnemonic}`)
                                 .join(', ');

const threeDigits = (number) => `${Number(number.toPrecision(3))}`;

/** `most`: what a full bar stands for; 0: the value has none. */
function valueCell(page, series, most) {
    if (!series) return element('td.number', '-');
    if (!series.value) return element('td.number', {title: series.reason || null}, series.status);
    const {number,
        unit,
        cycles} = series.value,
        each = perClock(page, series),
        besides = [each && `${threeDigits(each)}/clk`, series.peak && `${threeDigits((100 * number) / series.peak)} %`]
                      .filter(Boolean)
                      .join(' '),
        bar = most > 0 && element(`span.cellbar.b${page.colours.get(series.device)}`);
    if (bar) bar.style.width = `${Math.min(100, (100 * number) / most).toFixed(1)}%`;
    return element('td.number.valued', {title: stepText(series) || null},
        cycles ? `${threeDigits(cycles)} cycles`
        : unit.endsWith('/s') ? valueText(number, unit)
                              : `${threeDigits(number)} ${unit}`,
        besides && element('span.besides', besides), bar);
}

/** A card's table of a probe. */
function cardTable(page, probe, measured) {
    const devices = distinct(measured, (series) => series.device),
          rates = measured.some((series) => series.unit.endsWith('/s')),
          steps = measured.some(stepText); // some API hands out machine code
    const row = ({name, series}) => {
        const peak = Math.max(0, ...series.map((each) => each.peak || 0)),
              best = Math.max(0, ...series.map((each) => (each.value ? each.value.number : 0))),
              of = (device) => series.find((each) => each.device === device);
        const step = series.map(stepText).find(Boolean) || '';
        return element('tr', element('th', {scope: 'row'}, name),
            devices.map((device) => valueCell(page, of(device), rates ? Math.max(peak, best) : 0)),
            steps && element('td.mono.step', step));
    };
    const heads = devices.map((device) => element('span', swatch(page.colours.get(device)), ` ${device}`));
    const note =
        'A full bar is the documented peak at the clock that the card ran at, or where none is known the best of ' +
        'the row. /clk: per clock and core.';
    return [
        tableOf(probe, ['', ...heads, ...(steps ? ['instructions of a step'] : [])], tableRows(measured).map(row)),
        rates && element('p.note', note)
    ];
}

/** The tables of a probe, one for each card, with what failed as well. */
function tablesOf(page, probe) {
    return ofCards(page, (card, index) => {
        const measured = card.series.filter((series) => series.probe === probe).map((series) => ({...series, index}));
        return measured.length > 0 &&
               element('div.valuetable', {'data-table': probe},
                   page.cards.length > 1 && element('h4', page.names[index]), cardTable(page, probe, measured));
    });
}
