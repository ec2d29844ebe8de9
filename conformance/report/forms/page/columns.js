/* The data of a page: a JSON object of columns, whose texts are places in one table. */
const report = JSON.parse(byId('data').textContent);
byId('data').textContent = '';

const STATUS = report.statuses;
const SYMBOLS = ['✓', '✗', '–', '†', '◷', '~', '!', '…'];
const statusName = (status) => STATUS[status].replace('_', ' ');
const badge = (status, word = statusName(status)) =>
    h('span', { class: 'badge s' + status }, `${SYMBOLS[status]} ${word}`);

const text = (id) => id ? report.strings[id - 1] : '';
const get = (rows, name, i, none = 0) => rows[name] ? rows[name][i] : none;
const rowsOf = (rows) => Array.from({ length: rows.rows }, (x, i) => i);

/* Links to the sections that are shown, from their ids and names. */
function buildNavigation(names) {
    for (const [id, name] of Object.entries(names))
        if (!byId(id).hidden)
            byId('sections').append(h('li', {}, h('a', { href: '#' + id }, name)));
}
