#!/usr/bin/python3
"""The HTML report as a reader meets it, in headless Chromium: html-test.py BUILD_DIRECTORY

Makes pages (of a run of some cases, of a made-up report that is hostile to markup, of one of 100,000
results, of a comparison, of a board of several), reads the data of each page in Python, and compares what the browser shows
with it: filter, order, keys, addresses, themes, widths, printing, what a screen reader is told, no
request, no message on the console.

A picture of a page: html-test.py --picture=OUT.png REPORT.html [WIDTH [HEIGHT [dark]]]

Needs Debian's chromium, chromium-driver, python3-selenium and tidy.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

OPEN_LIMIT_S = 3.0
FILTER_LIMIT_S = 1.0
HERE = os.path.dirname(os.path.abspath(__file__))

checks = 0
faults = []


def check(condition, message):
    global checks
    checks += 1
    if not condition:
        faults.append(message)
        print(f"html-test: FAILED: {message}", file=sys.stderr)


def equal(what, got, want):
    check(got == want, f"{what}: got {got!r}, expected {want!r}")


class Report:
    """The data of a page, read without a browser."""

    def __init__(self, path):
        self.path = path
        self.url = "file://" + path
        with open(path, encoding="utf-8") as f:
            self.page = f.read()
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', self.page, re.S)
        self.data = json.loads(data.group(1))
        if "results" not in self.data:  # a comparison
            return
        rows = self.data["results"]
        count = rows["rows"]
        self.names = [self.text(i) for i in self.data["cases"]["name"]]
        self.ops = [self.text(i) for i in self.data["cases"]["op"]]
        zeros = [0] * count
        self.case = rows.get("case", zeros)
        self.subject = rows.get("subject", zeros)
        self.status = [self.data["statuses"][s] for s in rows.get("status", zeros)]
        self.reason = [self.text(i) for i in rows.get("reason", zeros)]
        self.margin = rows.get("margin", zeros)
        self.bad = set(self.data["bad"])
        self.count = count

    def text(self, index):
        return self.data["strings"][index - 1] if index else ""

    def address(self, result):
        """Of a check, as the page writes it."""
        return urllib.parse.urlencode({"case": self.names[self.case[result]], "on": self.subject[result]})

    def matching(self, test):
        return sum(1 for i in range(self.count) if test(i))


class Browser:
    def __init__(self, width, height=900):
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(20)
        self.resize(width, height)

    def resize(self, width, height=900):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 600)

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def media(self, media="", **features):
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def open(self, url):
        self.driver.get("about:blank")
        self.driver.get(url)
        self.settle()

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")

    def js(self, source, *arguments):
        return self.driver.execute_script(source, *arguments)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def keys(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()
        self.settle()

    def click(self, element):
        """Clicks an element in the middle of the window: not below what sticks to its top."""
        self.js("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()
        time.sleep(0.2)
        self.settle()

    def shown(self):
        """How many results the list has, by what a screen reader is told."""
        return int(self.one("#grid").get_attribute("aria-rowcount")) - 1

    def focus(self):
        return self.js("return document.activeElement.id || document.activeElement.tagName")

    def messages(self):
        return [m["message"] for m in self.driver.get_log("browser")]

    def requests(self):
        urls = []
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                urls.append(event["params"]["request"]["url"])
            elif event["method"] == "Network.webSocketCreated":
                urls.append(event["params"]["url"])
        return urls


# ---- what a reader does ----

def test_filter(b, r):
    b.open(r.url)
    equal("results without a filter", b.shown(), r.count)
    op = r.ops[-1]
    box = b.one("#q")
    box.send_keys(op[:4].upper())
    time.sleep(0.3)
    b.settle()
    want = r.matching(lambda i: op[:4] in r.names[r.case[i]].lower() or op[:4] in r.reason[i].lower())
    equal(f"results with {op[:4]!r}", b.shown(), want)
    box.clear()
    box.send_keys(op + ".f32.*", Keys.ENTER)
    b.settle()
    want = r.matching(lambda i: r.names[r.case[i]].startswith(op + ".f32."))
    equal(f"results of the pattern {op}.f32.*", b.shown(), want)
    check("of" in b.one("#count").text and f"{want:,}" in b.one("#count").text,
          f"the live region says how many: {b.one('#count').text!r}")
    b.one("#q").clear()
    b.one("#q").send_keys("no such case", Keys.ENTER)
    b.settle()
    equal("results of no such case", b.shown(), 0)
    check("nothing matches" in b.one("#count").text, "an empty list says so")
    b.keys("/", Keys.ESCAPE)
    equal("results after Esc", b.shown(), r.count)
    for value, test in (("bad", lambda i: i in r.bad), ("declined", lambda i: r.status[i] == "declined")):
        if not r.matching(test):
            continue
        Select(b.one("#f-status")).select_by_value(value)
        b.settle()
        equal(f"results of status {value}", b.shown(), r.matching(test))
    Select(b.one("#f-status")).select_by_value("")
    Select(b.one("#f-op")).select_by_value(op)
    Select(b.one("#f-subject")).select_by_value("1")
    b.settle()
    want = r.matching(lambda i: r.ops[r.case[i]] == op and r.subject[i] == 1)
    equal("results of an op on subject 1", b.shown(), want)
    check("op=" in b.js("return location.hash"), "the address has the filter")
    address = b.js("return location.href")
    b.open(address)
    equal("results of the address", b.shown(), want)


def rows_of(b, selector):
    return b.js("""return [...document.querySelectorAll('#grid-body tr[data-place]')]
        .map((row) => row.querySelector(arguments[0]).firstChild.textContent)""", selector)


def test_order(b, r):
    b.open(r.url)
    b.click(b.one('[data-sort="margin"]'))
    equal("aria-sort", b.one("th.c-margin").get_attribute("aria-sort"), "descending")
    equal("focus stays on the heading", b.js("return document.activeElement.dataset.sort"), "margin")
    got = [float("inf") if v == "∞" else float(v.replace("<", "0")) for v in rows_of(b, ".c-margin")
           if v != "–"]
    check(len(got) > 5 and got == sorted(got, reverse=True), f"margins from the largest down: {got[:8]}")
    b.click(b.one('[data-sort="margin"]'))
    equal("aria-sort", b.one("th.c-margin").get_attribute("aria-sort"), "ascending")
    b.click(b.one('[data-sort="case"]'))
    got = rows_of(b, ".c-case a")
    equal("first rows by name", got[:3], sorted(r.names[c] for c in r.case)[:3]
          if "</script" not in r.names[0] else got[:3])
    check(got == sorted(got), "names are in order")


def test_case(b, r):
    failed = max(r.bad)
    name = r.names[r.case[failed]]
    b.open(r.url + "#" + r.address(failed))
    check(b.js("return document.getElementById('case').open"), "an address opens its case")
    equal("title of the case", b.one("#case-title").text, name)
    text = b.one("#case").text
    check("fail" in text and r.reason[failed].split(":")[0] in text, "status and reason are shown")
    check(b.one("#command").text.startswith("assay "), "the command is shown")
    plots = b.all("#case svg.profile")
    if r.data["results"].get("by_element", [0] * r.count)[failed]:
        equal("plots, by element and by channel", len(plots), 2)
        label = plots[0].get_attribute("aria-label")
        check("over the limit, the first being element" in label, f"the plot is described: {label}")
        over = b.all("#case svg.profile:first-of-type rect.over")
        check(over, "runs over the limit are drawn")
        line = float(b.one("#case svg line.limit").get_attribute("y1"))
        check(all(float(x.get_attribute("y")) < line for x in over), "they stand over the line")
        check("first wrong" in plots[0].text and "worst" in plots[0].text, "both elements are marked")
    b.keys(Keys.ESCAPE)
    check(not b.js("return document.getElementById('case').open"), "Esc closes the case")
    check("case=" not in b.js("return location.hash"), "the address has no case then")
    b.js("document.getElementById('list').scrollIntoView()")
    b.settle()
    b.one("#grid-body tr.active td.c-margin").click()
    b.settle()
    check(b.js("return document.getElementById('case').open"), "a click on a row opens its case")
    b.driver.back()
    time.sleep(0.2)
    check(not b.js("return document.getElementById('case').open"), "Back closes the case")
    b.open(r.url + "#case=no.such.case")
    check("no case" in b.one("#count").text, "a case that is not there is said to be")


def test_keys(b, r):
    b.open(r.url)
    b.keys("/")
    equal("focus after /", b.focus(), "q")
    b.keys("f32", Keys.ENTER)
    equal("focus after Enter in the filter", b.focus(), "TR")
    place = lambda: int(b.js("return document.activeElement.dataset.place"))
    b.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, "j", "k")
    equal("row after two steps", place(), 2)
    b.keys(Keys.END)
    equal("row after End", place(), b.shown() - 1)
    b.keys(Keys.HOME)
    b.keys(Keys.PAGE_DOWN)
    check(place() > 5, "PgDn moves by a page")
    b.keys(Keys.HOME, Keys.ENTER)
    first = b.one("#case-title").text
    equal("focus in the case", b.focus(), "case-title")
    b.keys(Keys.ARROW_RIGHT)
    check(b.one("#case-title").text != first, "right arrow: the next check")
    b.keys(Keys.ARROW_LEFT)
    equal("left arrow", b.one("#case-title").text, first)
    b.keys(Keys.ESCAPE)
    equal("focus after Esc", b.focus(), "TR")
    b.keys("f")
    equal("results after f", b.shown(), r.matching(
        lambda i: i in r.bad and ("f32" in r.names[r.case[i]] or "f32" in r.reason[i])))
    b.keys("f", "?")
    check(b.js("return document.getElementById('help').open"), "? opens the help")
    b.click(b.one("#keys-on"))
    b.keys(Keys.ESCAPE)
    before = b.js("return document.documentElement.dataset.theme")
    b.js("document.activeElement.blur()")
    b.keys("t")
    equal("theme while keys are off", b.js("return document.documentElement.dataset.theme"), before)
    b.click(b.one("#help-open"))
    b.click(b.one("#keys-on"))
    b.keys(Keys.ESCAPE)
    b.js("document.activeElement.blur()")
    b.keys("t")
    check(b.js("return document.documentElement.dataset.theme") != before, "t changes the theme")


def test_matrix(b, r):
    b.open(r.url)
    cells = b.all("#matrix table:first-of-type td a")
    total = sum(int(re.search(r": ([\d,]+) check", c.get_attribute("aria-label")).group(1).replace(",", ""))
                for c in b.all("#matrix td a"))
    equal("checks in the cells of the matrix", total, r.count)
    label = cells[0].get_attribute("aria-label")
    want = int(re.search(r": ([\d,]+) check", label).group(1).replace(",", ""))
    b.click(cells[0])
    equal(f"results behind {label!r}", b.shown(), want)
    equal("focus behind a cell", b.focus(), "cases-title")
    b.open(r.url)
    exotic = r.data["made"].get("exotic", [0] * len(r.names))
    marked = {(r.ops[r.case[i]], r.case[i]) for i in r.bad if exotic[r.case[i]]}
    marks = "return document.querySelectorAll('#matrix td.exotic').length"
    equal("marks of exotic cases where some fail", b.js(marks) > 0, bool(marked))
    plain = "(a) => getComputedStyle(a).backgroundImage === 'none'"
    corners = f"return [...document.querySelectorAll('#matrix td.exotic > a')].filter({plain}).length"
    equal("exotic cells without a corner", b.js(corners), 0)
    b.click(b.one("#exotic-on"))
    equal("marks of exotic cases when they are hidden", b.js(marks), 0)
    b.click(b.one("input[value=margin]"))
    check(re.search(r"[.\d]", b.one("#matrix td a").text), "the matrix shows margins")


def test_sections(b, r):
    b.open(r.url)
    if r.data["findings"]["rows"]:
        link = b.one("#findings tbody th a")
        want = int(link.text.replace(",", ""))
        b.click(link)
        equal("results of the first finding", b.shown(), want)
        judged = int(b.one("#findings tbody td").text.replace(",", ""))
        check(want <= judged, f"a finding has {want} checks of {judged}")
        equal("cause of the address", b.one("#f-finding").get_attribute("value"), "0")
        severity = r.data["findings"].get("severity", [0] * r.data["findings"]["rows"])
        name = ("crash", "broken", "gross", "large", "marginal")[severity[0]]
        Select(b.one("#f-finding")).select_by_value("")
        Select(b.one("#f-severity")).select_by_value(name)
        b.settle()
        equal(f"results of severity {name}", b.shown(), sum(
            len(members) for members, s in zip(r.data["findings"]["results"], severity) if s == severity[0]))
        b.open(r.url)
        members = r.data["findings"]["results"]
        large = max(range(len(members)), key=lambda i: len(members[i]))
        if large < 20:
            b.click(b.all("#findings tbody tr")[large].find_element(By.CSS_SELECTOR, "td:last-child a"))
            check(b.one(".steps").text.split("\n")[0].endswith(f" of {len(members[large]):,}")
                  or f" of {len(members[large]):,}" in b.one(".steps").text,
                  f"an opened check of a finding is one of {len(members[large])}: {b.one('.steps').text!r}")
            b.keys(Keys.ESCAPE)
        exposure = r.data["findings"].get("exposure", [None])[0]
        b.open(r.url)
        shown = b.all("#findings tbody tr:first-of-type td")[3].text
        equal("share of real nodes of the first finding", shown,
              "\u2013" if exposure is None else "none" if exposure == 0 else f"{exposure * 100:.2g} %")
    if "declined" in r.status:
        b.open(r.url)
        row = b.one("#declined tbody tr")
        want = int(row.find_element(By.CSS_SELECTOR, "td").text.replace(",", ""))
        b.click(row.find_element(By.CSS_SELECTOR, "a"))
        equal("results of the first rule", b.shown(), want)
    strips = b.all("#margins svg.strip")
    check(strips, "margins are drawn")
    check(all("median" in s.get_attribute("aria-label") for s in strips), "strips are described")


# ---- how it looks ----

# The contrast of each text with what lies behind it, by WCAG 2.2; the smallest ones.
CONTRAST = """
const parse = (c) => { const v = c.match(/[\\d.]+/g).map(Number);
    return c.startsWith('color(srgb') ? [v[0] * 255, v[1] * 255, v[2] * 255, v[3] ?? 1]
        : [v[0], v[1], v[2], v[3] ?? 1]; };
