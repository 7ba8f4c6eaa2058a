// ---- Charts: cells in rows, along an axis of time or of bytes. D3 has the scales, axes, shapes and the brush;
// page.js is before this in the page.
// Ticks are {places, labels, title}: places on an axis and their labels, which say no unit, as the title of the axis does, once.
const longest = labels => Math.max(0, ...labels.map(label => label.length));
// The ends of names differ, as numbers and suffixes do.
const shortened = (text, most) => (text.length > most ? `\u2026${text.slice(1 - most)}` : text);
// Of an axis, some ticks, as many as have room on `length` pixels.
function ticksThatFit(axis, length, some, room) {
  for (let most = some; ; --most) {
    const ticks = axis.ticks(most), [first, second] = ticks.places;
    if (most <= 1 || second === undefined || (second - first) / (axis.end - axis.begin) * length >= room(ticks.labels)) return ticks;
  }
}
// The axes of cells: `name(place)` tells the ends of neighbouring cells apart.
const endOf = cells => cells.begin + cells.columns * cells.width;
// Nanoseconds, in steps of 1, 2 or 5 times a power of ten.
function timeAxis(cells) {
  const { begin } = cells, end = endOf(cells);
  const [unit, size] = [['s', 1e9], ['ms', 1e6], ['us', 1e3]].find(one => end >= one[1]) || ['ns', 1];
  const scale = d3.scaleLinear().domain([begin / size, end / size]), digits = d3.precisionFixed(cells.width / size / 10);
  return {
    begin, end, name: place => `${(place / size).toFixed(digits)} ${unit}`,
    ticks: most => ({ places: scale.ticks(most).map(tick => tick * size), labels: scale.ticks(most).map(scale.tickFormat(most)), title: `time (${unit})` }),
  };
}
// Bytes, in steps of a power of two: files, stripes and blocks end there. All labels have the unit of the step.
function bytesAxis(cells) {
  const { begin } = cells, end = endOf(cells);
  const unitOf = step => Math.min(Math.floor(Math.log2(step) / 10), byteUnits.length - 1);
  const inUnit = (place, unit) => count(place / 1024 ** unit);
  return {
    begin, end, name: place => `${inUnit(place, unitOf(cells.width))} ${byteUnits[unitOf(cells.width)]}`,
    ticks: most => {
      const step = 2 ** Math.max(0, Math.ceil(Math.log2((end - begin) / most))), unit = unitOf(step);
      const places = d3.range(Math.ceil(begin / step) * step, end + 1, step);
      return { places, labels: places.map(place => inUnit(place, unit)), title: `place in the file (${byteUnits[unit]})` };
    },
  };
}
// Things that are counted from 0, each in the middle of its place: ranks, some in a row, or files.
function countedAxis(title, things, places, label = String) {
  return {
    begin: -0.5, end: places - 0.5,
    ticks: most => {
      const whole = d3.ticks(0, things - 1, most).filter(Number.isInteger);
      return { places: whole, labels: whole.map(label), title };
    },
  };
}

// The charts on the page: for each a function that draws it as wide as there is room.
let charts = [];
const drawCharts = () => charts.forEach(draw => draw());
new ResizeObserver(drawCharts).observe(section('pictures'));
// Paper is about as wide as A4 without its margins, so that labels come out as large as they are drawn.
addEventListener('beforeprint', () => {
  document.body.style.width = '718px';
  drawCharts();
  document.body.style.width = '';
});
addEventListener('afterprint', drawCharts);

// A chart is {title, cells, rows, rowName, columns, height, paths, told, zoom}: its axes are `rows` and `columns`; `paths` have cells
// for units; `told(row, column)` is shown for the cell that is pointed at; `zoom(stretch)` is called with the stretch of the
// axis of columns that was chosen, and with nothing after a double click.
function chartOf(chart) {
  const { cells, rows, columns, height } = chart;
  const holder = element('div', { class: 'chart' }), pointed = element('p', { class: 'quiet pointed' }, '\u00a0');
  let drawn = 0;
  charts.push(() => {
    const width = holder.clientWidth;
    if (width === drawn || width === 0) return;
    drawn = width;
    const digit = 7.7, below = 40, above = 8;  // so wide is a digit of 12 pixels, in wide fonts
    const rowTicks = ticksThatFit(rows, height, Math.floor(height / 20), () => 18);
    rowTicks.labels = rowTicks.labels.map(label => shortened(label, Math.floor(width / 4 / digit)));
    const left = 36 + digit * longest(rowTicks.labels);
    const columnTicks = ticksThatFit(columns, width - left - 4 * digit, Math.ceil(width / 90), labels => digit * longest(labels) + 12);
    const inner = width - left - 1 - digit / 2 * longest(columnTicks.labels);
    const x = d3.scaleLinear().domain([columns.begin, columns.end]).range([0, inner]);
    const y = d3.scaleLinear().domain([rows.begin, rows.end]).range([0, height]);
    const axis = (side, scale, ticks) => side(scale).tickValues(ticks.places).tickFormat((_, i) => ticks.labels[i]).tickSizeOuter(0);

    const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${above + height + below}`).attr('role', 'img').attr('aria-label', chart.title);
    const plot = svg.append('g').attr('transform', `translate(${left},${above})`);
    plot.append('rect').attr('class', 'plot').attr('width', inner).attr('height', height);
    plot.append('svg').attr('class', 'picture').attr('width', inner).attr('height', height)
      .attr('viewBox', `0 0 ${cells.columns} ${cells.rows}`).attr('preserveAspectRatio', 'none')
      .selectAll('path').data(chart.paths).join('path').attr('d', path => path.d).attr('class', path => path.style).attr('fill-opacity', path => path.opacity || null);
    plot.append('g').attr('class', 'axis').call(axis(d3.axisLeft, y, rowTicks));
    plot.append('text').attr('class', 'title').attr('transform', `translate(${12 - left},${height / 2}) rotate(-90)`).text(rowTicks.title);
    plot.append('g').attr('class', 'axis').attr('transform', `translate(0,${height})`).call(axis(d3.axisBottom, x, columnTicks));
    plot.append('text').attr('class', 'title').attr('transform', `translate(${inner / 2},${height + 34})`).text(columnTicks.title);

    // A finger moves the page, as everywhere.
    const brush = d3.brushX().extent([[0, 0], [inner, height]]).touchable(false).on('end', function () {
      const chosen = d3.brushSelection(this);
      if (!chosen) return;
      d3.select(this).call(brush.move, null);
      if (chosen[1] - chosen[0] >= 8) chart.zoom(chosen.map(x.invert));
    });
    const area = plot.append('g').attr('class', 'brush').call(brush).node();
    const point = event => {
      const box = plot.select('.plot').node().getBoundingClientRect();
      const column = Math.floor((event.clientX - box.left) / box.width * cells.columns), row = Math.floor((event.clientY - box.top) / box.height * cells.rows);
      if (row < 0 || column < 0 || row >= cells.rows || column >= cells.columns) return;
      const [from, to] = [column, column + 1].map(one => columns.name(cells.begin + one * cells.width));
      pointed.textContent = `${chart.rowName(row)}, ${from} to ${to}: ${chart.told(row, column)}`;
    };
    for (const kind of ['pointermove', 'pointerdown']) area.addEventListener(kind, point);
    area.addEventListener('dblclick', () => chart.zoom());
    holder.replaceChildren(svg.node());
  });
  return element('div', {}, holder, pointed);
}
