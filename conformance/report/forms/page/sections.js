/* The smaller parts: findings, what was declined, models, smallest forms, cost, planted faults. */

const FINDINGS_SHOWN = 20;
function buildFindings() {
    const f = report.findings;
    if (!f.rows)
        return;
    const place = h('div');
    const row = (i) => {
        const smallest = get(f, 'smallest', i), pattern = text(get(f, 'pattern', i)), n = get(f, 'count', i);
        const what = visible(findingName(i)), how = text(get(f, 'how', i));
        return [h('a', { href: addressOf({ finding: String(i) }),
            'aria-label': `finding ${i + 1}: ${plural(n, 'check')}` }, counted(n)),
        counted(get(f, 'judged', i) + get(f, 'graphs', i)), letter(get(f, 'subject', i)),
        badge(get(f, 'status', i), SEVERITIES[get(f, 'severity', i)]),
        exposureOf(get(f, 'exposure', i, null)),
        [what, ' ', h('span', { class: 'quiet' }, visible(text(get(f, 'types', i))))],
        [visible(text(get(f, 'what', i))), pattern && h('span', { class: 'pattern' }, ' where ',
            h('code', {}, visible(pattern)), h('span', { class: 'quiet' }, `, as do ${
                counted(get(f, 'passing_with', i))} of ${counted(get(f, 'passing', i))} that pass`)),
        how && h('span', { class: 'pattern' }, visible(how)),
        get(f, 'graphs', i) ? h('span', { class: 'quiet' }, ` ${counted(get(f, 'graphs', i))} in graphs that have it`)
            : null],
        h('a', { href: addressOf({ finding: String(i), case: cases.name[results.test[smallest]],
            on: String(results.subject[smallest]) }) }, visible(cases.name[results.test[smallest]]))];
    };
    section('findings', 'Findings', h('p', { class: 'quiet' },
        'Failures of one cause: of one reason in all ops, or wrong values of ops under one condition. '
        + 'What to fix first is at the top: by severity, and by the share of the nodes of real models '
        + 'that are of the kind that fails.'), place);
    longTable(place, 'Findings', [['checks', 'n'], ['of', 'n'], ['on', ''], ['severity', ''],
        ['real nodes', 'n'], ['op or fault', ''],
        ['says', 'says'], ['smallest case', '']], rowsOf(f), row, FINDINGS_SHOWN, { class: 'stack' });
}

/* The first of a list. */
function few(all) {
    return all.length > 6 ? all.slice(0, 5).join(', ') + ` and ${all.length - 5} more` : all.join(', ');
}

/* A share of 0.00012 as "0.012 %"; null is not known. */
function exposureOf(share) {
    return share === null ? '–' : share === 0 ? 'none' : `${Number((100 * share).toPrecision(2))} %`;
}

function buildDeclined() {
    const rules = new Map();
    for (let i = 0; i < results.count; i++) {
        if (results.status[i] !== DECLINED)
            continue;
        const rule = ruleOf(results.reason[i]);
        if (!rules.has(rule))
            rules.set(rule, { all: 0, subjects: report.subjects.map(() => 0), ops: new Set(), reasons: new Map() });
        const r = rules.get(rule), reason = results.reason[i];
        r.all++;
        r.subjects[results.subject[i]]++;
        r.ops.add(cases.op[results.test[i]]);
        r.reasons.set(reason, (r.reasons.get(reason) || 0) + 1);
    }
    if (!rules.size)
        return;
    const rows = [...rules].sort((a, b) => b[1].all - a[1].all).map(([rule, r]) => [
        h('a', { href: addressOf({ status: 'declined', rule }) }, visible(rule)), counted(r.all),
        ...r.subjects.map((n) => n ? counted(n) : '–'),
        h('span', {}, few([...r.ops].map((op) => visible(text(op))).sort()),
            reasonsOf(r.reasons))]);
    section('declined', 'Declined, by rule', table('Declined checks by rule', [['rule', ''], ['checks', 'n'],
        ...report.subjects.map((x, i) => [letter(i), 'n']), ['ops', 'says']], rows));
}

