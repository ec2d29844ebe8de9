/* One case on one subject, in a dialog. */
const dialog = byId('case');
let opened = -1;        /* the result that is shown */
let returnTo = null;    /* what had the focus before */

/* What repeats a check: as the report says, and of a plain pass what would. */
function commandOf(i) {
    if (results.rerun[i])
        return text(results.rerun[i]);
    const subject = report.subjects[results.subject[i]];
    return ['assay', 'conformance', '--filter=' + shellQuoted(cases.name[results.test[i]]),
        ...(subject.spec ? ['--subject=' + shellQuoted(subject.spec)] : []),
        '--seed=' + report.seed].join(' ');
}

async function copy(value, button) {
    let done = false;
    try {
        await navigator.clipboard.writeText(value);
        done = true;
    } catch (e) {
        const field = h('textarea', { class: 'hidden' });
        field.value = value;
        button.after(field);
        field.select();
        done = document.execCommand('copy');
        field.remove();
    }
    button.textContent = done ? 'Copied' : 'Select it by hand';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}

const fact = (name, value) => value === null || value === undefined || value === '' ? null
    : h('div', {}, h('dt', {}, name), h('dd', {}, value));

/* Wilson's interval of 95 % of a share, k of n, in percent. */
function interval(k, n) {
    const z = 1.959963984540054, center = (2 * k + z * z) / (2 * (n + z * z));
    const half = z * Math.sqrt(z * z + 4 * k * (1 - k / n)) / (2 * (n + z * z));
    return n ? [k ? 100 * (center - half) : 0, k < n ? 100 * (center + half) : 100] : [0, 100];
}

function repeatsOf(i) {
    const k = results.wrongRuns[i], n = results.runs[i], [low, high] = interval(k, n);
    return !results.asked[i] ? null
        : `${counted(k)} of ${counted(n)} wrong: ${shown(n ? 100 * k / n : 0, 3)} %, of all runs ${
            shown(low, 3)} to ${shown(high, 3)} % (95 %)` + (results.cut[i]
            ? `; cut of ${counted(results.asked[i])} by ${visible(text(results.cut[i]))}` : '');
}

function figuresOf(i) {
    const c = results.test[i], n = results.integers[i];
    const figure = (v) => Number.isNaN(v) ? null : shown(v, 4);
    return h('dl', { class: 'facts' },
        fact('margin', Number.isNaN(results.margin[i]) ? null
            : [shown(results.margin[i], 5), h('span', { class: 'quiet' }, ' × the limit')]),
        fact('largest error', figure(results.abs[i])),
        fact('in units of the last place', figure(results.ulp[i])),
        fact('bias', figure(results.bias[i])),
        fact('integers that differ', n ? `${counted(results.unequal[i])} of ${counted(n)} (${
            (100 * results.unequal[i] / n).toFixed(2)} %)` : null),
        fact('design', results.design[i] || null),
        fact('repeats', repeatsOf(i)),
        fact('fastest inference', results.ms[i] > 0 ? shownMs(results.ms[i]) + ' ms' : null),
        fact('memory', results.bytes[i] ? `${shownBytes(results.bytes[i])} (${
            counted(results.bytes[i])} bytes)` : null),
        fact('nodes taken', cases.nodes[c] ? `${results.taken[i]} of ${cases.nodes[c]}` : null));
}

/* What the model of a case is: classes and numbers of the node that it is about. */
function parametersOf(c) {
    const words = (id) => text(id).split(' ').filter(Boolean).map((word) => word.replace(/_/g, ' '));
    const named = words(cases.numbers[c]).map((word) => word.split('='));
    const set = words(cases.traits[c]).filter((word) => !/^rank\d$/.test(word));
    return set.length + named.length ? [h('h3', {}, 'Parameters'),
        h('dl', { class: 'facts', id: 'parameters' }, fact('has', set.map(visible).join(', ')),
            named.map(([name, value]) => fact(visible(name), visible(value))),
            cases.exotic[c] ? fact('exotic', 'yes: an empty tensor, a rank over 5, weights that are '
                + 'not constant, or values beyond 10,000') : null)] : null;
}

