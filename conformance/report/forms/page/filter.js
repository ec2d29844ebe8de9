/* What the list shows: a filter and an order, kept in the address of the page. */
const FIELDS = ['q', 'status', 'op', 'type', 'subject', 'rule', 'finding', 'severity', 'real', 'title', 'sort'];
const EMPTY = Object.fromEntries(FIELDS.map((name) => [name, '']));
const filter = { ...EMPTY };

/* Of `title`: cases that are of no title. */
const NO_TITLE = '-';
/* Whether real models have nodes of the kind that fails. */
const REAL = { some: (share) => share > 0, none: (share) => share === 0, unknown: (share) => share === null };
const STATES = [['bad', 'fails the run'], ['not_pass', 'all but pass']];

/* A pattern of --filter as a regular expression: * and ? and [...], for the whole name. */
function globExpression(glob) {
    let out = '';
    for (let i = 0; i < glob.length; i++) {
        const c = glob[i], end = glob.indexOf(']', i + 2);
        if (c === '*')
            out += '.*';
        else if (c === '?')
            out += '.';
        else if (c === '[' && end > 0) {
            out += '[' + glob.slice(i + 1, end).replace(/^!/, '^').replace(/[\\[\]]/g, '\\$&') + ']';
            i = end;
        } else
            out += c.replace(/[\\^$.|+(){}[\]/]/g, '\\$&');
    }
    try {
        return new RegExp('^' + out + '$', 'is');
    } catch (e) {
        return null;
    }
}

/* Whether a case's name matches; reasons are searched only for plain text. */
function nameTest(query) {
    if (/[*?[]/.test(query)) {
        const expression = globExpression(query);
        if (expression)
            return { name: (c) => expression.test(cases.name[c]), reason: null };
    }
    const words = query.toLowerCase();
    const reasons = new Map();
    return {
        name: (c) => cases.name[c].toLowerCase().includes(words),
        reason: (id) => {
            if (!id)
                return false;
            if (!reasons.has(id))
                reasons.set(id, text(id).toLowerCase().includes(words));
            return reasons.get(id);
        },
    };
}

function statusTest(status) {
    if (status === 'bad')
        return (i) => results.bad[i];
    if (status === 'not_pass')
        return (i) => results.status[i] !== PASS;
    const wanted = STATUS.indexOf(status);
    return (i) => results.status[i] === wanted;
}

/* The string of a text in the table, for quick comparison: 0 where the report lacks it. */
const stringId = (() => {
    let ids = null;
    return (value) => {
        ids = ids || new Map(report.strings.map((v, i) => [v, i + 1]));
        return ids.get(value) || 0;
    };
})();

function filtered() {
    const tests = [];
    if (filter.q) {
        const query = nameTest(filter.q.trim());
        const byName = new Uint8Array(cases.count);
        for (let c = 0; c < cases.count; c++)
            byName[c] = query.name(c) ? 1 : 0;
        tests.push((i) => byName[results.test[i]] || (query.reason && query.reason(results.reason[i])));
    }
    if (filter.status)
        tests.push(statusTest(filter.status));
    for (const name of ['op', 'type', 'title']) {
        if (!filter[name])
            continue;
        const id = filter[name] === NO_TITLE ? 0 : stringId(filter[name]), values = cases[name];
        tests.push((i) => values[results.test[i]] === id);
    }
    if (filter.subject !== '')
        tests.push((i) => results.subject[i] === Number(filter.subject));
    if (filter.rule)
        tests.push((i) => results.status[i] === DECLINED && ruleOf(results.reason[i]) === filter.rule);
    if (filter.finding !== '')
        tests.push((i) => findingOf[i] === Number(filter.finding));
    if (filter.severity)
        tests.push((i) => findingOf[i] >= 0
            && SEVERITIES[get(report.findings, 'severity', findingOf[i])] === filter.severity);
    if (filter.real in REAL)
        tests.push((i) => findingOf[i] >= 0
            && REAL[filter.real](get(report.findings, 'exposure', findingOf[i], null)));
    const list = [];
    next: for (let i = 0; i < results.count; i++) {
        for (const test of tests)
            if (!test(i))
                continue next;
        list.push(i);
    }
    return list;
}

/* ---- order ---- */

/* Columns of the list: key of the order, heading, whether a larger value comes first at first. */
const COLUMNS = [
    { key: 'status', heading: 'status', kind: 'c-status' },
    { key: 'case', heading: 'case', kind: 'c-case' },
    { key: 'subject', heading: 'on', kind: 'c-subject', label: 'subject' },
    { key: 'margin', heading: 'margin', kind: 'c-margin n', down: true },
    { key: 'error', heading: 'error', kind: 'c-error n', down: true },
    { key: 'ulp', heading: 'ULP', kind: 'c-ulp n', down: true },
    { key: 'ms', heading: 'ms', kind: 'c-ms n', down: true },
    { key: 'bytes', heading: 'memory', kind: 'c-bytes n', down: true },
    { key: 'reason', heading: 'reason', kind: 'c-reason' },
];

const rankOf = (values) => {
    const order = values.map((v, i) => i).sort((a, b) =>
        values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : a - b);
    const rank = new Int32Array(values.length);
    order.forEach((at, place) => { rank[at] = place; });
    return rank;
};
let nameRank = null, stringRank = null;

/* The number that results are ordered by. */
function orderKey(key) {
    switch (key) {
    case 'case':
        nameRank = nameRank || rankOf(cases.name);
        return (i) => nameRank[results.test[i]];
    case 'reason':
        stringRank = stringRank || rankOf(report.strings);
        return (i) => results.reason[i] ? stringRank[results.reason[i] - 1] : Infinity;
    case 'status': return (i) => results.status[i] === PASS ? 100 : results.status[i];
    case 'subject': return (i) => results.subject[i];
    case 'margin': return (i) => results.margin[i];
    case 'error': return (i) => results.abs[i];
    case 'ulp': return (i) => results.ulp[i];
    case 'ms': return (i) => results.ms[i] > 0 ? results.ms[i] : NaN;
    case 'bytes': return (i) => results.bytes[i] || NaN;
    default: return (i) => 1 - results.bad[i];
    }
}

/* Sorts by filter.sort, "-margin" being from the largest down; what was not measured comes last. */
function sorted(list) {
    const down = filter.sort.startsWith('-'), key = orderKey(filter.sort.replace('-', ''));
    const values = new Float64Array(results.count);
    for (const i of list) {
        const v = key(i);
        values[i] = Number.isNaN(v) ? Infinity : down ? -v : v;
    }
    return list.sort((a, b) => values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : a - b);
}

/* ---- the address ---- */

function address(changes) {
    const all = { ...filter, ...changes };
    const query = new URLSearchParams();
    for (const name of [...FIELDS, 'case', 'on'])
        if (all[name] !== undefined && all[name] !== null && all[name] !== '')
            query.set(name, all[name]);
    return '#' + (query.toString() || 'cases');
}
/* An address with this filter alone. */
const addressOf = (only) => address({ ...EMPTY, ...only });
const caseAddress = (i) => address({ case: cases.name[results.test[i]], on: results.subject[i] });
