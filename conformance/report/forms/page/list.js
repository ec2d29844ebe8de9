/* The list of checks: rows exist only where they can be seen, so that a hundred thousand are no
 * slower than ten. */
const list = {
    shown: [],       /* indices of results, filtered and sorted */
    active: 0,       /* the row that the keyboard is on */
    first: -1, last: -1, /* rows that exist */
    rowHeight: 28,
    all: false,      /* when printing: every row that is shown exists */
};
const PRINTED_ROWS = 500;

const sortLabel = (key) => filter.sort.replace('-', '') === key
    ? (filter.sort.startsWith('-') ? 'descending' : 'ascending') : 'none';

function buildHead() {
    byId('grid-head').replaceChildren(h('tr', { 'aria-rowindex': 1 }, COLUMNS.map((c) => {
        const order = sortLabel(c.key);
        return h('th', { scope: 'col', class: c.kind, 'aria-sort': order },
            h('button', { type: 'button', 'data-sort': c.key, on: { click: () => sortBy(c) } },
                c.heading, h('span', { class: 'arrow', 'aria-hidden': 'true' },
                    order === 'none' ? '' : order === 'ascending' ? ' ▲' : ' ▼')));
    })));
}

function sortBy(c) {
    const up = c.key, down = '-' + c.key;
    const turns = c.down ? [down, up] : [up, down];
    const now = turns.indexOf(filter.sort);
    go({ sort: now === 0 ? turns[1] : now === 1 ? '' : turns[0] });
    byId('grid-head').querySelector(`[data-sort="${c.key}"]`).focus();
}

const statusCell = (i) => h('td', { class: 'c-status s' + results.status[i] },
    h('span', { class: 'mark', 'aria-hidden': 'true' }, SYMBOLS[results.status[i]]),
    h('span', { class: 'word' }, statusName(results.status[i])));

/* The margin with a bar up to its limit. */
function marginCell(i) {
    const v = results.margin[i];
    const cell = h('td', { class: 'c-margin n' + (v > 1 ? ' over' : '') }, shownMargin(v));
    if (v > 0) {
        const bar = h('i', { class: 'meter', 'aria-hidden': 'true' });
        bar.style.setProperty('--share', Math.min(1, v));
        cell.append(bar);
    }
    return cell;
}

function buildRow(place) {
    const i = list.shown[place], c = results.test[i], reason = text(results.reason[i]);
    const row = h('tr', {
        'aria-rowindex': place + 2, tabindex: place === list.active ? 0 : -1, 'data-place': place,
        class: place === list.active ? 'active' : null,
    },
    statusCell(i),
    h('td', { class: 'c-case' },
        h('a', { href: caseAddress(i), tabindex: -1, title: cases.name[c] }, visible(cases.name[c]))),
    h('td', { class: 'c-subject' }, letter(results.subject[i])),
    marginCell(i),
    h('td', { class: 'c-error n' }, shown(results.abs[i])),
    h('td', { class: 'c-ulp n' }, shown(results.ulp[i])),
    h('td', { class: 'c-ms n' }, shownMs(results.ms[i])),
    h('td', { class: 'c-bytes n' }, results.bytes[i] ? shownBytes(results.bytes[i]) : '–'),
    h('td', { class: 'c-reason', title: reason || null }, visible(reason)));
    return row;
}

const spacer = () => h('tr', { class: 'spacer', 'aria-hidden': 'true' }, h('td'));

/* Makes the rows that the scroll position shows, and a few before and behind. */
function drawRows(force) {
    const box = byId('list'), body = byId('grid-body'), n = list.shown.length;
    const margin = 12, visibleRows = Math.ceil(box.clientHeight / list.rowHeight);
    let first = Math.max(0, Math.floor(box.scrollTop / list.rowHeight) - margin);
    let last = Math.min(n, first + visibleRows + 2 * margin);
    if (list.all)
        [first, last] = [0, Math.min(n, PRINTED_ROWS)];
    if (!force && first === list.first && last === list.last)
        return;
    const focused = body.contains(document.activeElement) && document.activeElement.closest('tr');
    [list.first, list.last] = [first, last];
    const rows = [];
    for (let place = first; place < last; place++)
        rows.push(buildRow(place));
    const before = spacer(), after = spacer();
    before.firstChild.style.height = first * list.rowHeight + 'px';
    after.firstChild.style.height = (list.all ? 0 : (n - last) * list.rowHeight) + 'px';
    body.replaceChildren(before, ...rows, after);
    if (focused)
        focusActive();
    /* The height of a row is the style's, and that differs on a phone. */
    const height = rows.length ? rows[0].getBoundingClientRect().height : 0;
    if (height > 0 && Math.abs(height - list.rowHeight) > 0.5 && !list.all) {
        list.rowHeight = height;
        drawRows(true);
    }
}

const activeRow = () => byId('grid-body').querySelector(`[data-place="${list.active}"]`);
function focusActive() {
    const row = activeRow();
    if (row)
        row.focus({ preventScroll: true });
}