/* The first wrong element and the worst one. */
function elementsOf(i) {
    const rows = [];
    const numberOf = (name) => {
        const v = wrong(i, name);
        return v === undefined ? NaN : number(v);
    };
    const exact = (v) => Number.isNaN(v) ? 'NaN' : shown(v, 9);
    const add = (label, prefix) => {
        const where = text(wrong(i, prefix + 'where'));
        if (!where)
            return;
        const error = numberOf(prefix + 'error'), limit = numberOf(prefix + 'limit');
        const ratio = prefix ? numberOf('worst_ratio') : error / limit;
        rows.push([label, h('code', {}, visible(where)), exact(numberOf(prefix + 'got')),
            exact(numberOf(prefix + 'want')), shown(error), shown(limit), shown(ratio)]);
    };
    add('first wrong', '');
    add('worst', 'worst_');
    if (!rows.length)
        return null;
    const set = text(wrong(i, 'set')), frame = wrong(i, 'frame'), output = wrong(i, 'output') || 0;
    return [h('h3', {}, 'Elements'),
        h('p', { class: 'quiet' }, [set && 'data set ' + set,
            frame ? 'frame ' + String.fromCharCode(frame) : null, 'output ' + output]
            .filter(Boolean).join(', ')),
        table('Elements that are wrong', [['', ''], ['element', ''], ['got', 'n'], ['expected', 'n'],
            ['error', 'n'], ['limit', 'n'], ['error / limit', 'n']], rows)];
}

function plotsOf(i) {
    const where = text(wrong(i, 'where'));
    const plots = [
        profilePlot(text(results.byElement[i]), results.elements[i], 'element', -1),
        profilePlot(text(results.byChannel[i]), results.channels[i], 'channel',
            where ? channelOf(where) : -1),
    ].filter(Boolean);
    return plots.length ? h('div', { class: 'plots' }, plots) : null;
}

function habitsOf(i) {
    const items = [];
    for (let habit = 0; habit < report.habits.length; habit++) {
        const bit = 2 ** habit;
        if (results.checked[i] & bit)
            items.push(h('li', { class: 'done' }, h('span', { 'aria-hidden': 'true' }, '✓ '),
                report.habits[habit]));
        else if ((results.leftOut[i] | results.refused[i]) & bit)
            items.push(h('li', { class: 'left' }, h('span', { 'aria-hidden': 'true' }, '– '),
                report.habits[habit], results.refused[i] & bit ? ': the subject refused it'
                    : ': left out, ' + (report.lacks[habit] || 'the subject does not allow it')));
    }
    return items.length ? [h('h3', {}, 'Checked beside the values'),
        h('ul', { class: 'habits' }, items)] : null;
}

/* The same case on every subject. */
function othersOf(i) {
    const c = results.test[i];
    const rows = [...resultsOfCase(c)].map((k) => [
        h('a', { href: caseAddress(k), 'aria-current': k === i ? 'true' : null },
            letter(results.subject[k]), ' ', visible(subjectLabel(results.subject[k]))),
        badge(results.status[k]),
        shownMargin(results.margin[k]), shown(results.abs[k]), shownMs(results.ms[k]),
        results.bytes[k] ? shownBytes(results.bytes[k]) : '–']);
    return rows.length < 2 ? null : [h('h3', {}, 'On every subject'),
        table('This case on every subject', [['subject', ''], ['status', ''], ['margin', 'n'],
            ['error', 'n'], ['ms', 'n'], ['memory', 'n']], rows)];
}

