'use strict';
// Series of one value each: a bar from 0 on.

class Bars {
  constructor(name) {
    this.list = element('ul', { class: 'bars', 'data-bars': name, 'aria-label': name });
    this.node = element('div', { class: 'chart' }, this.list);
  }

  show(curves, unit) {
    const rows = curves.flatMap((curve) => curve.points.map((point) => ({ curve, point })));
    const most = Math.max(...rows.map(({ point }) => point.y));
    const bar = ({ curve, point }) =>
      shape(
        'svg',
        { class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        shape('rect', { class: `s${curve.colour}`, width: ((100 * point.y) / most).toFixed(2), height: 6 }),
      );
    const item = (row) => element('li', { 'data-series': row.curve.name }, element('span', {}, row.curve.label), element('b', {}, valueText(row.point.y, unit)), bar(row));
    this.list.replaceChildren(...(rows.length ? rows.map(item) : ['Nothing is selected.']));
  }
}
