/* Ops by type by subject: a cell for the checks of an op in a type on a subject. */

/* Totals of lines: of an op and type, or of a title, on each subject. */
const lines = (() => {
    const ops = new Map(), titles = new Map(), types = new Set();
    for (let i = 0; i < results.count; i++) {
        const c = results.test[i], title = cases.title[c];
        const group = title ? titles : ops, name = title || cases.op[c], type = title ? 0 : cases.type[c];
        if (!title)
            types.add(type);
        if (!group.has(name))
            group.set(name, new Map());
        const key = type * report.subjects.length + results.subject[i], cells = group.get(name);
        if (!cells.has(key))
            cells.set(key, new Totals());
        cells.get(key).add(i);
    }
    const byName = (a, b) => text(a[0]) < text(b[0]) ? -1 : 1;
    return { ops: [...ops].sort(byName), titles: [...titles], types: [...types] };
})();

const matrixShows = { value: 'verdict', exotic: true };

/* What part of the common cases fails, as one of four grades; 0: none does. */
function share(t) {
    const part = t.common ? t.commonBad / t.common : 0;
    return part === 0 ? 0 : part <= 0.05 ? 1 : part <= 0.2 ? 2 : part <= 0.5 ? 3 : 4;
}

/* How far the limit is used, as one of five grades. */
const grade = (margin) => !(margin > 0) ? 0 : margin <= 0.25 ? 1 : margin <= 0.5 ? 2
    : margin <= 0.8 ? 3 : 4;

function cellText(t) {
    const passed = t.count[PASS];
    if (matrixShows.value === 'checks')
        return counted(t.all);
    if (matrixShows.value === 'margin')
        return Number.isNaN(t.margin) ? '–' : t.margin === 0 ? '0' : t.margin > 1
            ? (t.margin >= 99.5 ? '>99' : t.margin.toPrecision(2)) : t.margin.toFixed(2).replace(/^0/, '');
    if (t.commonBad)
        return '✗' + counted(t.commonBad);
    if (t.count[WAIVED])
        return '~' + counted(t.count[WAIVED]);
    return t.count[DECLINED] === t.all ? '–' : passed + t.bad === t.all ? '✓' : '◐';
}

function cellWords(t) {
    const parts = [plural(t.all, 'check')];
    STATUS.forEach((name, status) => {
        if (t.count[status])
            parts.push(counted(t.count[status]) + ' ' + statusName(status));
    });
    if (t.bad > t.commonBad)
        parts.push(`${counted(t.bad - t.commonBad)} of the failed exotic`);
    if (!Number.isNaN(t.margin))
        parts.push('margin ' + shownMargin(t.margin));
    return parts.join(', ');
}

function matrixCell(t, link, what) {
    if (!t)
        return h('td', { class: 'empty' });
    const kind = t.commonBad ? 'bad b' + share(t) : t.count[DECLINED] === t.all ? 'declined'
        : 'good g' + (t.bad ? 0 : grade(t.margin));
    const mark = matrixShows.exotic && t.bad > t.commonBad ? ' exotic' : '';
    const words = `${what}: ${cellWords(t)}`;
    return h('td', { class: kind + mark }, h('a', { href: link, title: words, 'aria-label': words },
        cellText(t)));
}

const subjectHeads = (subjects) => subjects.map((subject, i) => h('th', {
    scope: 'col', class: 'sub' + (i ? '' : ' first'), title: subjectLabel(subject),
    'aria-label': `subject ${subject}: ${subjectLabel(subject)}` }, String(subject)));

function opsTable() {
    const S = report.subjects.length, used = new Map(lines.types.map((type) => [type, new Set()]));
    for (const [, cells] of lines.ops)
        for (const key of cells.keys())
            used.get(Math.floor(key / S)).add(key % S);
    const types = lines.types.map((type) => [type, [...used.get(type)].sort((a, b) => a - b)]);
    return h('table', { class: 'matrix' },
        h('caption', { class: 'hidden' }, 'Checks of each op, in each type, on each subject'),
        h('thead', {},
            h('tr', {}, h('th', { scope: 'col', rowspan: 2 }, 'op'), types.map(([type, subjects]) =>
                h('th', { scope: 'colgroup', colspan: subjects.length, class: 'first' },
                    visible(text(type))))),
            h('tr', {}, types.map(([, subjects]) => subjectHeads(subjects)))),
        h('tbody', {}, lines.ops.map(([op, cells]) => h('tr', {},
            h('th', { scope: 'row' }, h('a', { href: addressOf({ op: text(op) }) }, visible(text(op)))),
            types.map(([type, subjects]) => subjects.map((subject, i) => {
                const td = matrixCell(cells.get(type * S + subject), addressOf({ op: text(op),
                    type: text(type), subject: String(subject), title: lines.titles.length ? NO_TITLE : '' }),
                `${text(op)} ${text(type)} on subject ${subject}`);
                if (!i)
                    td.classList.add('first');
                return td;
            }))))));
}

function titlesTable() {
    const subjects = [...report.subjects.keys()];
    return lines.titles.length ? h('table', { class: 'matrix titles' },
        h('caption', {}, 'Known faults of delegates'),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'fault'), subjectHeads(subjects))),
        h('tbody', {}, lines.titles.map(([title, cells]) => h('tr', {},
            h('th', { scope: 'row' }, h('a', { href: addressOf({ title: text(title) }) },
                visible(text(title)))),
            subjects.map((subject) => matrixCell(cells.get(subject),
                addressOf({ title: text(title), subject: String(subject) }),
                `${text(title)} on subject ${subject}`)))))) : null;
}

function buildMatrix() {
    const place = h('div', { class: 'wide tables', tabindex: 0, role: 'region', 'aria-label': 'Matrix' });
    const draw = () => place.replaceChildren(...[opsTable(), titlesTable()].filter(Boolean));
    const choice = (value, label) => h('label', {}, h('input', { type: 'radio', name: 'matrix-shows',
        value, checked: value === matrixShows.value, on: { change: () => {
            matrixShows.value = value;
            draw();
        } } }), ' ' + label);
    draw();
    section('matrix', 'Ops, types, subjects',
        h('fieldset', { class: 'choice' }, h('legend', { class: 'hidden' }, 'The matrix shows'),
            choice('verdict', 'verdict'), choice('margin', 'worst margin'), choice('checks', 'checks'),
            h('label', {}, h('input', { type: 'checkbox', id: 'exotic-on', checked: true, on: { change: (e) => {
                matrixShows.exotic = e.target.checked;
                draw();
            } } }), ' exotic cases')),
        h('ul', { class: 'legend' },
            ['no error', 'up to ¼', 'up to ½', 'up to 0.8', 'up to the limit'].map((label, g) =>
                h('li', {}, h('span', { class: 'sample good g' + g, 'aria-hidden': 'true' }, '✓'), label)),
            ['up to 5 % failed', 'up to 20 %', 'up to 50 %', 'more'].map((label, g) =>
                h('li', {}, h('span', { class: 'sample bad b' + (g + 1), 'aria-hidden': 'true' }, '✗'), label)),
            h('li', {}, h('span', { class: 'sample exotic', 'aria-hidden': 'true' }, '\u00a0'), 'exotic cases fail'),
            h('li', {}, h('span', { class: 'sample', 'aria-hidden': 'true' }, '◐'), 'some declined'),
            h('li', {}, h('span', { class: 'sample declined', 'aria-hidden': 'true' }, '–'), 'declined')),
        h('p', { class: 'quiet subjects-key' }, report.subjects.map((x, i) =>
            h('span', {}, letter(i), ' ', visible(x.label)))),
        place);
}