function dialogHead(i) {
    const place = list.shown.indexOf(i), name = cases.name[results.test[i]];
    const step = (by, label, key) => h('button', { type: 'button', 'data-step': by,
        disabled: place < 0 || !(place + by in list.shown), 'aria-label': label, title: label + ' ' + key,
        on: { click: () => stepCase(by) } }, by < 0 ? '‹' : '›');
    return h('div', { class: 'dialog-head' },
        h('h2', { id: 'case-title', tabindex: -1 }, visible(name)),
        h('span', { class: 'steps' },
            place >= 0 && h('span', { class: 'quiet' }, `${counted(place + 1)} of ${
                counted(list.shown.length)}`),
            step(-1, 'Previous check', '←'), step(1, 'Next check', '→'),
            h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Close')));
}

function fillDialog(i) {
    const c = results.test[i], reason = text(results.reason[i]), command = commandOf(i);
    const copyButton = h('button', { type: 'button', id: 'copy' }, 'Copy');
    copyButton.addEventListener('click', () => copy(command, copyButton));
    dialog.replaceChildren(...[dialogHead(i),
        h('p', { class: 'says' },
            badge(results.status[i]), ' on ', letter(results.subject[i]), ' ',
            h('span', { class: 'label' }, visible(subjectLabel(results.subject[i]))),
            results.regression[i] ? h('span', { class: 'badge s1' }, 'passed in the baseline') : null,
            results.required[i] ? h('span', { class: 'badge s1' }, 'must be taken') : null),
        reason && h('p', { class: 'reason' }, visible(reason)),
        results.waiver[i] && h('p', {}, h('strong', {}, 'Waiver: '), visible(text(results.waiver[i]))),
        h('dl', { class: 'facts' }, fact('op', visible(text(cases.op[c]))
            + (cases.version[c] ? ', version ' + cases.version[c] : '')),
        fact('type', visible(text(cases.type[c]))),
        fact('known fault', visible(text(cases.title[c]))),
        fact('inputs', cases.inputs[c] ? h('code', {}, visible(text(cases.inputs[c]))) : null),
        findingOf[i] >= 0 && fact('cause', h('a', { href: addressOf({ finding: String(findingOf[i]) }) },
            `${findingOf[i] + 1} ${visible(findingName(findingOf[i]))}`)),
        fact('the output equals', visible(text(results.equals[i]))),
        fact('made by node', results.node[i] && cases.title[c] ? String(results.node[i]) : null)),
        parametersOf(c),
        h('div', { class: 'command' }, h('code', { id: 'command' }, visible(command)), copyButton),
        plotsOf(i), elementsOf(i),
        h('h3', {}, 'Figures'), figuresOf(i),
        results.note[i] && h('p', { class: 'quiet' }, visible(text(results.note[i]))),
        habitsOf(i),
        results.minimal[i] && [h('h3', {}, 'Smallest graph that fails'),
            h('pre', {}, visible(text(results.minimal[i])))],
        othersOf(i)].flat(Infinity).filter((x) => x));
}

function showCase(i) {
    opened = i;
    fillDialog(i);
    const place = list.shown.indexOf(i);
    if (place >= 0)
        moveTo(place, false);
    if (!dialog.open) {
        returnTo = document.activeElement;
        dialog.showModal();
    }
    reachScrolled();
    dialog.scrollTop = 0;
    byId('case-title').focus();
}

/* Goes to the check before or behind the open one in the list. */
function stepCase(by) {
    const place = list.shown.indexOf(opened);
    if (place >= 0 && place + by in list.shown)
        history.replaceState(null, '', caseAddress(list.shown[place + by]));
    follow();
}

dialog.addEventListener('close', () => {
    opened = -1;
    if (/[#&]case=/.test(location.hash))
        history.replaceState(null, '', address({}));
    const row = activeRow();
    if (returnTo && returnTo.isConnected && !byId('grid-body').contains(returnTo)
        && returnTo !== document.body)
        returnTo.focus();
    else if (row)
        row.focus();
});
/* A click beside the dialog closes it. */
dialog.addEventListener('click', (e) => {
    if (e.target === dialog)
        dialog.close();
});
