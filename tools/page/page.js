'use strict';
// The page's data: see page_data() in tools/page.cpp.
const data = JSON.parse(document.getElementById('data').textContent);

// ---- Numbers as people read them.
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < byteUnits.length - 1) { value /= 1024; ++unit; }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${byteUnits[unit]}`;
}
function seconds(value) {
  if (value === 0) return '0 s';
  // As format_seconds() in base/text.
  const digits = number => (number < 99.95 ? Number(number.toPrecision(3)) : Math.round(number));
  if (value >= 0.9995) return `${digits(value)} s`;
  if (value >= 0.9995e-3) return `${digits(value * 1e3)} ms`;
  return `${digits(value * 1e6)} us`;
}
const count = value => value.toLocaleString('en');
// 690,971,700,000 is too wide for a phone, and for the eye.
const roughCount = value => (value < 1e7 ? count(value) : value.toLocaleString('en', { notation: 'compact', compactDisplay: 'long', maximumSignificantDigits: 3 }));
const counted = (value, noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
const nothing = '-';

// ---- The files. Counters are [index, value, index, value, ...], without those that are zero.
const counterIndex = new Map(data.counters.map((name, index) => [name, index]));
function counter(pairs, name) {
  const index = counterIndex.get(name);
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === index) return pairs[i + 1];
  return 0;
}
const sum = (file, name) => counter(file.sum, name);
const slowest = (file, name) => counter(file.max, name);
const moved = file => sum(file, 'bytes_read') + sum(file, 'bytes_written');
const requests = file => sum(file, 'storage_reads') + sum(file, 'storage_writes');
const requestBytes = file => sum(file, 'storage_bytes_read') + sum(file, 'storage_bytes_written');
const callSeconds = file => slowest(file, 'call_ns') * 1e-9;
const calls = file => ['collective_reads', 'collective_writes', 'independent_reads', 'independent_writes']
  .reduce((total, name) => total + sum(file, name), 0);

// A column of the table: its title, its value for sorting and for CSV, how it is shown, and its title in CSV if
// the unit is to be told there.
const columns = [
  ['file', file => file.name, String],
  ['time', file => file.seconds, seconds, 'seconds'],
  ['ranks', file => file.ranks, count],
  ['collective calls', file => sum(file, 'collective_reads') + sum(file, 'collective_writes'), count],
  ['independent calls', file => sum(file, 'independent_reads') + sum(file, 'independent_writes'), count],
  ['written', file => sum(file, 'bytes_written'), bytes, 'bytes written'],
  ['read', file => sum(file, 'bytes_read'), bytes, 'bytes read'],
  ['bytes a second', file => callSeconds(file) > 0 ? Math.round(moved(file) / callSeconds(file)) : 0, bytes],
  ['requests', requests, count],
  ['bytes a request', file => requests(file) > 0 ? Math.round(requestBytes(file) / requests(file)) : 0, bytes],
  ['methods', file => data.methods[file.methods], text => text || nothing],
];

// ---- The page, from elements: text of the program never becomes markup.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') made.addEventListener(key, value); else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
function table(head, rows) {
  return element('table', {}, element('thead', {}, element('tr', {}, ...head.map(title => element('th', {}, title)))),
    element('tbody', {}, ...rows.map(row => element('tr', {}, ...row.map(cell => element('td', {}, cell))))));
}
const section = id => document.getElementById(id);

// ---- Totals and times.
// By PartOfCalls in tools/summary/call_time.h.
const parts = [['storage', 'storage'], ['exchange', 'waiting for others and messages'], ['copy', 'copying'], ['plan', 'planning'],
  ['rest', 'in calls that did not end'], ['rest', 'other']];
// A bar of the time in calls of the slowest rank.
function timeBar(file) {
  const whole = callSeconds(file);
  const shown = parts.map(([style, words], index) => [style, file.parts[index] || 0, words]).filter(part => part[1] > 0);
  if (whole === 0) return element('p', { class: 'quiet' }, 'No time in calls that read or write.');
  return element('div', {},
    element('div', { class: 'bar', role: 'img', 'aria-label': 'time in calls by part' },
      ...shown.map(([style, value]) => element('i', { class: style, style: `width: ${100 * value / whole}%` }))),
    element('div', { class: 'legend' },
      ...shown.map(([style, value, words]) => element('span', {}, element('i', { class: style }), `${words} ${seconds(value)}`))));
}
function showTotals() {
  const job = data.job;
  const numbers = [[job.seconds, seconds, 'in calls and opens'], [data.files.length, count, data.files.length === 1 ? 'file' : 'files'], [job.ranks, count, job.ranks === 1 ? 'rank' : 'ranks'],
    [calls(job), roughCount, 'calls'], [sum(job, 'bytes_written'), bytes, 'written'], [sum(job, 'bytes_read'), bytes, 'read'],
    [requests(job), roughCount, 'requests to storage'], [job.peak, bytes, 'memory of a rank']];
  section('totals').append(...numbers.filter(([value]) => value > 0).map(([value, shown, words]) =>
    element('div', { class: 'tile' }, element('b', {}, shown(value)), words)));
  section('time').append(timeBar(job), element('p', { class: 'quiet' }, 'Of the slowest rank' + (data.files.length === 1 ? '.' : ' of each file.')));
}

// ---- Advice, that which wins most first. Where nobody knows, it is not more than the file's calls take.
const expected = advice => advice.expectation ? [element('div', {}, advice.expectation)] : [];
const pasted = advice => advice.to_paste.length === 0 ? [] : [element('details', {}, element('summary', {}, 'What to write'),
  ...advice.to_paste.map(line => element('pre', {}, line)))];
// Many files are often used in one way: those with the same advice are told of together.
function sharedAdvice() {
  const groups = new Map();
  for (const { name, advice } of data.files.filter(file => file.advice)) {
    const group = groups.get(advice.text) || { advice, names: [], seconds: 0, atMost: false };
    group.names.push(name);
    group.seconds += advice.seconds;
    group.atMost ||= advice.at_most;
    groups.set(advice.text, group);
  }
  return [...groups.values()].sort((a, b) => b.seconds - a.seconds);
}
// "/d/a and 8 more files: at most 4 s to be won"
function won(group) {
  const more = group.names.length - 1;
  if (more === 0) return `${group.names[0]}: ${group.advice.to_be_won}`;
  return `${group.names[0]} and ${counted(more, 'more file')}: ${group.atMost ? 'at most' : 'about'} ${seconds(group.seconds)} to be won`;
}
function showAdvice() {
  const advised = sharedAdvice();
  const told = 20;
  section('advice').append(advised.length === 0
    ? element('p', {}, 'Nothing that the record shows.')
    : element('ol', {}, ...advised.slice(0, told).map(group => element('li', {}, element('code', {}, group.advice.text), ' ',
      element('span', { class: 'quiet' }, won(group)), ...(group.names.length === 1 ? expected(group.advice) : []), ...pasted(group.advice)))));
  // On paper nobody can open them.
  addEventListener('beforeprint', () => section('advice').querySelectorAll('details').forEach(one => { one.open = true; }));
  if (advised.length > told) section('advice').append(element('p', { class: 'quiet' }, `and ${count(advised.length - told)} more`));
}

// ---- One file, in full.
// For every method that would be faster: times are measured if both have run, and otherwise both predicted. And how far
// the prediction was from what was measured.
function whatOthersWouldTake(why, times) {
  const taken = why.candidates.find(one => one.method === why.method && one.legal);
  if (!taken) return [];
  const said = [];
  for (const other of why.candidates) {
    if (!other.legal || other === taken) continue;
    const measured = taken.measured_seconds !== null && other.measured_seconds !== null;
    const key = measured ? 'measured_seconds' : 'predicted_seconds';
    if (other[key] < taken[key])
      said.push(`${other.method} would take ${seconds(other[key] * times)} instead of ${seconds(taken[key] * times)} (${measured ? 'measured' : 'predicted'})`);
  }
  if (taken.measured_seconds) said.push(`prediction for ${taken.method}: ${Number((taken.predicted_seconds / taken.measured_seconds).toPrecision(2))} times what was measured`);
  return said;
}
function methodTable(file) {
  const rows = file.why.map(([index, times]) => {
    const why = data.reasons[index];
    const others = whatOthersWouldTake(why, times).concat(why.candidates).map(one => typeof one === 'string' ? element('div', {}, one) : element('div', {}, `${one.method}: ` + (one.legal
      ? `${seconds(one.predicted_seconds)} predicted` + (one.measured_seconds === null ? '' : `, ${seconds(one.measured_seconds)} measured`)
      : 'not possible')));
    return [`${why.collective ? 'collective' : 'independent'} ${why.operation}`, why.method, count(times), why.reason,
      others.length ? element('div', {}, ...others) : nothing];
  });
  return table(['calls', 'method', 'how often', 'why', 'methods considered, a call'], rows);
}
function details(file) {
  const cell = element('td', { class: 'wide', colspan: columns.length });
  for (const trouble of file.troubles || []) cell.append(element('p', { class: 'trouble' }, trouble));
  if (file.advice) cell.append(element('p', {}, element('code', {}, file.advice.text), ...expected(file.advice)));
  if (file.why) cell.append(element('p', {}, `Opened ${counted(file.opened, 'time')} by ${counted(file.ranks, 'rank')} on ${counted(file.nodes, 'node')}, ` +
    `${seconds(file.open_seconds)}; ${bytes(file.peak)} of memory of a rank at most.`));
  if (file.sampled) cell.append(element('p', { class: 'quiet' }, `Sampled: ${file.sampled}.`));
  cell.append(timeBar(file));
  if (!file.why) cell.append(element('p', { class: 'quiet' }, 'Only files that took longer are here in full.'));
  else if (file.why.length) cell.append(element('div', { class: 'scroll' }, methodTable(file)));
  const pairs = [];
  for (let i = 0; i < file.sum.length; i += 2) {
    const name = data.counters[file.sum[i]];
    const shown = name.includes('bytes') ? bytes : name.endsWith('_ns') ? value => seconds(value * 1e-9) : count;
    pairs.push([name, shown(file.sum[i + 1]), shown(slowest(file, name))]);
  }
  cell.append(element('details', {}, element('summary', {}, 'Counters'), table(['counter', 'all ranks', 'slowest rank'], pairs)));
  if (file.hints_given && file.hints_given.length) cell.append(element('p', {}, 'Hints that were given:'), element('div', { class: 'scroll' },
    table(['hint', 'value', 'by', 'outcome', 'why'], file.hints_given.map(hint => [hint.name, hint.value, hint.by, hint.outcome, hint.why || '']))));
  const hints = Object.entries(data.hints[file.hints] || {});
  const set = hints.filter(([name, value]) => data.defaults[name] !== undefined && data.defaults[name] !== value);
  if (set.length) cell.append(element('p', {}, 'Hints whose values, as given or as chosen, are not the defaults: ', element('code', {}, set.map(pair => pair.join('=')).join(' '))));
  if (hints.length) cell.append(element('details', {}, element('summary', {}, 'All hints'), table(['hint', 'value'], hints)));
  return element('tr', { class: 'details' }, cell);
}

// ---- The table of files.
const state = { column: 1, descending: true, filter: '', limit: 100 };
function sorted() {
  const value = columns[state.column][1], sign = state.descending ? -1 : 1;
  const keyed = data.files.filter(file => file.name.includes(state.filter)).map(file => [value(file), file]);
  return keyed.sort((a, b) => sign * (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)).map(pair => pair[1]);
}
function csv() {
  const quoted = value => /[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value;
  return [columns.map(column => column[3] || column[0]), ...sorted().map(file => columns.map(column => column[1](file)))]
    .map(row => row.map(quoted).join(',') + '\n').join('');
}
function save(name, type, text) {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
const head = element('tr'), body = element('tbody'), more = element('p', { class: 'more' });
function showFiles() {
  const files = sorted();
  head.replaceChildren(...columns.map(([title], index) => {
    const cell = element('th', { scope: 'col' }, element('button', {
      click: () => {
        state.descending = state.column === index ? !state.descending : index !== 0;
        state.column = index;
        showFiles();
      },
    }, title));
    if (index === state.column) cell.setAttribute('aria-sort', state.descending ? 'descending' : 'ascending');
    return cell;
  }));
  body.replaceChildren(...files.slice(0, state.limit).map(file => {
    const row = element('tr', { class: 'file', tabindex: '0', 'aria-expanded': 'false' },
      ...columns.map(([, value, shown]) => element('td', {}, shown(value(file)))));
    if (file.troubles) row.firstChild.classList.add('trouble');
    const toggle = () => {
      const open = row.nextSibling && row.nextSibling.classList.contains('details');
      if (open) row.nextSibling.remove(); else row.after(details(file));
      row.setAttribute('aria-expanded', String(!open));
    };
    row.addEventListener('click', toggle);
    row.addEventListener('keydown', event => { if (event.key === 'Enter') toggle(); });
    return row;
  }));
  // A single file is what the page is about.
  if (data.files.length === 1 && files.length === 1) body.firstChild.click();
  const left = files.length - state.limit;
  more.replaceChildren(...(left > 0 ? [element('button', { click: () => { state.limit = Infinity; showFiles(); } }, `Show ${counted(left, 'more file')}`)] : []));
}
function showTable() {
  section('files').append(
    element('div', { class: 'tools' },
      element('input', { type: 'search', placeholder: 'Part of a name', 'aria-label': 'Part of a name', input: event => { state.filter = event.target.value; showFiles(); } }),
      element('button', { click: () => save('concilio.csv', 'text/csv', csv()) }, 'CSV'),
      element('button', { click: () => save('concilio.json', 'application/json', JSON.stringify(data)) }, 'JSON')),
    element('div', { class: 'scroll' }, element('table', {}, element('thead', {}, head), body)), more,
    element('p', { class: 'quiet' }, 'Times are of the slowest rank. A click on a file shows all of it; a click on a title sorts.'));
  showFiles();
}

showTotals();
showAdvice();
showTable();
