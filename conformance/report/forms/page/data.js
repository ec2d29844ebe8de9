/* The report, as forms/html.c writes it. */
const [PASS, FAIL, DECLINED, CRASH, TIMEOUT, WAIVED, UNEXPECTED] = STATUS.keys();

/* A column; zeros where the report has none. */
const column = (rows, name) => rows[name] || new Uint8Array(rows.rows);
const texts = (rows, name) => Array.from(column(rows, name), text);
function numbers(rows, name) {
    const list = new Float64Array(rows.rows);
    const values = rows[name];
    for (let i = 0; i < list.length; i++)
        list[i] = values ? number(values[i]) : NaN;
    return list;
}

const cases = (() => {
    const c = report.cases;
    return {
        count: c.rows, name: texts(c, 'name'), op: column(c, 'op'), type: column(c, 'type'),
        title: column(c, 'title'), version: column(c, 'version'), nodes: column(c, 'nodes'),
        inputs: column(c, 'inputs'), classes: column(c, 'classes'),
        exotic: report.made.exotic || new Uint8Array(c.rows),
        traits: report.made.traits || column(c, 'classes'),
        numbers: report.made.numbers || new Uint8Array(c.rows),
    };
})();

const results = (() => {
    const r = report.results;
    const bad = new Uint8Array(r.rows);
    for (const i of report.bad)
        bad[i] = 1;
    /* Of what was compared a figure that is no number was not finite; elsewhere there is none. */
    const compared = column(r, 'status').map((status, i) =>
        !!((r.by_element && r.by_element[i]) || status === PASS));
    const figures = (name) => numbers(r, name).map((v, i) =>
        !compared[i] ? NaN : Number.isNaN(v) ? Infinity : v);
    return {
        count: r.rows, bad, subject: column(r, 'subject'), test: column(r, 'case'),
        status: column(r, 'status'), reason: column(r, 'reason'), what: column(r, 'what'),
        margin: figures('margin'), abs: figures('max_abs'), ulp: figures('max_ulp'),
        bias: figures('bias'), ms: numbers(r, 'ms'), bytes: column(r, 'bytes'),
        rerun: column(r, 'rerun'), waiver: column(r, 'waiver'), note: column(r, 'note'),
        required: column(r, 'required'), regression: column(r, 'regression'),
        integers: column(r, 'integers'), unequal: column(r, 'unequal'),
        taken: column(r, 'taken'), checked: column(r, 'checked'),
        leftOut: column(r, 'left_out'), refused: column(r, 'refused'),
        byElement: column(r, 'by_element'),
        byChannel: column(r, 'by_channel'), elements: column(r, 'elements'),
        channels: column(r, 'channels'), minimal: column(r, 'minimal'),
        design: column(r, 'design'), equals: column(r, 'equals'), node: column(r, 'nth_node'),
        asked: column(r, 'repeats_asked'), runs: column(r, 'repeats_runs'),
        wrongRuns: column(r, 'repeats_wrong'), cut: column(r, 'repeats_cut'),
    };
})();

/* What is wrong in a result, by its index. */
const wrongs = new Map((report.wrong.result || []).map((result, row) => [result, row]));
function wrong(result, name) {
    const row = wrongs.get(result);
    return row === undefined || !report.wrong[name] ? undefined : report.wrong[name][row];
}

/* The finding of each result; -1: it fails nothing. */
const findingOf = (() => {
    const of = new Int32Array(results.count).fill(-1);
    (report.findings.results || []).forEach((members, finding) => {
        for (const i of members)
            of[i] = finding;
    });
    return of;
})();
/* As severity.h has them. */
const SEVERITIES = ['crash', 'broken', 'gross', 'large', 'marginal'];
function findingName(i) {
    const name = (column) => text(get(report.findings, column, i));
    return name('op') || name('title') || few(name('ops').split(' '));
}

/* Results of each case, by case: report.results come by subject, then by case. */
const resultsOfCase = (() => {
    const first = new Int32Array(cases.count + 1);
    for (let i = 0; i < results.count; i++)
        first[results.test[i] + 1]++;
    for (let c = 0; c < cases.count; c++)
        first[c + 1] += first[c];
    const order = new Int32Array(results.count), next = first.slice();
    for (let i = 0; i < results.count; i++)
        order[next[results.test[i]]++] = i;
    return (c) => order.subarray(first[c], first[c + 1]);
})();

/* The rule by which a delegate declined: its reason up to the values. */
const ruleOf = (() => {
    const rules = new Map();
    return (reason) => {
        if (!rules.has(reason))
            rules.set(reason, text(reason).split(':')[0].trim() || 'no reason given');
        return rules.get(reason);
    };
})();

const subjectLabel = (i) => report.subjects[i].label;
const letter = (i) => h('span', { class: 'letter', title: subjectLabel(i) }, String(i));

/* Totals of some results. */
function Totals() {
    this.count = STATUS.map(() => 0);
    this.all = this.bad = this.common = this.commonBad = 0;
    this.margin = NaN;
    this.worst = -1;
}
Totals.prototype.add = function (i) {
    const status = results.status[i], margin = results.margin[i];
    this.count[status]++;
    this.all++;
    this.bad += results.bad[i];
    if (!cases.exotic[results.test[i]] && status !== DECLINED) {
        this.common++;
        this.commonBad += results.bad[i];
    }
    if ((status === PASS || status === FAIL) && (Number.isNaN(this.margin) || margin > this.margin)) {
        this.margin = margin;
        this.worst = i;
    }
};