function reasonsOf(reasons) {
    const most = [...reasons].filter(([id]) => id && text(id).includes(':'))
        .sort((a, b) => b[1] - a[1]).slice(0, 8);
    return most.length ? h('details', {}, h('summary', {}, plural(reasons.size, 'reason')),
        h('ul', {}, most.map(([id, n]) => h('li', {}, visible(text(id)),
            h('span', { class: 'quiet' }, ' × ' + counted(n)))))) : null;
}

function buildModels() {
    const m = report.models;
    if (!m.rows)
        return;
    /* A figure that is no number was not finite. */
    const measured = (name, i, digits) => {
        if (!get(m, 'compared', i))
            return '–';
        const v = m[name] ? number(m[name][i]) : NaN;
        return shown(Number.isNaN(v) ? Infinity : v, digits);
    };
    const rows = rowsOf(m).map((i) => {
        return [visible(text(get(m, 'name', i))),
            get(m, 'is_reference', i) ? 'reference, beside LiteRT' : h('span', {}, letter(get(m, 'subject', i)),
                ' ', visible(subjectLabel(get(m, 'subject', i)))),
            badge(get(m, 'status', i)),
            m.top1 && m.top1[i] !== null ? shown(number(m.top1[i]), 4) : '–',
            get(m, 'images', i) ? counted(get(m, 'images', i)) : '–',
            get(m, 'compared', i) ? counted(get(m, 'same', i)) : '–',
            get(m, 'compared', i) ? counted(get(m, 'different', i)) : '–',
            measured('snr_db', i, 4), measured('max_abs', i, 2),
            get(m, 'nodes', i) ? `${get(m, 'taken', i)}/${get(m, 'nodes', i)}` : '–',
            visible(text(get(m, 'reason', i)))];
    });
    section('models', 'Whole models', table('Whole models', [['model', ''], ['run by', ''], ['status', ''],
        ['top-1', 'n'], ['images', 'n'], ['same bits', 'n'], ['other class', 'n'], ['dB', 'n'],
        ['error', 'n'], ['taken', 'n'], ['reason', 'says']], rows));
}

function buildMinimal() {
    const m = report.minimal;
    const graphs = report.results.minimal
        ? [...results.minimal.keys()].filter((i) => results.minimal[i]) : [];
    if (!m.rows && !graphs.length)
        return;
    const item = (head, shown) => h('details', { class: 'minimal' }, h('summary', {}, head), h('pre', {}, shown));
    section('minimal', 'Smallest forms', rowsOf(m).map((i) => item(
        [letter(get(m, 'subject', i)), ' ', visible(cases.name[get(m, 'case', i)]), ' ',
            h('span', { class: 'quiet' }, [visible(text(get(m, 'reason', i))),
                `${plural(get(m, 'similar', i), 'failure')} like it`, `${plural(get(m, 'steps', i), 'trial')}`,
                get(m, 'limited', i) && 'the search was cut short', get(m, 'flaky', i) && 'does not always fail']
                .filter(Boolean).join('; '))], visible(text(get(m, 'text', i))))),
    graphs.map((i) => item([letter(results.subject[i]), ' ', h('a', { href: caseAddress(i) },
        visible(cases.name[results.test[i]]))], visible(text(results.minimal[i])))));
}

/* The middle of some numbers; NaN of none. */
const median = (list) => list.length ? list.sort((a, b) => a - b)[list.length >> 1] : NaN;

function buildCost() {
    const rows = report.subjects.map((x, subject) => {
        const times = [];
        let total = 0, slowest = -1, largest = -1;
        for (let i = 0; i < results.count; i++) {
            if (results.subject[i] !== subject)
                continue;
            if (results.ms[i] > 0) {
                times.push(results.ms[i]);
                total += results.ms[i];
                if (slowest < 0 || results.ms[i] > results.ms[slowest])
                    slowest = i;
            }
            if (results.bytes[i] && (largest < 0 || results.bytes[i] > results.bytes[largest]))
                largest = i;
        }
        const name = (i) => i < 0 ? '–' : h('a', { href: caseAddress(i) }, visible(cases.name[results.test[i]]));
        return [h('span', {}, letter(subject), ' ', visible(x.label)), counted(times.length),
            shownMs(total), shownMs(median(times)), slowest < 0 ? '–' : shownMs(results.ms[slowest]),
            name(slowest), largest < 0 ? '–' : shownBytes(results.bytes[largest]), name(largest)];
    });
    if (rows.some((row) => row[1] !== '0' || row[6] !== '–'))
        section('cost', 'Time and memory', h('p', { class: 'quiet' },
            'The fastest inference of each check, in milliseconds; memory of the device, or of the host where the library does not say.'),
        table('Time and memory of each subject', [['subject', ''], ['timed', 'n'], ['sum', 'n'],
            ['median', 'n'], ['slowest', 'n'], ['case', ''], ['most memory', 'n'], ['case', '']], rows));
}

