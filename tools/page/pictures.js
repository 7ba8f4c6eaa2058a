// ---- Pictures of what the ranks did: when, and where in the file. page.js and charts.js are before this in
// the page. An activity is what base/activity/activity_json.cpp writes: tables of cells, a row for some
// neighbouring ranks and a bin for a stretch of time or of a file.
const times = ['call_us', 'exchange_us', 'storage_us'], movedNames = ['asked_read', 'asked_written', 'stored_read', 'stored_written'];
const mostColumns = 96;

// Cells of `rows` rows and `columns` columns, from `begin` on, each column `width` wide.
function grid(rows, columns, begin, width) {
  return { rows, columns, begin, width, values: {} };
}
const gridOf = (target, name) => target.values[name] || (target.values[name] = new Float64Array(target.rows * target.columns));
// Adds a value to the cells that a stretch of rows and of the axis covers, spread evenly.
function spread(target, name, value, rowBegin, rowEnd, begin, end) {
  const cells = gridOf(target, name);
  const from = (begin - target.begin) / target.width, to = (end - target.begin) / target.width;
  for (let row = Math.floor(rowBegin); row < rowEnd && row < target.rows; ++row) {
    const ofRows = (Math.min(rowEnd, row + 1) - Math.max(rowBegin, row)) / (rowEnd - rowBegin);
    for (let column = Math.max(0, Math.floor(from)); column < to && column < target.columns; ++column) {
      const ofColumns = (Math.min(to, column + 1) - Math.max(from, column)) / (to - from);
      cells[row * target.columns + column] += value * ofRows * ofColumns;
    }
  }
}
function eachCell(pairs, bins, visit) {
  for (let i = 0; i + 1 < pairs.length; i += 2) visit(Math.floor(pairs[i] / bins), pairs[i] % bins, pairs[i + 1]);
}
// Around all that the activities have on an axis, or that of it which lies in a stretch.
function extent(activities, axis, width, stretch = [0, Infinity]) {
  let begin = Infinity, end = 0, narrowest = Infinity;
  for (const { [axis]: part } of activities) {
    if (part.bins === 0) continue;
    begin = Math.min(begin, part.first * part[width]);
    end = Math.max(end, (part.first + part.bins) * part[width]);
    narrowest = Math.min(narrowest, part[width]);
  }
  if (end === 0) return null;
  begin = Math.max(begin, stretch[0]);
  end = Math.min(end, stretch[1]);
  while ((end - begin) / narrowest > mostColumns) narrowest *= 2;
  begin = Math.floor(begin / narrowest) * narrowest;
  return { begin, columns: Math.ceil((end - begin) / narrowest), width: narrowest };
}
// Adds a table of cells to a grid of ranks.
function addTable(target, activity, part, width, names, ranks, ranksARow, onlyRow) {
  for (const name of names) {
    eachCell(part[name] || [], part.bins, (row, bin, value) => {
      const first = (activity.first_rank || 0) + row * activity.ranks_a_row, last = Math.min(first + activity.ranks_a_row, Math.max(ranks, first + 1));
      const [from, to] = onlyRow === undefined ? [first / ranksARow, last / ranksARow] : [onlyRow, onlyRow + 1];
      spread(target, name, value, from, to, (part.first + bin) * part[width], (part.first + bin + 1) * part[width]);
    });
  }
}
// Some activities say only who waited.
const tablesOf = file => (file.activities || []).filter(activity => activity.time);
// What is drawn of some files: ranks over time; and ranks over the bytes of one file, or files over their bytes. Of a stretch
// of time or of bytes there are cells as narrow as were recorded.
function pictureOf(files, stretch) {
  const all = files.flatMap(file => tablesOf(file).map(activity => ({ file, ...activity })));
  const ranks = Math.max(...files.map(file => file.ranks), ...all.map(one => (one.first_rank || 0) + (one.rows - 1) * one.ranks_a_row + 1), 1);
  const ranksARow = Math.ceil(ranks / Math.max(...all.map(one => Math.ceil(one.file.ranks / one.ranks_a_row)), 1));
  const rows = Math.ceil(ranks / ranksARow);
  const onTime = extent(all, 'time', 'bin_ns', stretch.time), onBytes = extent(all, 'offsets', 'bin_bytes', stretch.bytes);
  const time = onTime && grid(rows, onTime.columns, onTime.begin, onTime.width);
  const manyFiles = files.length > 1;
  const bytes = onBytes && grid(manyFiles ? files.length : rows, onBytes.columns, onBytes.begin, onBytes.width);
  for (const one of all) {
    if (time) addTable(time, one, one.time, 'bin_ns', [...times, ...movedNames], one.file.ranks, ranksARow);
    if (bytes) addTable(bytes, one, one.offsets, 'bin_bytes', movedNames, one.file.ranks, ranksARow, manyFiles ? files.indexOf(one.file) : undefined);
  }
  return { ranks, ranksARow, rows, time, bytes, files, stretch };
}
const ranksOf = (picture, row) => {
  const first = row * picture.ranksARow, last = Math.min(first + picture.ranksARow, picture.ranks) - 1;
  return last > first ? `ranks ${first}-${last}` : `rank ${first}`;
};
const ranksIn = (picture, row) => Math.min((row + 1) * picture.ranksARow, picture.ranks) - row * picture.ranksARow;

