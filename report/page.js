'use strict';
// Reads the data and draws every section.

/**
 * The bytes of one results file, as it was on the disk. `element`: its <script class="raw">, zlib's format in base64
 * (core/report/pack.h).
 */
async function bytesOfRaw(element) {
    const packed = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The colour of each device, as the page has it, and where several cards are shown, one for each device of each. */
function coloursOf(page) {
    const colours = new Map(Object.entries(page.colours));
    let next = 0;
    page.cards.forEach((card, index) => card.devices.forEach(
                           (device) => colours.set(`${page.names[index]} ${device.id}`, next++ % 8)));
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
    for (const draw of [drawMapTools, drawMatrix, drawEnvironment, drawDownloads]) draw(page);
    if (typeof DecompressionStream === 'undefined') {
        complain('This browser has no DecompressionStream, which unpacks the measured points: curves are missing, ' +
                 'everything else is here.');
    } else {
        for (let run = 0; run < page.raw.length; ++run) {
            page.bytes[run] = await bytesOfRaw(page.raw[run]);
            const lines = new TextDecoder().decode(page.bytes[run]).split('\n');
            for (const series of page.cards.flatMap((card) => card.series))
                if (series.run === run && series.at)
                    deriveCycles(Object.assign(series, {line: JSON.parse(lines[series.at - 1])}));
        }
        for (const draw of [drawSegments, drawCoreGrids, drawProbes, drawRooflines]) draw(page);
    }
    drawEvidence(page);
    for (const section of document.querySelectorAll('main > section:not(#summary)'))
        document.querySelector(`nav a[href="#${section.id}"]`).hidden = section.hidden =
            !body(section.id).childNodes.length;
    await new Promise((shown) => requestAnimationFrame(
                          () => requestAnimationFrame(shown))); // charts are drawn once they have a width
    document.documentElement.dataset.ready = 'true';
    const asked =
        location.hash && document.getElementById(location.hash.slice(1)); // what a link leads to was not there before
    if (asked) asked.scrollIntoView();
}

document.addEventListener(
    'DOMContentLoaded',
    () => start().catch((error) => {
        complain(`This page could not be drawn whole: ${error.message}`);
        throw error;
    }),
);