/* Classes of attributes and shapes: of each op and type those of which all, some or no cases are
 * taken. */
function buildClasses() {
    const groups = new Map();
    for (let i = 0; i < results.count; i++) {
        const c = results.test[i];
        if (!cases.classes[c])
            continue;
        const key = [results.subject[i], cases.op[c], cases.type[c]].join();
        const group = groups.get(key) || [i, new Map()];
        groups.set(key, group);
        for (const name of text(cases.classes[c]).split(' ')) {
            const counts = group[1].get(name) || [0, 0];
            counts[results.status[i] === DECLINED ? 1 : 0]++;
            group[1].set(name, counts);
        }
    }
    const rows = [...groups.values()].map(([i, classes]) => {
        const names = (is) => visible([...classes].filter(([, [taken, declined]]) => is(taken, declined))
            .map(([name]) => name).sort().join(' '));
        return [letter(results.subject[i]), h('code', {}, visible(text(cases.op[results.test[i]])), ' ',
            visible(text(cases.type[results.test[i]]))), names((taken, declined) => !declined),
        names((taken, declined) => taken && declined), names((taken) => !taken)];
    });
    if (rows.length)
        section('classes', 'Attributes and shapes', h('p', { class: 'quiet' },
            'Classes of attributes and shapes of which all, some or no cases are taken.'),
        h('details', {}, h('summary', {}, 'List'), table('Attributes and shapes', [['', ''], ['op', ''],
            ['taken', 'says'], ['in part', 'says'], ['declined', 'says']], rows)));
}

function buildMutants() {
    const m = report.mutants;
    if (!m.rows)
        return;
    const caught = m.caught ? m.caught.reduce((a, b) => a + b, 0) : 0;
    const rows = rowsOf(m).sort((a, b) => get(m, 'caught', a) - get(m, 'caught', b) || a - b).map((i) => [
        h('code', {}, visible(text(get(m, 'name', i)))), get(m, 'caught', i)
            ? h('span', { class: 'badge s0' }, '✓ noticed') : h('span', { class: 'badge s1' }, '✗ not noticed'),
        visible(text(get(m, 'by', i))), h('code', {}, visible(text(get(m, 'file', i)))),
        visible(text(get(m, 'what', i)))]);
    section('mutants', 'Planted faults', h('p', {}, `${counted(caught)} of ${counted(m.rows)} were noticed.`),
        h('details', { open: caught < m.rows }, h('summary', {}, 'List'),
            table('Planted faults', [['fault', ''], ['', ''], ['by', ''], ['file', ''], ['what', 'says']], rows)));
}

const MISSING_SHOWN = 1000;
function buildMissing() {
    const m = report.missing;
    if (!m.rows)
        return;
    section('missing', 'Missing', h('p', {}, `The run did not come to ${plural(m.rows, 'check')}.`),
        h('details', {}, h('summary', {}, m.rows > MISSING_SHOWN ? `The first ${counted(MISSING_SHOWN)}` : 'List'),
            h('ul', { class: 'names' }, rowsOf(m).slice(0, MISSING_SHOWN).map((i) => h('li', {},
                letter(get(m, 'subject', i)), ' ',
                h('code', {}, visible(cases.name[get(m, 'case', i)])))))));
}

/* The totals as a bar; its text is the list before it. */
function buildBar() {
    const t = STATUS.map(() => 0);
    for (let i = 0; i < results.count; i++)
        t[results.status[i]]++;
    byId('bar').append(...t.map((n, status) => {
        const part = h('span', { class: 's' + status });
        part.style.flexGrow = n;
        return n ? part : null;
    }).filter(Boolean));
}