// ---- Drawing.
const heightOf = rows => Math.max(48, Math.min(320, rows * 24));
// The axes of a picture over time or over bytes, and what else its charts have in common. `zoom(stretch)` draws all anew.
function frameOf(picture, over, zoom) {
  const cells = picture[over];
  const ofFiles = over === 'bytes' && picture.files.length > 1;
  const name = row => picture.files[row].name.replace(/.*\//, '');
  return {
    cells, height: heightOf(cells.rows), columns: (over === 'time' ? timeAxis : bytesAxis)(cells),
    rows: ofFiles ? countedAxis('file', cells.rows, cells.rows, name) : countedAxis('rank', picture.ranks, cells.rows * picture.ranksARow),
    rowName: ofFiles ? name : row => ranksOf(picture, row),
    zoom: stretch => zoom(over, stretch),
  };
}
// A title, and the way back from a stretch.
const titled = (title, picture, over, zoom) => element('h3', {}, title,
  ...(picture.stretch[over] ? [' ', element('button', { click: () => zoom(over) }, over === 'time' ? 'Show all the time' : 'Show all bytes')] : []));
// Shades of one colour: a path for each of some steps, so that a picture has few elements however many cells.
const steps = 12;
function heatMap(title, frame, names, most) {
  const { cells } = frame;
  const value = (row, column) => names.reduce((sum, name) => sum + (cells.values[name] ? cells.values[name][row * cells.columns + column] : 0), 0);
  const paths = Array(steps).fill('');
  for (let row = 0; row < cells.rows; ++row) {
    for (let column = 0; column < cells.columns; ++column) {
      const here = value(row, column);
      if (here > 0) paths[Math.min(steps - 1, Math.ceil(Math.sqrt(here / most) * steps) - 1)] += `M${column} ${row}h1v1h-1z`;
    }
  }
  return chartOf({
    ...frame, title, told: (row, column) => bytes(Math.round(value(row, column))),
    paths: paths.flatMap((d, step) => d ? [{ d, style: 'heat', opacity: ((step + 1) / steps).toFixed(2) }] : []),
  });
}
function mapPair(title, picture, over, zoom) {
  const frame = frameOf(picture, over, zoom), { cells } = frame;
  const one = (who, words) => {
    const names = [`${who}_read`, `${who}_written`];
    let largest = 0;
    for (let cell = 0; cell < cells.rows * cells.columns; ++cell)
      largest = Math.max(largest, names.reduce((sum, name) => sum + (cells.values[name] ? cells.values[name][cell] : 0), 0));
    return element('figure', {}, element('figcaption', {}, words, element('span', { class: 'quiet' }, largest > 0 ? ` (strongest: ${bytes(Math.round(largest))})` : ' (nothing)')),
      heatMap(`${title}: ${words}`, frame, names, largest || 1));
  };
  return element('div', {}, titled(title, picture, over, zoom), element('div', { class: 'pair' }, one('asked', 'what the program asked for'), one('stored', 'what storage saw')));
}
// A strip for each row: how much of each stretch of time its ranks waited, moved bytes to and from storage, and were in calls
// for other reasons.
function timeLine(picture, zoom) {
  const cells = picture.time, paths = { exchange: '', storage: '', rest: '' };
  const get = (name, row, column) => (cells.values[name] ? cells.values[name][row * cells.columns + column] : 0);
  const shares = (row, column) => {
    const whole = cells.width * 1e-3 * ranksIn(picture, row);
    const call = Math.min(1, get('call_us', row, column) / whole), exchange = Math.min(call, get('exchange_us', row, column) / whole);
    const storage = Math.min(call - exchange, get('storage_us', row, column) / whole);
    return { exchange, storage, rest: call - exchange - storage };
  };
  for (let row = 0; row < cells.rows; ++row) {
    for (let column = 0; column < cells.columns; ++column) {
      let bottom = row + 0.96;
      for (const [style, share] of Object.entries(shares(row, column))) {
        if (share <= 0.002) continue;
        const tall = share * 0.92;
        paths[style] += `M${column} ${(bottom - tall).toFixed(3)}h1v${tall.toFixed(3)}h-1z`;
        bottom -= tall;
      }
    }
  }
  const percent = share => `${Math.round(100 * share)} %`;
  const title = 'How the ranks spent their time';
  return element('div', {}, titled(title, picture, 'time', zoom), chartOf({
    ...frameOf(picture, 'time', zoom), title, paths: Object.entries(paths).flatMap(([style, d]) => d ? [{ d, style: `time-${style}` }] : []),
    told: (row, column) => { const here = shares(row, column); return `waiting ${percent(here.exchange)}, storage ${percent(here.storage)}, other work in calls ${percent(here.rest)}`; },
  }),
    element('div', { class: 'legend' }, ...[['exchange', 'waiting for other ranks and messages'], ['storage', 'storage'], ['rest', 'other work in calls']].map(([style, words]) =>
      element('span', {}, element('i', { class: style }), words)), element('span', { class: 'quiet' }, 'the rest: outside of calls')));
}
// Who let others wait. A rank that waited much less than another one came last.
function stragglers(file) {
  const waits = slowest(file, 'exchange_ns') * 1e-9;
  const [least] = file.activities[0].waited_least || [];
  // As told_of_late_rank() in summary.cpp. Sums over several opens say nothing of one of them.
  if (!least || file.ranks < 2 || file.opened > 1 || waits < 0.01 || waits < 0.2e-9 * slowest(file, 'call_ns') || least.waited_seconds > waits / 2) return [];
  const mean = (sum(file, 'call_ns') - sum(file, 'exchange_ns')) * 1e-9 / file.ranks;
  const why = least.own_seconds > 1.5 * mean ? `its own work in calls took ${seconds(least.own_seconds)}, against ${seconds(mean)} on average` : 'it came late to the calls';
  return [element('p', {}, `${file.name}: ranks waited up to ${seconds(waits)} for others. Rank ${least.rank} waited least, ${seconds(least.waited_seconds)}: ${why}.`)];
}

// ---- Sizes and alignment.
const powersOf = (file, table, name) => {
  const counts = new Array(64).fill(0);
  for (const activity of tablesOf(file)) eachCell(activity[table][name] || [], 64, (row, power, value) => { counts[power] += value; });
  return counts;
};
const movedWords = { asked_read: 'reads of the program', asked_written: 'writes of the program', stored_read: 'reads from storage', stored_written: 'writes to storage' };
function sizes(file) {
  const shown = movedNames.map(name => [name, powersOf(file, 'lengths', name), powersOf(file, 'alignments', name)]).filter(([, counts]) => counts.some(value => value > 0));
  if (shown.length === 0) return [];
  const aligned = (counts, total, power) => `${Math.round(100 * counts.slice(power).reduce((sum, value) => sum + value, 0) / total)} %`;
  return [element('h3', {}, 'Sizes and alignment'), element('div', { class: 'scroll' }, table(['', 'how many', 'sizes', 'most often', 'begin at a multiple of 4 KiB', 'of 64 KiB', 'of 1 MiB'], shown.map(([name, counts, places]) => {
    const total = counts.reduce((sum, value) => sum + value, 0), used = counts.map((value, power) => [value, power]).filter(([value]) => value > 0);
    const [low, high] = [used[0][1], used[used.length - 1][1]], most = Math.max(...counts), often = counts.indexOf(most);
    const bars = d3.create('svg').attr('viewBox', `0 0 ${high - low + 1} 1`).attr('preserveAspectRatio', 'none').attr('class', 'bars')
      .attr('role', 'img').attr('aria-label', `counts by size, from ${bytes(2 ** low)} to ${bytes(2 ** (high + 1))}`);
    bars.append('path').attr('class', 'heat').attr('d', used.map(([value, power]) => `M${power - low + 0.05} ${1 - value / most}h.9V1h-.9z`).join(''));
    return [movedWords[name], count(total), element('span', { class: 'sizes' }, bytes(2 ** low), bars.node(), bytes(2 ** (high + 1))), `${bytes(2 ** often)} to ${bytes(2 ** (often + 1))}: ${Math.round(100 * most / total)} %`,
      aligned(places, total, 12), aligned(places, total, 16), aligned(places, total, 20)];
  })))];
}

// ---- The section, for one file or for all that have activities.
function cellsAsCsv(picture) {
  const names = [...times, ...movedNames], rows = [];
  for (let row = 0; picture.time && row < picture.time.rows; ++row) {
    for (let column = 0; column < picture.time.columns; ++column) {
      const values = names.map(name => Math.round(picture.time.values[name] ? picture.time.values[name][row * picture.time.columns + column] : 0));
      if (values.some(value => value > 0))
        rows.push([row * picture.ranksARow, row * picture.ranksARow + ranksIn(picture, row) - 1, (picture.time.begin + column * picture.time.width) * 1e-9, (picture.time.begin + (column + 1) * picture.time.width) * 1e-9, ...values]);
    }
  }
  return [['first_rank', 'last_rank', 'begin_seconds', 'end_seconds', ...names], ...rows].map(row => row.join(',') + '\n').join('');
}
// Of a stretch of time or of bytes, if it is in `stretch`.
function drawPictures(into, files, stretch = {}) {
  const picture = pictureOf(files, stretch), drawn = [];
  const zoom = (over, chosen) => { if (chosen || stretch[over]) drawPictures(into, files, { ...stretch, [over]: chosen }); };
  charts = [];
  drawn.push(...files.flatMap(stragglers).slice(0, 5));
  if (picture.time) drawn.push(timeLine(picture, zoom), mapPair('Ranks over time', picture, 'time', zoom));
  if (picture.bytes) drawn.push(mapPair(files.length > 1 ? 'Files over their bytes' : 'Ranks over the bytes of the file', picture, 'bytes', zoom));
  if (files.length === 1) drawn.push(...sizes(files[0]));
  drawn.push(element('p', { class: 'tools' }, element('button', { click: () => save('concilio-times.csv', 'text/csv', cellsAsCsv(picture)) }, 'Times as CSV')));
  into.replaceChildren(...drawn);
  drawCharts();
}
function showPictures() {
  const known = data.files.filter(file => tablesOf(file).some(activity => activity.time.bins > 0));
  if (known.length === 0) return;
  const into = element('div');
  const together = known.slice(0, 32);
  section('pictures').append(element('h2', {}, 'When and where'));
  if (known.length > 1) {
    const choice = element('select', { 'aria-label': 'file', change: () => drawPictures(into, choice.value === '' ? together : [known[Number(choice.value)]]) },
      element('option', { value: '' }, known.length > together.length ? `the ${together.length} files that took longest` : 'all files'),
      ...known.slice(0, 200).map((file, index) => element('option', { value: String(index) }, file.name)));
    section('pictures').append(element('p', {}, choice));
  }
  section('pictures').append(into, element('p', { class: 'quiet' }, 'Drag the mouse over a picture to see a stretch of it; a double click shows all of it again. Times begin when MPI does. Within a stretch of time or of a file, bytes are spread evenly; mapped files reach storage without requests.'));
  drawPictures(into, known.length > 1 ? together : known);
}