/* Moves the keyboard to a row and shows it. */
function moveTo(place, focus) {
    const box = byId('list'), n = list.shown.length;
    if (!n)
        return;
    list.active = Math.max(0, Math.min(n - 1, place));
    const head = byId('grid-head').offsetHeight;
    const top = list.active * list.rowHeight;
    if (top < box.scrollTop)
        box.scrollTop = top;
    else if (top + list.rowHeight + head > box.scrollTop + box.clientHeight)
        box.scrollTop = top + list.rowHeight + head - box.clientHeight;
    drawRows(true);
    if (focus)
        focusActive();
}

function openActive() {
    const i = list.shown[list.active];
    if (i !== undefined)
        location.hash = caseAddress(i);
}

/* ---- the filter's controls ---- */

function options(select, all, entries, value) {
    select.replaceChildren(h('option', { value: '' }, all),
        ...entries.map(([key, label]) => h('option', { value: key }, label)));
    select.value = value;
    if (select.selectedIndex < 0)
        select.value = '';
}

/* Names of a column of cases, in the order of the alphabet. */
const namesOf = (ids) => [...new Set(ids)].map(text).filter(Boolean).sort();

const CONTROLS = ['status', 'op', 'type', 'subject', 'finding', 'severity', 'real', 'sort'];
function buildFilters() {
    const present = STATUS.map(() => 0);
    for (let i = 0; i < results.count; i++)
        present[results.status[i]]++;
    options(byId('f-status'), 'any', [...STATES,
        ...STATUS.map((name, status) => [name, statusName(status)]).filter((x, i) => present[i])], '');
    options(byId('f-op'), 'any', namesOf(cases.op).map((name) => [name, visible(name)]), '');
    options(byId('f-type'), 'any', namesOf(cases.type).map((name) => [name, visible(name)]), '');
    options(byId('f-subject'), 'any',
        report.subjects.map((x, i) => [String(i), i + ' ' + visible(x.label)]), '');
    options(byId('f-sort'), 'failures first', COLUMNS.map((c) => [(c.down ? '-' : '') + c.key,
        c.label || c.heading]), '');
    const found = rowsOf(report.findings);
    options(byId('f-finding'), 'any', found.map((i) => [String(i), `${i + 1} ${visible(findingName(i))}`]), '');
    options(byId('f-severity'), 'any', SEVERITIES.filter((name, k) =>
        found.some((i) => get(report.findings, 'severity', i) === k)).map((name) => [name, name]), '');
    options(byId('f-real'), 'any', [['some', 'in real models'], ['none', 'in no real node'],
        ['unknown', 'not known']], '');
    for (const name of ['finding', 'severity', 'real'])
        byId('f-' + name).parentElement.hidden = !found.length;
    for (const name of CONTROLS)
        byId('f-' + name).addEventListener('change', (e) => go({ [name]: e.target.value }));
    let waiting = 0;
    byId('q').addEventListener('input', () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => go({ q: byId('q').value }), 120);
    });
    byId('filters').addEventListener('submit', (e) => {
        e.preventDefault();
        clearTimeout(waiting);
        go({ q: byId('q').value });
        moveTo(0, true);
    });
}

/* What narrows the list and has no control of its own: a thing to take away. */
function buildChips() {
    const chips = [];
    const chip = (name, label) => chips.push(h('button', {
        type: 'button', class: 'chip', on: { click: () => { go({ [name]: '' }); byId('q').focus(); } },
    }, visible(label), h('span', { 'aria-hidden': 'true' }, ' ×'),
    h('span', { class: 'hidden' }, ': take this filter away')));
    if (filter.rule)
        chip('rule', 'rule: ' + filter.rule);
    if (filter.title)
        chip('title', filter.title === NO_TITLE ? 'without known faults' : filter.title);
    if (FIELDS.some((name) => name !== 'sort' && filter[name] !== ''))
        chips.push(h('button', { type: 'button', class: 'chip', on: { click: () => {
            go({ ...EMPTY, sort: filter.sort });
            byId('q').focus();
        } } }, 'show all'));
    byId('chips').replaceChildren(...chips);
}

function describeList() {
    let bad = 0;
    for (const i of list.shown)
        bad += results.bad[i];
    byId('count').textContent = (list.shown.length === results.count ? 'All '
        : counted(list.shown.length) + ' of ') + plural(results.count, 'check')
        + (bad ? `, ${counted(bad)} failed` : '') + (list.shown.length ? '' : ': nothing matches');
}

/* Shows what the filter asks for. */
function refresh() {
    for (const name of CONTROLS) {
        const select = byId('f-' + name);
        select.value = filter[name];
        if (select.selectedIndex < 0)
            select.value = '';
    }
    if (document.activeElement !== byId('q'))
        byId('q').value = filter.q;
    list.shown = sorted(filtered());
    list.active = 0;
    byId('grid').setAttribute('aria-rowcount', list.shown.length + 1);
    byId('list').scrollTop = 0;
    buildHead();
    buildChips();
    drawRows(true);
    describeList();
}