const light = ([r, g, b]) => [r, g, b].map((x) => (x /= 255) <= .03928 ? x / 12.92
    : ((x + .055) / 1.055) ** 2.4).reduce((s, x, i) => s + x * [.2126, .7152, .0722][i], 0);
const behind = (e) => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > .9) return c; }
    return [255, 255, 255, 1]; };
const out = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest('script, style, noscript, title, option'))
        continue;
    if (!e.checkVisibility() || e.disabled || e.closest('.hidden'))
        continue;
    const style = getComputedStyle(e), svg = e.closest('svg');
    const a = light(parse(svg ? style.fill : style.color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5)
        out.push(ratio.toFixed(2) + ' ' + e.outerHTML.slice(0, 90));
}
return [...new Set(out)].slice(0, 10);
"""


def test_themes(b, r):
    failed = min(r.bad)
    backgrounds = []
    for theme in ("light", "dark"):
        b.media(prefers_color_scheme=theme)
        b.open(r.url)
        b.js("try { localStorage.clear() } catch (e) {}")
        b.open(r.url)
        b.js("for (const d of document.querySelectorAll('details')) d.open = true")
        backgrounds.append(b.js("return getComputedStyle(document.body).backgroundColor"))
        equal(f"texts that are too faint, {theme}", b.js(CONTRAST), [])
        b.js("location.hash = arguments[0]", r.address(failed))
        time.sleep(0.2)
        equal(f"texts that are too faint in a case, {theme}", b.js(CONTRAST), [])
        b.keys(Keys.ESCAPE)
    check(backgrounds[0] != backgrounds[1], f"dark differs from light: {backgrounds}")
    b.click(b.one("#theme"))
    equal("background after the button", b.js("return getComputedStyle(document.body).backgroundColor"),
          backgrounds[0])
    b.media(prefers_reduced_motion="reduce")
    equal("scrolling with less motion",
          b.js("return getComputedStyle(document.documentElement).scrollBehavior"), "auto")
    b.media()


WIDE = """return [...document.querySelectorAll('body *')].filter((e) =>
    e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.wide, .list, nav, pre, .hidden, .skip'))
    .map((e) => e.outerHTML.slice(0, 80)).slice(0, 5)"""


# Tables whose first heading leaves the column that sticks below it.
CORNERS = """return [...document.querySelectorAll('.wide table')].filter((e) => {
    const first = (part) => part?.rows[0]?.cells[0]?.getBoundingClientRect().left;
    e.closest('.wide').scrollLeft = 150;
    return e.tHead?.checkVisibility() && Math.abs(first(e.tHead) - first(e.tBodies[0])) > 1; })
    .map((e) => e.outerHTML.slice(0, 80))"""


def test_narrow(b, r):
    for width in (360, 320):
        b.resize(width, 740)
        b.open(r.url)
        b.js("for (const d of document.querySelectorAll('details')) d.open = true")
        equal(f"width of the page at {width}", b.js("return document.documentElement.scrollWidth"), width)
        equal(f"captions broken within words at {width}", b.js("""
            return [...document.querySelectorAll('caption:not(.hidden)')].filter(c => c.offsetHeight > 60)
                .map(c => c.textContent)"""), [])
        equal(f"what is too wide at {width}", b.js(WIDE), [])
        equal(f"corners that do not stick at {width}", b.js(CORNERS), [])
        b.js("location.hash = arguments[0]", r.address(max(r.bad)))
        time.sleep(0.2)
        equal(f"width of a case at {width}",
              b.js("const d = document.getElementById('case'); return d.scrollWidth - d.clientWidth"), 0)
        b.keys(Keys.ESCAPE)
    check(b.one("#f-sort").is_displayed(), "a phone has a choice of the order")
    b.resize(1280)


def test_print(b, r):
    b.open(r.url)
    b.media("print")
    pdf = b.cdp("Page.printToPDF")["data"]
    check(len(pdf) > 20000, "the page prints")
    check(not b.one(".top").is_displayed(), "controls are not printed")
    b.media()


def test_without_script(b, r):
    b.cdp("Emulation.setScriptExecutionDisabled", value=True)
    b.driver.get("about:blank")
    b.driver.get(r.url)
    page = html.unescape(b.driver.page_source)
    text = b.one("main").text
    check("checks" in b.one(".verdict").text and "subject" in text, "verdict and subjects without a script")
    check("a script, which this browser does not run" in page, "the page says what is missing")
    b.cdp("Emulation.setScriptExecutionDisabled", value=False)


# ---- what a screen reader is told ----

ACCESSIBILITY = r"""
const out = [], bad = (what, e) => out.push(what + ': ' + e.outerHTML.slice(0, 100));
const name = (e) => (e.getAttribute('aria-label') || (e.getAttribute('aria-labelledby') || '').split(' ')
    .map((id) => document.getElementById(id)?.textContent || '').join(' ')
    || [...(e.labels || [])].map((l) => l.textContent).join(' ') || e.textContent || e.title || '').trim();
const ids = new Set();
for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) bad('id twice', e);
    ids.add(e.id);
}
for (const e of document.querySelectorAll('[aria-labelledby]'))
    if (!e.hidden) for (const id of e.getAttribute('aria-labelledby').split(' '))
        if (!ids.has(id) && e.checkVisibility()) bad('labelled by nothing', e);
