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
  for (const group of all('.rows, .axis')) {
    if (group.scrollWidth > group.clientWidth) wrong.push(`labels ${named(group)} are cut off`);
    const boxes = [...group.children].map(one => one.getBoundingClientRect());
    if (boxes.some((box, i) => boxes.some((other, j) => i < j && meet(box, other)))) wrong.push(`labels ${named(group)} overlap`);
  }
  for (const picture of all('.picture')) {
    const { width, height } = picture.getBoundingClientRect();
    if (width < 0.5 * document.documentElement.clientWidth && width < 300) wrong.push(`a picture is only ${width} px wide`);
    if (height / picture.viewBox.baseVal.height < 8) wrong.push('rows of a picture are lower than 8 px');
  }
  return wrong;
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
