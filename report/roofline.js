'use strict';
// Workloads below what the card's bandwidths and its arithmetic allow: operations by how many of them there are for
// each byte.

const highest = (rates) => Math.max(...rates.map(({rate}) => rate));

/**
 * The roofs of a device as curves, one for each kind of arithmetic, its bandwidths up to the highest of them, and its
 * workloads as curves of one point.
 */
function rooflineCurves({device, ceilings, roofs, points}, colour, [from, to]) {
    const curve = (name, dash, places, more = {}) => ({
        name: `${device} ${name}`,
        path: name,
        label: `${device} ${name}`,
        colour,
        dash,
        points: places,
        levels: [],
        ...more
    });
    return [
        ...roofs.map(({name, rate}) => curve(
                         name, '', [rate / highest(ceilings), to].map((x) => ({x, y: rate})), {named: 'above-end'})),
        ...ceilings.map(({name, rate}, i) => curve(name, kDashes[(i + 1) % kDashes.length],
                            [from, highest(roofs) / rate].map((x) => ({x, y: x * rate})), {named: 'below-start'})),
        ...points.map(({name, x, y}) => curve(name, '', [{x, y}], {large: true, named: 'beside'})),
    ];
}

/**
 * From a quarter of the fewest operations for a byte that a workload has to four times the most, or where the last
 * bandwidth meets the highest roof.
 */
function rooflineRange(rooflines) {
    const ends =
        rooflines.flatMap(({ceilings, roofs, points}) => [...points.map(({x}) => [x / 4, x * 4]),
                              ...ceilings.map(({rate}) => [highest(roofs) / rate, (2 * highest(roofs)) / rate])]);
    return [Math.min(...ends.map((end) => end[0])), Math.max(...ends.map((end) => end[1]))];
}

function drawRooflines(page) {
    drawCards(page, 'rooflines', ({rooflines}, index) => {
        if (!rooflines.length) return null;
        const chart = new Chart(page.cards.length > 1 ? `roofline ${page.names[index]}` : 'roofline',
                  'operations per byte', {paper: {width: 530, height: 240}}),
              range = rooflineRange(rooflines);
        const colourOf = (device) =>
            page.colours.get(page.cards.length > 1 ? `${page.names[index]} ${device}` : device);
        chart.show(
            rooflines.flatMap((roofline) => rooflineCurves(roofline, colourOf(roofline.device), range)), 'Gop/s');
        const legend = rooflines.map(({device}) => [swatch(colourOf(device)), `${device} `]);
        return [element('figcaption', legend), chart.node];
    });
}