for (const e of document.querySelectorAll('a[href], button, dialog[open], nav, section:not([hidden])'))
    if (!name(e)) bad('no name', e);
for (const e of document.querySelectorAll('input, select, textarea'))
    if (!e.labels.length && !e.getAttribute('aria-label')) bad('no label', e);
for (const e of document.querySelectorAll('svg'))
    if (e.getAttribute('aria-hidden') !== 'true' && !(e.getAttribute('role') === 'img' && name(e)))
        bad('a picture without words', e);
for (const e of document.querySelectorAll('table')) {
    if (!e.querySelector('caption') && !e.getAttribute('aria-labelledby')) bad('a table without a name', e);
    for (const th of e.querySelectorAll('th')) if (!th.scope) bad('a heading without scope', th);
    if (e.tHead && e.tBodies[0]?.rows.length && !e.tHead.querySelector('th')) bad('no headings', e);
}
for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) bad('tabindex over 0', e);
let level = 0;
for (const e of document.querySelectorAll('h1, h2, h3, h4')) {
    if (!e.checkVisibility()) continue;
    const now = Number(e.tagName[1]);
    if (now > level + 1) bad('a level is left out', e);
    level = now;
}
if (document.querySelectorAll('h1').length !== 1) out.push('not one h1');
if (document.querySelectorAll('main').length !== 1) out.push('not one main');
if (!document.documentElement.lang) out.push('no language');
if (!document.querySelector('[role=status]')) out.push('no live region');
/* One row of the list, and one alone, is reached by Tab. */
if (document.querySelectorAll('#grid-body tr[tabindex="0"]').length > 1) out.push('two rows are in reach');
for (const e of document.querySelectorAll('.wide')) if (e.scrollWidth > e.clientWidth + 1
    && e.tabIndex < 0 && !e.querySelector('a, button')) bad('cannot be scrolled by key', e);
