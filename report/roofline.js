'use strict';
// Workloads below what the card's bandwidths and its arithmetic allow: operations by how many of them there are for each byte.

/** The ceilings of a device as curves, each as wide as `from` to `to`, and its workloads as curves of one point. */
function rooflineCurves({ device, ceilings, peak, points }, colour, [from, to]) {
  const ceiling = ({ name, rate }, i) => {
    const ridge = peak / rate;
    const places = [from, ...(ridge > from && ridge < to ? [ridge] : []), to];
    return { name: `${device} ${name}`, path: name, label: `${device} ${name}`, colour, dash: kDashes[(i + 1) % kDashes.length], points: places.map((x) => ({ x, y: Math.min(peak, x * rate) })), levels: [] };
  };
  const workload = ({ name, x, y }) => ({ name: `${device} ${name}`, path: name, label: `${device} ${name}`, colour, dash: '', points: [{ x, y }], levels: [] });
  return [...ceilings.map(ceiling), ...points.map(workload)];
}

/** From a quarter of the fewest operations for a byte that a workload has to four times the most, or where the last ceiling meets the peak. */
function rooflineRange(rooflines) {
  const ends = rooflines.flatMap(({ ceilings, peak, points }) => [...points.map(({ x }) => [x / 4, x * 4]), ...ceilings.map(({ rate }) => [peak / rate, (2 * peak) / rate])]);
  return [Math.min(...ends.map((end) => end[0])), Math.max(...ends.map((end) => end[1]))];
}

function drawRooflines(page) {
  drawCards(page, 'rooflines', ({ rooflines }, index) => {
    if (!rooflines.length) return null;
    const chart = new Chart(page.cards.length > 1 ? `roofline ${page.names[index]}` : 'roofline', 'operations per byte', {}),
      range = rooflineRange(rooflines);
    const colourOf = (device) => page.colours.get(page.cards.length > 1 ? `${page.names[index]} ${device}` : device);
    chart.show(rooflines.flatMap((roofline) => rooflineCurves(roofline, colourOf(roofline.device), range)), 'Gop/s');
    return chart.node;
  });
}
