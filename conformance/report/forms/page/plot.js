/* Error over limit along an output.  The levels are those of conformance/suite/judge/profile.h: thirds of
 * an octave, 31 being the limit, 61 all that is far beyond it. */
const LEVELS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LEVEL_ONE = 31, LEVEL_LAST = 61;
const ratioOf = (level) => level <= 0 ? 0 : level === LEVEL_LAST ? Infinity
    : 2 ** ((level - LEVEL_ONE) / 3);

/* First and last index of what a run of `bins` runs over `count` stands for. */
const runOf = (bin, bins, count) =>
    [Math.ceil(bin * count / bins), Math.ceil((bin + 1) * count / bins) - 1];

const range = ([a, b], word) => a === b ? `${word} ${a}` : `${word}s ${a}–${b}`;
const upTo = (level) => level <= 0 ? 'no error'
    : level === LEVEL_LAST ? 'more than 1000 times the limit'
        : level <= 1 ? 'at most 0.001 of the limit'
            : `at most ${Number(ratioOf(level).toPrecision(3))} of the limit`;

/* profile: its characters; count: elements or channels behind it; word: 'element' or 'channel'.
 * at: an index that is known to be wrong, or -1: then the first run over the limit has it. */
function profilePlot(profile, count, word, at) {
    const levels = [...profile].map((c) => LEVELS.indexOf(c)).filter((level) => level >= 0);
    const bins = levels.length;
    if (!bins)
        return null;
    /* Letters keep their size on a narrow screen. */
    const W = Math.max(280, Math.min(640, innerWidth - 32)), H = 150, left = 46, right = 8, top = 22, bottom = 24;
    /* A few runs do not fill the width. */
    const x = (bin) => left + Math.min(48, (W - left - right) / bins) * bin;
    const y = (level) => H - bottom - (H - top - bottom) * level / LEVEL_LAST;
    const over = levels.map((level, bin) => level > LEVEL_ONE ? bin : -1).filter((bin) => bin >= 0);
    const worst = levels.indexOf(Math.max(...levels));
    const first = at >= 0 ? levels.findIndex((l, bin) => {
        const [a, b] = runOf(bin, bins, count);
        return a <= at && at <= b;
    }) : over.length ? over[0] : -1;
    const summary = `${plural(count, word)} in ${plural(bins, 'run')}: ${over.length
        ? plural(over.length, 'run') + ' over the limit, the first being '
            + range(runOf(over[0], bins, count), word)
        : 'none over the limit'}; the largest error is ${upTo(levels[worst])}, at `
        + range(runOf(worst, bins, count), word) + '.';

    const ticks = [[1, '1/1000'], [16, '1/32'], [LEVEL_ONE, 'limit'], [46, '32'], [LEVEL_LAST, '1000']];
    const axis = ticks.map(([level, label]) => [
        s('line', { class: level === LEVEL_ONE ? 'limit' : 'tick', x1: left, x2: Math.max(x(bins), left + 80),
            y1: y(level), y2: y(level) }),
        s('text', { class: level === LEVEL_ONE ? 'limit-label' : 'label', x: left - 6,
            y: y(level) + 3.5, 'text-anchor': 'end' }, label)]);
    const bars = levels.map((level, bin) => {
        const gap = Math.min(2, (x(1) - x(0)) * 0.15), high = Math.max(level, 0.6);
        return s('rect', { class: level === 0 ? 'none' : level > LEVEL_ONE ? 'over' : 'within',
            x: x(bin) + gap / 2, width: x(1) - x(0) - gap, y: y(high), height: y(0) - y(high) },
        s('title', {}, `${range(runOf(bin, bins, count), word)}: ${upTo(level)}`));
    });
    const mark = (bin, label, row) => bin < 0 ? null : [
        s('path', { class: 'mark-' + label, d: `M${(x(bin) + x(bin + 1)) / 2} ${y(levels[bin]) - 2}`
            + 'l-4 -7h8z' }),
        s('text', { class: 'mark-label', x: (x(bin) + x(bin + 1)) / 2, y: row,
            'text-anchor': bin < 3 ? 'start' : bin > bins - 4 ? 'end' : 'middle' }, label)];
    const marks = !over.length && first < 0 ? mark(worst, 'worst', y(levels[worst]) - 12)
        : first === worst ? mark(first, 'first wrong, worst', Math.max(10, y(levels[first]) - 12))
            : [mark(first, 'first wrong', Math.max(10, y(levels[Math.max(first, 0)]) - 12)),
                mark(worst, 'worst', Math.max(10, y(levels[worst]) - 12))];
    const ends = [0, count - 1].map((index, end) => s('text', { class: 'label', y: H - 8,
        x: end ? Math.max(x(bins), left + 80) : left, 'text-anchor': end ? 'end' : 'start' },
    end ? String(index) : `${word} 0`));
    return h('figure', {},
        h('figcaption', {}, `Error over limit by ${word}`,
            h('span', { class: 'quiet' }, ` ${summary}`)),
        s('svg', { class: 'profile', viewBox: `0 0 ${W} ${H}`, role: 'img',
            'aria-label': `Error over limit by ${word}: ${summary}` }, axis, bars, marks, ends));
}

/* The last number of an element's index, which is its channel. */
function channelOf(where) {
    const all = String(where || '').match(/\d+/g);
    return all ? Number(all[all.length - 1]) : -1;
}
