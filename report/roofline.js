'use strict';
// Workloads below what the card's bandwidths and its arithmetic allow: operations by how many of them there are for each byte.

/** The ceilings of a device as curves, those of bandwidth up to the one of arithmetic, and its workloads as curves of one point. */
function rooflineCurves({ device, ceilings, peak, points }, colour, [from, to]) {
  const curve = (name, dash, places) => ({ name: `${device} ${name}`, path: name, label: `${device} ${name}`, colour, dash, points: places, levels: [] });
  const ridges = ceilings.map(({ rate }) => peak / rate);
  return [
    curve('FMA', '', [Math.min(...ridges), to].map((x) => ({ x, y: peak }))),
    ...ceilings.map(({ name, rate }, i) => curve(name, kDashes[(i + 1) % kDashes.length], [from, ridges[i]].map((x) => ({ x, y: x * rate })))),
    ...points.map(({ name, x, y }) => curve(name, '', [{ x, y }])),
  ];
}

/** From a quarter of the fewest operations for a byte that a workload has to four times the most, or where the last ceiling meets the peak. */
function rooflineRange(rooflines) {
  const ends = rooflines.flatMap(({ ceilings, peak, points }) => [...points.map(({ x }) => [x / 4, x * 4]), ...ceilings.map(({ rate }) => [peak / rate, (2 * peak) / rate])]);
  return [Math.min(...ends.map((end) => end[0])), Math.max(...ends.map((end) => end[1]))];
}

function drawRooflines(page) {
  drawCards(page, 'rooflines', ({ rooflines }, index) => {
    if (!rooflines.length) return null;
    const chart = new Chart(page.cards.length > 1 ? `roofline ${page.names[index]}` : 'roofline', 'operations per byte', { paper: { width: 880, height: 250 } }),
      range = rooflineRange(rooflines);
    const colourOf = (device) => page.colours.get(page.cards.length > 1 ? `${page.names[index]} ${device}` : device);
    chart.show(rooflines.flatMap((roofline) => rooflineCurves(roofline, colourOf(roofline.device), range)), 'Gop/s');
    const legend = rooflines.map(({ device }) => [swatch(colourOf(device)), `${device} `]);
    return [element('figcaption', legend), chart.node];
  });
}
