'use strict';
/* Elements, numbers and texts.  Text from the report is only ever set as text, never as markup. */

function build(element, properties, children) {
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === null || value === undefined || value === false)
            continue;
        if (name === 'on')
            for (const [event, handler] of Object.entries(value))
                element.addEventListener(event, handler);
        else
            element.setAttribute(name, value === true ? '' : value);
    }
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined && child !== false)
            element.append(child);
    return element;
}
const h = (tag, properties, ...children) =>
    build(document.createElement(tag), properties, children);
const s = (tag, properties, ...children) =>
    build(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children);
const byId = (id) => document.getElementById(id);

/* Characters that a browser shows as nothing, or that turn the direction of what follows. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const visible = (text) => String(text).replace(INVISIBLE, (c) =>
    c === '\n' || c === '\t' ? c
        : '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

const counted = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const plural = (n, word) => counted(n) + ' ' + word + (n === 1 ? '' : word.endsWith('s') ? 'es' : 's');

/* JSON has no infinity: the report writes it as a text. */
const number = (v) => v === 'inf' ? Infinity : v === '-inf' ? -Infinity : v === null ? NaN : v;

function shown(v, digits = 3) {
    if (Number.isNaN(v))
        return '–';
    if (!Number.isFinite(v))
        return v < 0 ? '−∞' : '∞';
    if (v === 0)
        return '0';
    const size = Math.abs(v);
    const text = size >= 1e5 || size < 1e-3 ? v.toExponential(digits - 1) : v.toPrecision(digits);
    return text.replace('-', '−').replace('e-', 'e−').replace('e+', 'e');
}
function shownMargin(v) {
    return Number.isNaN(v) ? '–' : v === 0 ? '0' : v >= 1000 ? shown(v, 2)
        : v >= 10 ? v.toPrecision(3) : v < 0.0005 ? '<.001' : v.toFixed(3);
}
function shownBytes(v) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    for (; v >= 1024 && unit < units.length - 1; unit++)
        v /= 1024;
    return (unit && v < 100 ? v.toFixed(1) : String(Math.round(v))) + ' ' + units[unit];
}
const shownMs = (v) => Number.isNaN(v) || v <= 0 ? '–'
    : v < 10 ? v.toFixed(3) : v < 1000 ? v.toFixed(1) : v.toFixed(0);

const shellQuoted = (text) =>
    /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";

/* A table: columns are [heading, class]; rows are lists of cells. */
function table(caption, columns, rows, properties) {
    return h('div', { class: 'wide' }, h('table', properties || {},
        caption && h('caption', { class: 'hidden' }, caption),
        h('thead', {}, h('tr', {}, columns.map(([heading, kind]) =>
            h('th', { scope: 'col', class: kind }, heading)))),
        h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) =>
            i === 0 ? h('th', { scope: 'row', class: columns[i][1] }, cell)
                : h('td', { class: columns[i][1] }, cell)))))));
}

/* A table of rows that are made when they are shown: the first ones, until the reader asks for all. */
function longTable(place, caption, columns, indices, row, first, properties) {
    const draw = (count) => {
        place.replaceChildren(table(caption, columns, indices.slice(0, count).map(row), properties));
        if (indices.length > count)
            place.append(h('button', { type: 'button', class: 'more', on: { click: () => {
                draw(indices.length);
                place.querySelectorAll('tbody tr')[count].querySelector('a, th')?.focus();
            } } }, `Show all ${counted(indices.length)}`));
        reachScrolled();
    };
    draw(first);
}

/* Puts a heading before the content of a section and shows it. */
function section(id, title, ...content) {
    const place = byId(id);
    place.append(h('h2', { id: id + '-title' }, title), ...content.flat(Infinity).filter(Boolean));
    place.hidden = false;
}
