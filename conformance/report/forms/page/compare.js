/* A comparison of two reports, as forms/html_compare.c writes it. */
const textOf = (rows, name, i) => visible(text(get(rows, name, i)));
const numberOf = (rows, name, i) => rows[name] ? number(rows[name][i]) : NaN;
const badgeOf = (status) => status < 0 ? h('span', { class: 'quiet' }, 'absent') : badge(status);
const letter = (pair) => h('span', { class: 'letter', title: report.pairs[pair].is }, String(pair));
const lineName = (rows, i) => textOf(rows, 'title', i)
    || `${textOf(rows, 'op', i)} ${textOf(rows, 'type', i)}`;
const share = (from, to) => from > 0 && Number.isFinite(to)
    ? `${to < from ? '−' : '+'}${Math.abs(100 * (to / from - 1)).toFixed(1)} %` : '–';

/* ---- pairs: how many checks went from which status to which ---- */

function pairTable(pair, index) {
    const used = STATUS.map((x, status) => status).filter((status) =>
        pair.from_to[status].some((n) => n) || pair.from_to.some((row) => row[status]));
    return [h('h3', {}, letter(index), ' ', visible(pair.is),
        pair.was !== pair.is && h('span', { class: 'quiet' }, ` (old: ${visible(pair.was)})`)),
    h('p', { class: 'quiet' }, `${plural(pair.common, 'check')} in both, ${counted(pair.gone)
    } in the old report alone, ${counted(pair.added)} in the new one alone`,
    pair.bounds_differ && '; held to other bounds, so margins are not compared'),
    table('From which status to which', [['old, down; new, across', ''],
        ...used.map((status) => [statusName(status), 'n'])],
    used.map((was) => [badge(was), ...used.map((is) => {
        const n = pair.from_to[was][is];
        return !n ? '–' : was === is ? h('span', { class: 'quiet' }, counted(n)) : h('strong', {}, counted(n));
    })]))];
}

/* ---- changes ---- */

const SHOWN_AT_FIRST = 200;

function changeRow(c, i) {
    const rerun = text(get(c, 'rerun', i)), reason = textOf(c, 'is_reason', i);
    return [h('code', {}, textOf(c, 'name', i)), letter(get(c, 'pair', i)),
        h('span', {}, badgeOf(get(c, 'was_status', i) - 1), h('span', { class: 'quiet' }, ' → '),
            badgeOf(get(c, 'is_status', i) - 1)),
        h('span', {}, reason), rerun ? h('details', {}, h('summary', {}, 'command'),
            h('code', {}, visible(rerun))) : ''];
}

function buildChanges() {
    const c = report.changes, place = h('div'), count = h('p', { role: 'status', class: 'found' });
    if (!c.rows)
        return;
    const kind = h('select', {}, h('option', { value: '' }, 'any'), report.kinds.map((k, i) =>
        k.count ? h('option', { value: i }, `${k.title} (${counted(k.count)})`) : null));
    const query = h('input', { type: 'search', autocomplete: 'off', placeholder: 'conv_2d' });
    const draw = () => {
        const words = query.value.trim().toLowerCase();
        const found = rowsOf(c).filter((i) => (kind.value === '' || get(c, 'kind', i) === Number(kind.value))
            && (!words || textOf(c, 'name', i).toLowerCase().includes(words)
                || textOf(c, 'is_reason', i).toLowerCase().includes(words)));
        count.textContent = `${counted(found.length)} of ${plural(c.rows, 'change')}`;
        longTable(place, 'Changes', [['case', ''], ['on', ''], ['old → new', 'tight'], ['now says', 'says'], ['again', '']],
        found, (i) => changeRow(c, i), SHOWN_AT_FIRST, { class: 'stack' });
    };
    kind.addEventListener('change', draw);
    query.addEventListener('input', draw);
    section('changes', 'What changed', h('ul', { class: 'totals' }, report.kinds.filter((k) => k.count).map((k) =>
        h('li', { class: k.bad ? 's1' : k.key === 'other' ? 's5' : 's0' }, h('b', {}, counted(k.count)), ' ',
            k.title))),
    h('form', { id: 'filters', role: 'search', 'aria-label': 'Filter of the changes', on: { submit: (e) => e.preventDefault() } },
        h('label', { class: 'grow' }, 'Case or reason ', query), h('label', {}, 'Kind ', kind)),
    count, place);
    draw();
}

function buildSingles() {
    const c = report.singles, place = h('div');
    if (!c.rows)
        return;
    section('singles', 'Only in one report', place);
    longTable(place, 'Checks that only one report has', [['case', ''], ['on', ''], ['old', ''], ['new', '']],
        rowsOf(c), (i) => [h('code', {}, textOf(c, 'name', i)), letter(get(c, 'pair', i)),
            badgeOf(get(c, 'was_status', i) - 1), get(c, 'kind', i) ? 'was not reached' : badgeOf(get(c, 'is_status', i) - 1)], SHOWN_AT_FIRST, { class: 'stack' });
}

/* ---- figures ---- */

/* The scale of a figure that moved: from one mark to another, on a scale to the largest one. */
function movePlot(from, to, top, fails) {
    const x = (v) => 4 + 192 * Math.min(1, Math.max(0, v) / top);
    return s('svg', { class: 'move' + (fails ? ' worse' : ''), viewBox: '0 0 200 16', 'aria-hidden': 'true' },
        s('line', { class: 'tick', x1: 4, x2: 196, y1: 8, y2: 8 }),
        s('line', { class: 'way', x1: x(from), x2: x(to), y1: 8, y2: 8 }),
        s('circle', { class: 'from', cx: x(from), cy: 8, r: 3 }),
        s('circle', { class: 'to', cx: x(to), cy: 8, r: 4 }));
}

