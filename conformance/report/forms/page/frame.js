/* Dark or light, and what scrolls: the same on every page. */
const systemDark = matchMedia('(prefers-color-scheme: dark)');
function remembered(value) {
    /* A browser may refuse storage to a file. */
    try {
        if (value !== undefined)
            localStorage.setItem('assay-theme', value);
        return localStorage.getItem('assay-theme');
    } catch (e) {
        return null;
    }
}
function setTheme(theme) {
    const dark = theme ? theme === 'dark' : systemDark.matches;
    if (theme)
        document.documentElement.dataset.theme = theme;
    byId('theme').setAttribute('aria-pressed', dark);
}
byId('theme').addEventListener('click', () => {
    const theme = byId('theme').getAttribute('aria-pressed') === 'true' ? 'light' : 'dark';
    remembered(theme);
    setTheme(theme);
});
systemDark.addEventListener('change', () => setTheme(remembered()));
setTheme(remembered());

/* What can be scrolled can be reached by key. */
function reachScrolled() {
    for (const e of document.querySelectorAll('.wide:not([role])'))
        if (e.scrollWidth > e.clientWidth + 1)
            e.tabIndex = 0;
        else
            e.removeAttribute('tabindex');
}