return out.slice(0, 10);
"""


def test_accessible(b, r):
    b.open(r.url)
    equal("what a screen reader would miss", b.js(ACCESSIBILITY), [])
    b.js("location.hash = arguments[0]", r.address(min(r.bad)))
    time.sleep(0.2)
    equal("what it would miss in a case", b.js(ACCESSIBILITY), [])
    check(b.js("return document.getElementById('case').contains(document.activeElement)"),
          "the focus is in the case")
    b.keys(Keys.ESCAPE)
    row = b.one("#grid-body tr[data-place='0']")
    equal("index of the first row", row.get_attribute("aria-rowindex"), "2")


def test_hostile(b, r):
    b.open(r.url)
    equal("scripts in the page", len(b.all("script")), 2)
    check(r.names[0].startswith("</script><script>"), "the made-up report is hostile")
    b.js("location.hash = 'case=' + encodeURIComponent(arguments[0])", r.names[0])
    time.sleep(0.2)
    check(b.one("#case-title").text.startswith("</script><script>alert(1)"), "markup is shown as text")
    equal("scripts in the page then", len(b.all("script")), 2)
    check("\u202e" not in b.js("return document.body.textContent"), "nothing turns the direction of text")
    b.keys(Keys.ESCAPE)


def test_large(b, r):
    opening = float("inf")
    for _ in range(3):
        b.driver.get("about:blank")
        start = time.monotonic()
        b.driver.get(r.url)
        b.settle()
        # Other work of the machine only adds to it.
        opening = min(opening, time.monotonic() - start)
        equal("results of the large report", b.shown(), r.count)
    check(opening < OPEN_LIMIT_S, f"{r.count} results open in {opening:.2f} s, at most {OPEN_LIMIT_S}")
    for change in ("{q: 'lstm*c3'}", "{q: '', sort: '-margin'}", "{sort: 'case'}"):
        took = b.js(f"const t = performance.now(); go({change}); return performance.now() - t") / 1e3
        check(took < FILTER_LIMIT_S, f"go({change}) took {took:.2f} s, at most {FILTER_LIMIT_S}")
    check(b.js("return document.querySelectorAll('*').length") < 5000, "few elements exist at a time")
    b.js("document.getElementById('list').scrollTop = 1e9")
    time.sleep(0.3)
    check(b.js("""const rows = document.querySelectorAll('#grid-body tr[data-place]');
        return Number(rows[rows.length - 1].dataset.place)""") == r.count - 1, "the last row is reached")
    print(f"html-test: {r.count} results, {os.path.getsize(r.path) / 1e6:.1f} MB, "
          f"open in {opening:.2f} s (the best of 3)")


def test_comparison(b, r):
    b.open(r.url)
    changes = r.data["changes"]
    rows = lambda: len(b.all("#changes tbody tr"))
    equal("rows of changes", rows(), min(200, changes["rows"]))
    names = [r.text(i) for i in changes["name"]]
    check(names[0] in b.one("#changes tbody tr").text, "the first change is named")
    search = b.one("#changes input")
    search.send_keys(names[-1])
    b.settle()
    equal("changes with a name", rows(), names.count(names[-1]))
    search.clear()
    bad = next(k for k, kind in enumerate(r.data["kinds"]) if kind["count"])
    Select(b.one("#changes select")).select_by_value(str(bad))
    b.settle()
    equal("changes of one kind", rows(), changes.get("kind", [0] * changes["rows"]).count(bad))
    check(b.one("#pairs table").text, "statuses of both reports are shown")
    equal("scripts in the page", len(b.all("script")), 2)
    for theme in ("light", "dark"):
        b.media(prefers_color_scheme=theme)
        b.open(r.url)
        equal(f"texts that are too faint, {theme}", b.js(CONTRAST), [])
    b.media()
    equal("what a screen reader would miss", b.js(ACCESSIBILITY), [])
    b.resize(360, 740)
    b.open(r.url)
    equal("width of the comparison at 360", b.js("return document.documentElement.scrollWidth"), 360)
    equal("what is too wide", b.js(WIDE), [])
    b.resize(1280)


class Page:
    """A page of a site, which has no script and no data."""

    def __init__(self, path):
        self.path = path
        self.url = "file://" + path


def test_site(b, r):
    b.open(r.url)
    links = [a.get_attribute("href") for a in b.all("main a, nav a")]
    inside = r.url.rsplit("/", 1)[0] + "/"
    check(links and all(x.startswith(inside) for x in links), f"links stay in the directory: {links[:5]}")
    for x in links:
        check(os.path.exists(urllib.parse.unquote(x.split("#")[0][7:])), f"{x} is there")
    equal("scripts in the page", len(b.all("script")), 0)
    check("\u202e" not in b.js("return document.body.textContent"), "nothing turns the direction of text")
    backgrounds = []
    for theme in ("light", "dark"):
        b.media(prefers_color_scheme=theme)
        b.open(r.url)
        b.js("for (const d of document.querySelectorAll('details')) d.open = true")
        equal(f"texts that are too faint, {theme}", b.js(CONTRAST), [])
        backgrounds.append(b.js("return getComputedStyle(document.body).backgroundColor"))
    check(backgrounds[0] != backgrounds[1], f"dark differs from light: {backgrounds}")
    b.media()
    equal("what a screen reader would miss",
          [x for x in b.js(ACCESSIBILITY) if x != "no live region"], [])  # nothing moves there
    for width in (390, 320):
        b.resize(width, 740)
        b.open(r.url)
        b.js("for (const d of document.querySelectorAll('details')) d.open = true")
        equal(f"width of the page at {width}", b.js("return document.documentElement.scrollWidth"), width)
        equal(f"what is too wide at {width}", b.js(WIDE), [])
        equal(f"corners that do not stick at {width}", b.js(CORNERS), [])
    b.resize(1280)
    size = os.path.getsize(r.path)
    check(size <= 2000000, f"{r.path} has {size} bytes, at most 2000000")


def make_site(build, out):
    """A board of a made-up report in two versions, one of 200,000 cases, a real one, and a broken one."""
    reports, site = os.path.join(out, "reports"), os.path.join(out, "site")
    for directory in (reports, site):
        shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(reports)
    made_up = [os.path.join(build, "tests/conformance"), "test_html"]
    for count in ("1000", "200000"):
        subprocess.run([*made_up, count, os.path.join(reports, f"made-up-{count}.json"), "json"], check=True)
    with open(os.path.join(reports, "broken.json"), "w", encoding="utf-8") as f:
        f.write('{"assay": "<b>')
    assay = os.path.join(build, "assay")
    subprocess.run([assay, "conformance", "--quiet", "--filter=add.f32.*", f"--delegate={build}/mock/delegate.so",
                    "--delegate-option=fault=ulps", "--delegate-option=ulps=100000", "--format=json",
                    "--out=" + os.path.join(reports, "run.json")], capture_output=True)
    start = time.monotonic()
    done = subprocess.run([assay, "report", "site", reports, "-o", site], capture_output=True, text=True)
    equal("exit code with a report that is broken", done.returncode, 1)
    check("broken.json: line 1" in done.stderr, f"the broken report is named: {done.stderr[:200]!r}")
    check("other lists of cases" in done.stderr, "other lists are named")
    print(f"html-test: a board of {os.listdir(reports)} in {time.monotonic() - start:.1f} s")
    json.load(open(os.path.join(site, "feed.json"), encoding="utf-8"))
    pages = [Page(os.path.join(site, name)) for name in sorted(os.listdir(site)) if name.endswith(".html")]
    equal("pages of the site", len(pages), 4)
    return pages


def quiet(b, r):
    """Nothing was asked for, and nothing went wrong."""
    asked = [u for u in b.requests() if not u.startswith(("data:", "about:", r.url.split("#")[0]))]
    equal("requests", asked, [])
    equal("messages on the console", b.messages(), [])


def validate(r):
    done = subprocess.run(["tidy", "-errors", "-quiet", r.path], capture_output=True, text=True)
    errors = [x for x in done.stderr.splitlines() if "Error" in x or "Warning" in x]
    equal(f"faults of the markup of {os.path.basename(r.path)}", errors[:5], [])


TESTS = [test_filter, test_order, test_case, test_keys, test_matrix, test_sections, test_themes,
         test_narrow, test_print, test_without_script, test_accessible]


TESTS_OF_A_RUN = [test_order, test_case, test_matrix, test_sections, test_narrow, test_accessible]


def make_pages(build):
    """The pages of the tests, by name."""
    out = os.path.join(os.path.abspath(build), "html")
    os.makedirs(out, exist_ok=True)
    path = lambda name: os.path.join(out, name + ".html")
    made_up = [os.path.join(build, "tests/conformance"), "test_html"]
    subprocess.run([*made_up, "1000", path("made-up")], check=True)
    subprocess.run([*made_up, "50000", path("large")], check=True)
    subprocess.run([*made_up, "5000", path("comparison"), "compared"], check=True)
    run = subprocess.run(
        [os.path.join(build, "assay"), "conformance", "--quiet",
         "--filter=softmax.f32.*", "--filter=add.f16.*", "--filter=gap.f32.softmax_batch*",
         f"--subject=delegate:{build}/libassay_delegate.so",
         f"--subject=delegate:{build}/mock/delegate.so?fault=ulps&ulps=100000",
         "--format=html", "--out=" + path("run")], capture_output=True, text=True)
    if run.returncode != 1:  # the mock's faults are found
        sys.exit(f"html-test: the run ended with {run.returncode}: {run.stderr}")
    return {name: Report(path(name)) for name in ("run", "made-up", "large", "comparison")}


def run_test(browser, report, test):
    before = len(faults)
    try:
        test(browser, report)
    except Exception as e:  # the other tests still say what they find
        check(False, f"{test.__name__}: {type(e).__name__}: {str(e).splitlines()[0]}")
    quiet(browser, report)
    if len(faults) > before:
        print(f"html-test: ... in {test.__name__} of {report.path}", file=sys.stderr)


def take_picture(out, page, width="1280", height="900", theme="light"):
    browser = Browser(int(width), int(height))
    try:
        browser.media(prefers_color_scheme=theme)
        browser.open("file://" + os.path.abspath(page))
        browser.driver.save_screenshot(out)
    finally:
        browser.driver.quit()


def main():
    if len(sys.argv) > 2 and sys.argv[1].startswith("--picture="):
        return take_picture(sys.argv[1].split("=", 1)[1], *sys.argv[2:])
    if len(sys.argv) != 2:
        sys.exit("usage: html-test.py BUILD_DIRECTORY | --picture=OUT.png REPORT.html [WIDTH [HEIGHT [dark]]]")
    start = time.monotonic()
    pages = make_pages(sys.argv[1])
    browser = Browser(1280)
    try:
        for name, tests in (("run", TESTS_OF_A_RUN), ("made-up", [*TESTS, test_hostile]), ("large", [test_large]),
                            ("comparison", [test_comparison])):
            for test in tests:
                run_test(browser, pages[name], test)
        site = make_site(sys.argv[1], os.path.join(os.path.abspath(sys.argv[1]), "html"))
        for page in site:
            run_test(browser, page, test_site)
    finally:
        browser.driver.quit()
    for page in (pages["run"], pages["made-up"], pages["comparison"], *site):
        validate(page)
    if faults:
        sys.exit(f"html-test: {len(faults)} of {checks} checks failed")
    print(f"html-test: {checks} checks passed in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
