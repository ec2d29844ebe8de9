/* Margins of each op as a strip: a point for each check, 0 to the limit on a straight scale, beyond
 * it by factors of ten up to a thousand. */
const STRIP = { width: 480, height: 26, limit: 360, end: 474 };
const stripX = (margin) => margin <= 1 ? STRIP.limit * margin
    : STRIP.limit + (STRIP.end - STRIP.limit) * Math.min(1, Math.log10(margin) / 3);

/* Points of one colour as one path, spread over five rows by their place in the run; those that
 * would cover each other are drawn once. */
function pointsPath(group) {
    const seen = new Set();
    let d = '';
    for (const i of group) {
        const x = Math.round(2 * stripX(results.margin[i])) / 2, row = i * 7 % 5, key = x * 10 + row;
        if (!seen.has(key)) {
            seen.add(key);
            d += `M${x - 1.2} ${2 + row * 4.4}h2.4v3.4h-2.4z`;
        }
    }
    return d;
}

function stripOf(group, label) {
    const within = [], over = [];
    for (const i of group)
        if (results.margin[i] > 0)
            (results.margin[i] > 1 ? over : within).push(i);
    return s('svg', { class: 'strip', viewBox: `-4 0 ${STRIP.width + 4} ${STRIP.height}`, role: 'img',
        'aria-label': label, preserveAspectRatio: 'none' },
    s('line', { class: 'tick', x1: 0, x2: STRIP.width, y1: 25.5, y2: 25.5 }),
    [0.25, 0.5, 0.75].map((v) => s('line', { class: 'tick', x1: stripX(v), x2: stripX(v), y1: 0, y2: 26 })),
    s('line', { class: 'limit', x1: STRIP.limit, x2: STRIP.limit, y1: 0, y2: 26 }),
    s('path', { class: 'within', d: pointsPath(within) }),
    s('path', { class: 'over', d: pointsPath(over) }));
}

function marginRow(op, group) {
    const margins = Float64Array.from(group, (i) => results.margin[i]).sort();
    const at = (share) => margins[Math.min(margins.length - 1, Math.floor(share * margins.length))];
    const worst = group.reduce((a, b) => results.margin[b] > results.margin[a] ? b : a);
    const zero = margins.filter((v) => v === 0).length;
    const over = margins.filter((v) => v > 1).length;
    const words = `${op}: ${plural(margins.length, 'check')}, ${zero} without error, median ${
        shownMargin(at(0.5))}, 95 % below ${shownMargin(at(0.95))}, largest ${shownMargin(at(1))}, ${
        over} over the limit`;
    return [h('a', { href: addressOf({ op, sort: '-margin' }) }, visible(op)), counted(margins.length),
        counted(zero), shownMargin(at(0.5)), stripOf(group, words), shownMargin(at(1)),
        h('a', { href: caseAddress(worst) }, visible(cases.name[results.test[worst]]))];
}

function drawMargins(place, subject) {
    const groups = new Map();
    for (let i = 0; i < results.count; i++) {
        if (Number.isNaN(results.margin[i]) || (subject !== '' && results.subject[i] !== Number(subject)))
            continue;
        const op = cases.op[results.test[i]];
        if (!groups.has(op))
            groups.set(op, []);
        groups.get(op).push(i);
    }
    const rows = [...groups].map(([op, group]) => marginRow(text(op), group))
        .sort((a, b) => a[0].textContent < b[0].textContent ? -1 : 1);
    place.replaceChildren(rows.length ? table('Margins of each op', [['op', ''], ['checks', 'n'],
        ['no error', 'n'], ['median', 'n'], [scaleHead(), 'strip-cell'], ['largest', 'n'],
        ['worst case', 'worst']], rows, { class: 'margins' })
        : h('p', {}, 'Nothing was compared.'));
}

const scaleHead = () => h('span', { class: 'scale' }, [['0', 0], ['½', 0.5], ['limit', 1], ['10×', 10],
    ['100×', 100]].map(([label, v]) => {
    const tick = h('span', {}, label);
    tick.style.left = 100 * (stripX(v) + 4) / (STRIP.width + 4) + '%';
    return tick;
}));

function buildMargins() {
    if (!report.results.margin)
        return;
    const place = h('div');
    const select = h('select', { id: 'margins-subject', on: { change: () => drawMargins(place, select.value) } },
        h('option', { value: '' }, 'all'), report.subjects.map((x, i) =>
            h('option', { value: i }, i + ' ' + visible(x.label))));
    section('margins', 'Margins', h('p', { class: 'quiet' },
        'The margin of a check is its largest error divided by the limit of the element: a point each.'),
    report.subjects.length > 1 && h('p', {}, h('label', {}, 'Subject ', select)), place);
    drawMargins(place, '');
}