function buildGrowths(id, title, words, rows, shownAs, top) {
    if (!rows.rows)
        return;
    const place = h('div');
    section(id, title, h('p', { class: 'quiet' }, words), place);
    longTable(place, title, [['case', ''], ['on', ''], ['old', 'n'], ['new', 'n'], ['', 'n'], ['', 'move-cell'], ['', '']],
        rowsOf(rows), (i) => {
            const from = numberOf(rows, 'from', i), to = numberOf(rows, 'to', i), fails = get(rows, 'fails', i);
            return [h('code', {}, textOf(rows, 'name', i)), letter(get(rows, 'pair', i)), shownAs(from),
                shownAs(to), share(from, to), movePlot(from, to, top(from, to), fails),
                fails ? h('span', { class: 'badge s1' }, '✗ grew') : h('span', { class: 'badge s0' }, '✓ shrank')];
        }, SHOWN_AT_FIRST, { class: 'stack' });
}

/* Each op and type as a mark at its factor, on a straight scale of halves and doubles. */
function buildTimes() {
    const l = report.lines, timed = rowsOf(l).filter((i) => !Number.isNaN(numberOf(l, 'factor', i)));
    const moved = timed.filter((i) => get(l, 'slower', i) || get(l, 'faster', i));
    if (!report.pairs.some((p) => p.timed))
        return;
    const x = (factor) => 320 + 300 * Math.max(-1, Math.min(1, Math.log2(factor)));
    const plots = report.pairs.map((pair, index) => {
        const marks = timed.filter((i) => get(l, 'pair', i) === index), noise = number(pair.noise);
        const words = `${visible(pair.is)}: the whole run takes ${shown(number(pair.factor), 4)} times as long; ${
            plural(marks.length, 'op')} and types${Number.isNaN(noise) ? '' : `, which scatter by ${
            (100 * Math.expm1(noise)).toFixed(1)} %`}; ${counted(marks.filter((i) => get(l, 'slower', i)).length)
        } of them slower`;
        return pair.timed ? h('figure', {}, h('figcaption', {}, letter(index), ' ', h('span', { class: 'quiet' }, words)),
            marks.length ? s('svg', { class: 'profile', viewBox: '0 0 640 74', role: 'img', 'aria-label': words },
                Number.isNaN(noise) ? null : s('rect', { class: 'noise', x: x(Math.exp(-2 * noise)), y: 6,
                    width: x(Math.exp(2 * noise)) - x(Math.exp(-2 * noise)), height: 44 }),
                [0.5, 0.71, 0.91, 1, 1.1, 1.41, 2].map((v) => [
                    s('line', { class: v === 1 ? 'one' : 'tick', x1: x(v), x2: x(v), y1: 6, y2: 50 }),
                    s('text', { x: x(v), y: 66, 'text-anchor': 'middle' }, v === 1 ? 'equal' : `${v}×`)]),
                marks.map((i, at) => s('circle', { class: get(l, 'slower', i) ? 'over' : get(l, 'faster', i) ? 'faster' : 'within',
                    cx: x(numberOf(l, 'factor', i)), cy: 12 + at * 7 % 33, r: 3 },
                s('title', {}, `${lineName(l, i)}: ${shown(numberOf(l, 'factor', i), 4)} times as long`)))) : null) : null;
    });
    section('times', 'Times', h('p', { class: 'quiet' },
        'How much longer the cases of an op and type take together, the factor of the whole run taken out; the band holds 95 % of what noise does.'),
    h('div', { class: 'plots' }, plots.filter(Boolean)),
    moved.length ? table('Ops and types whose times moved', [['op and type', ''], ['on', ''], ['cases', 'n'],
        ['old, ms', 'n'], ['new, ms', 'n'], ['factor', 'n'], ['p', 'n'], ['', '']],
    moved.map((i) => [lineName(l, i), letter(get(l, 'pair', i)), counted(get(l, 'timed', i)),
        shownMs(numberOf(l, 'ms_was', i)), shownMs(numberOf(l, 'ms_is', i)), shown(numberOf(l, 'factor', i), 4),
        shown(numberOf(l, 'p', i), 2), get(l, 'slower', i) ? h('span', { class: 'badge s1' }, '✗ slower')
            : h('span', { class: 'badge s0' }, '✓ faster')])) : h('p', {}, 'No op moved beyond noise and the limit.'));
}

function buildModels() {
    if (report.models.length)
        section('models', 'Whole models', table('Whole models', [['model', ''], ['on', ''], ['old', ''], ['new', ''],
            ['reason', 'says']], report.models.map((m) => [visible(m.name), visible(m.subject), badgeOf(m.was),
            badgeOf(m.is), visible(m.reason || '')])));
}

const largest = (rows) => rowsOf(rows).reduce((top, i) =>
    Math.max(top, numberOf(rows, 'from', i), numberOf(rows, 'to', i)), 0);

section('pairs', 'Subjects', report.pairs.map(pairTable));
buildChanges();
buildSingles();
buildGrowths('margins', 'Margins', 'Largest error over limit of a check that moved beyond the limits of the comparison; the scale ends at 1, the limit.',
    report.margins, shownMargin, () => 1);
buildTimes();
const mostMemory = largest(report.memory);
buildGrowths('memory', 'Memory', 'Memory of a check that moved beyond the limits of the comparison.',
    report.memory, shownBytes, (from, to) => Math.min(mostMemory, 1.25 * Math.max(from, to)));
buildModels();
buildNavigation({ pairs: 'Subjects', changes: 'Changes', singles: 'In one alone', margins: 'Margins',
    times: 'Times', memory: 'Memory', models: 'Models' });
addEventListener('resize', reachScrolled);
reachScrolled();
