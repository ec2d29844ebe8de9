/* The address, the keys, the theme: what holds the page together. */

/* Changes the filter; keeps the address. */
function go(changes) {
    Object.assign(filter, changes);
    history.replaceState(null, '', address({}));
    refresh();
}

/* Shows what the address says: a filter, a check, or a section. */
function follow() {
    const hash = location.hash.slice(1);
    if (!hash.includes('=')) {
        if (dialog.open)
            dialog.close();
        return;
    }
    const query = new URLSearchParams(hash);
    const wanted = Object.fromEntries(FIELDS.map((name) => [name, query.get(name) || '']));
    const name = query.get('case');
    if (FIELDS.some((field) => wanted[field] !== filter[field])) {
        Object.assign(filter, wanted);
        refresh();
        if (name === null) {
            byId('cases').scrollIntoView();
            byId('cases-title').focus({ preventScroll: true });
        }
    }
    if (name === null) {
        if (dialog.open)
            dialog.close();
        return;
    }
    const found = findResult(name, query.get('on'));
    if (found >= 0)
        showCase(found);
    else
        byId('count').textContent = `There is no case ${visible(name)} in this report`;
}

/* The result of a case: on the subject named, or else the worst of them. */
function findResult(name, subject) {
    const c = cases.name.indexOf(name);
    if (c < 0)
        return -1;
    const all = [...resultsOfCase(c)];
    const on = all.find((i) => subject !== null && results.subject[i] === Number(subject));
    return on !== undefined ? on : all.find((i) => results.bad[i]) ?? all[0] ?? -1;
}

/* ---- keys ---- */

function listKey(e) {
    const page = Math.max(1, Math.floor(byId('list').clientHeight / list.rowHeight) - 2);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page,
        Home: -Infinity, End: Infinity };
    if (e.key in steps && (e.key.length > 1 || byId('keys-on').checked)) {
        moveTo(list.active + steps[e.key], true);
        return true;
    }
    if (e.key === 'Enter' && e.target.tagName !== 'A') {
        openActive();
        return true;
    }
    return false;
}

function dialogKey(e) {
    if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
        stepCase(e.key === 'ArrowLeft' ? -1 : 1);
        return true;
    }
    if (e.key === 'c' && byId('keys-on').checked) {
        byId('copy').click();
        return true;
    }
    return false;
}

const pageKeys = {
    '/': () => { byId('cases').scrollIntoView(); byId('q').focus(); byId('q').select(); },
    '?': () => byId('help').showModal(),
    t: () => byId('theme').click(),
    m: () => { byId('matrix').scrollIntoView(); byId('matrix').querySelector('[role=region]').focus({ preventScroll: true }); },
    f: () => { byId('cases').scrollIntoView(); go({ status: filter.status === 'bad' ? '' : 'bad' }); moveTo(0, true); },
    j: () => { byId('cases').scrollIntoView(); moveTo(list.active, true); },
    k: () => { byId('cases').scrollIntoView(); moveTo(list.active, true); },
};

document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey)
        return;
    const typing = e.target.closest('input[type=search], select, textarea');
    let taken = false;
    if (byId('help').open)
        return;
    if (dialog.open)
        taken = !typing && dialogKey(e);
    else if (typing) {
        if (e.key === 'Escape' && e.target.id === 'q') {
            if (filter.q || byId('q').value) {
                byId('q').value = '';
                go({ q: '' });
            } else
                moveTo(list.active, true);
            taken = true;
        } else if (e.key === 'ArrowDown' && e.target.id === 'q') {
            moveTo(0, true);
            taken = true;
        }
    } else if (byId('grid-body').contains(e.target) && listKey(e))
        taken = true;
    else if (e.key in pageKeys && byId('keys-on').checked) {
        pageKeys[e.key]();
        taken = true;
    }
    if (taken)
        e.preventDefault();
});

/* ---- the start ---- */

byId('q').setAttribute('aria-keyshortcuts', '/');
byId('help-close').addEventListener('click', () => byId('help').close());
byId('help-open').addEventListener('click', () => byId('help').showModal());
byId('list').addEventListener('scroll', () => requestAnimationFrame(() => drawRows(false)), { passive: true });
byId('grid-body').addEventListener('click', (e) => {
    const row = e.target.closest('tr[data-place]');
    if (!row)
        return;
    list.active = Number(row.dataset.place);
    if (!e.target.closest('a') && !String(getSelection()))
        openActive();
});
addEventListener('resize', () => { drawRows(true); reachScrolled(); });
addEventListener('beforeprint', () => { list.all = true; drawRows(true); });
addEventListener('afterprint', () => { list.all = false; drawRows(true); });
addEventListener('hashchange', follow);

buildBar();
buildMatrix();
buildFindings();
byId('cases').hidden = false;
buildFilters();
buildMargins();
buildDeclined();
buildModels();
buildMinimal();
buildCost();
buildClasses();
buildMutants();
buildMissing();
buildNavigation({ matrix: 'Matrix', findings: 'Findings', cases: 'Checks', margins: 'Margins',
    declined: 'Declined', models: 'Models', minimal: 'Smallest forms', cost: 'Cost',
    mutants: 'Planted faults', missing: 'Missing' });
refresh();
reachScrolled();
follow();
/* An address with a section was followed before the section was there. */
if (location.hash.length > 1 && !location.hash.includes('=') && byId(location.hash.slice(1)))
    byId(location.hash.slice(1)).scrollIntoView();
