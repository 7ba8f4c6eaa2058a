// Asked of a page that is open: what a reader would stumble over. Each function gives a list of complaints.
const visible = one => one.checkVisibility() && one.getBoundingClientRect().width > 0;
const all = choice => [...document.querySelectorAll(choice)].filter(visible);
const named = one => `${one.tagName.toLowerCase()} '${one.textContent.slice(0, 40)}'`;
// Elements that have text of their own.
const texts = () => all('body *').filter(one => [...one.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.data.trim()));

// Only tables and what is to be pasted may be wider than the window: they scroll by themselves.
function tooWide() {
  const width = document.documentElement.clientWidth;
  const beyond = all('body *').filter(one => !one.closest('.scroll, pre') && one.getBoundingClientRect().right > width + 0.5);
  if (document.documentElement.scrollWidth > width) beyond.push(document.body);
  return beyond.map(one => `${named(one)} reaches beyond ${width} px`);
}
function tooSmall() {
  return texts().filter(one => parseFloat(getComputedStyle(one).fontSize) < 12).map(one => `${named(one)} is smaller than 12 px`);
}
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
function labels() {
  const wrong = [];
  for (const chart of all('.chart')) {
    const words = [...chart.querySelectorAll('text')], boxes = words.map(one => one.getBoundingClientRect());
    const outer = chart.getBoundingClientRect(), plot = chart.querySelector('.plot').getBoundingClientRect();
    const { width, height } = plot;
    if (boxes.some((box, i) => boxes.some((other, j) => i < j && meet(box, other)))) wrong.push(`labels ${named(chart)} overlap`);
    if (boxes.some(box => meet(box, plot))) wrong.push(`labels ${named(chart)} cross the picture`);
    if (boxes.some(box => box.left < outer.left || box.right > outer.right + 0.5 || box.bottom > outer.bottom + 1)) wrong.push(`labels ${named(chart)} are cut off`);
    if (width < 0.5 * document.documentElement.clientWidth && width < 200) wrong.push(`a picture is only ${width} px wide`);
    if (height / chart.querySelector('.picture').viewBox.baseVal.height < 8) wrong.push('rows of a picture are lower than 8 px');
  }
  return wrong;
}
// The axes of charts: a title with one unit, and ticks within the chart, at round numbers without one.
function axes() {
  const round = (step, title) => {
    const digits = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    return title.startsWith('place') ? Number.isInteger(Math.log2(step)) : [1, 2, 5, 10].some(one => Math.abs(digits - one) < 1e-6);
  };
  return all('.chart .axis').flatMap(axis => {
    const title = axis.nextElementSibling.textContent, ticks = [...axis.querySelectorAll('.tick')], wrong = [];
    const plot = axis.closest('.chart').querySelector('.plot').getBoundingClientRect(), across = axis.closest('.chart').querySelectorAll('.axis')[1] === axis;
    if (!/^(rank|file|time \((s|ms|us|ns)\)|place in the file \(([KMGTP]i)?B\))$/.test(title)) wrong.push('has a wrong title');
    const places = ticks.map(tick => { const box = tick.querySelector('line').getBoundingClientRect(); return across ? box.left + box.width / 2 : box.top + box.height / 2; });
    const [from, to] = across ? [plot.left, plot.right] : [plot.top, plot.bottom];
    if (places.length === 0 || places.some(place => place < from - 1 || place > to + 1)) wrong.push('has no tick, or one beyond its end');
    const numbers = ticks.map(tick => Number(tick.textContent.replaceAll(',', '')));
    const steps = numbers.slice(1).map((number, i) => number - numbers[i]);
    if (title !== 'file' && (numbers.some(Number.isNaN) || steps.some(step => Math.abs(step - steps[0]) > 1e-6 * steps[0] || !round(Number(step.toPrecision(6)), title))))
      wrong.push('has ticks that are not round');
    return wrong.map(what => `the axis '${title}' ${what}: ${ticks.map(tick => tick.textContent).join(' ')}`);
  });
}

// Colours, as WCAG 2 has it: the ratio of luminances is at least 4.5 between text and what is behind it.
const channels = colour => (colour.match(/[\d.]+/g) || []).map(Number);
function luminance(colour) {
  const [r, g, b] = channels(colour).map(value => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function behind(one) {
  for (; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (channels(colour)[3] !== 0) return colour;
  }
  return 'rgb(255, 255, 255)';
}
function pale() {
  return texts().flatMap(one => {
    const [a, b] = [luminance(getComputedStyle(one).color), luminance(behind(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? [`${named(one)} has a contrast of only ${ratio.toFixed(1)}`] : [];
  });
}
const paper = () => luminance(behind(document.body));

// On paper all sections are there, and nothing that only a mouse can use.
function unprinted() {
  const sections = [...document.querySelectorAll('header, main > section')].filter(one => !visible(one) || one.getBoundingClientRect().height < 10);
  const tools = all('.tools, .more button, main input').map(one => `${named(one)} is printed`);
  const closed = [...document.querySelectorAll('#advice details')].filter(one => !one.open).map(() => 'what to write is not printed');
  return [...sections.map(one => `${one.id || one.tagName} is not printed`), ...tools, ...closed];
}
