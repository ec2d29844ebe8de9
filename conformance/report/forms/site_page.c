/* The page of a subject: its versions as columns, the newest first; what changed from one to the
 * next; the findings of the newest; each op in each version. */
#include "conformance/report/forms/html_page.h"
#include "conformance/report/forms/html_text.h"
#include "conformance/report/forms/site.h"
#include "conformance/report/forms/site_kit.h"
#include "conformance/report/record/board.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Where each section ends at the latest, in bytes of the page. */
enum { ROOM_CHANGES = 800000, ROOM_FINDINGS = 1100000, ROOM_OPS = SITE_PAGE_BYTES - 60000 };

struct view {
    const struct board *board;
    const struct board_page *page;
    struct board_run *runs[SITE_VERSIONS]; /* the newest first */
    size_t count;
};

/* ---- the summary ---- */

static enum status write_title(const void *of, FILE *out, struct diag *diag)
{
    const struct view *const v = of;

    (void)diag;
    site_text(out, v->page->name);
    fputs(" - Assay", out);
    return STATUS_OK;
}

static enum status write_sections(const void *of, FILE *out, struct diag *diag)
{
    (void)of, (void)diag;
    fputs("<li><a href=\"index.html\">All subjects</a></li>\n<li><a "
          "href=\"#versions\">Versions</a></li>\n"
          "<li><a href=\"#changes\">Changes</a></li>\n<li><a href=\"#findings\">Findings</a></li>\n"
          "<li><a href=\"#ops\">Ops</a></li>\n",
          out);
    return STATUS_OK;
}

static void write_summary(const struct view *v, FILE *out)
{
    const struct board_run *const run = v->runs[0];
    const bool bad = run->bad > 0;
    char about[512];

    fputs("<section id=\"summary\" aria-labelledby=\"summary-title\">\n<h1 id=\"summary-title\">",
          out);
    site_text(out, v->page->name);
    if (v->page->device) {
        fputs(" on ", out);
        site_text(out, v->page->device);
    }
    fputs("</h1>\n", out);
    if (site_judged(run) == 0) {
        fputs("<p class=\"verdict cut\">Nothing judged<span class=\"why\"> in ", out);
    } else {
        fprintf(out, "<p class=\"verdict %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>",
                bad ? "bad" : "good", bad ? "✗" : "✓");
        html_count(out, run->bad);
        fputs(" failing<span class=\"why\"> of ", out);
        html_count(out, site_judged(run));
        fputs(" checks that were judged in ", out);
    }
    site_text(out, site_version(run));
    fputs("</span></p>\n", out);
    snprintf(about, sizeof about, "%.500s: ", v->page->name);
    site_notes(out, "Note", &v->board->remarks, 12, about);
    if (v->page->count > v->count)
        fprintf(out, "<p class=\"banner\">%zu older runs are not shown.</p>\n",
                v->page->count - v->count);
    fputs("</section>\n", out);
}

/* ---- versions ---- */

static void write_heads(const struct view *v, FILE *out, const char *first)
{
    char date[11];

    fprintf(out, "<thead><tr><th scope=\"col\">%s</th>", first);
    for (size_t i = 0; i < v->count; i++) {
        fputs("<th scope=\"col\" class=\"n\">", out);
        site_text(out, site_version(v->runs[i]));
        fputs("<br><span class=\"quiet\">", out);
        site_text(out, site_date(v->runs[i], date));
        fputs("</span></th>", out);
    }
    fputs("</tr></thead>\n", out);
}

/* What is told of each run, where it is known of any. */
static const struct {
    const char *name;
    size_t offset;
} run_texts[] = {
    { "driver, runtime", offsetof(struct summary_run, device.driver) },
    { "held to the bounds", offsetof(struct summary_run, bounds) },
    { "not of all cases", offsetof(struct summary_run, part) },
    { "Assay", offsetof(struct summary_run, assay) },
    { "its source", offsetof(struct summary_run, git) },
    { "host", offsetof(struct summary_run, host) },
};

static void write_texts(const struct view *v, FILE *out, size_t row)
{
    const char *texts[SITE_VERSIONS];
    bool any = false;

    for (size_t i = 0; i < v->count; i++) {
        memcpy(&texts[i], (const char *)&v->runs[i]->x + run_texts[row].offset, sizeof texts[i]);
        any = any || texts[i];
    }
    if (!any)
        return;
    fprintf(out, "<tr><th scope=\"row\">%s</th>", run_texts[row].name);
    for (size_t i = 0; i < v->count; i++) {
        fputs("<td class=\"n text\">", out);
        site_text(out, texts[i] ? texts[i] : "–");
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void write_counts(const struct view *v, FILE *out)
{
    for (int s = 0; s < CASE_STATUS_COUNT; s++) {
        bool any = s <= CASE_CRASH;

        for (size_t i = 0; i < v->count; i++)
            any = any || v->runs[i]->count[s] > 0;
        if (!any)
            continue;
        fprintf(out, "<tr><th scope=\"row\"><span class=\"sample s%d\">&nbsp;</span>%s</th>", s,
                s == CASE_UNEXPECTED_PASS ? "unexpected pass"
                                          : case_status_name((enum case_status)s));
        for (size_t i = 0; i < v->count; i++) {
            const size_t n = v->runs[i]->count[s];

            fprintf(out, "<td class=\"n%s\">",
                    n > 0 && summary_names((enum case_status)s) ? " bad" : "");
            html_count(out, n);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
}

static void write_versions(const struct view *v, FILE *out)
{
    fputs("<section id=\"versions\" aria-labelledby=\"versions-title\">\n"
          "<h2 id=\"versions-title\">Versions</h2>\n<div class=\"wide\" tabindex=\"0\" "
          "role=\"region\" "
          "aria-label=\"Versions\">\n<table class=\"versions\">\n"
          "<caption class=\"hidden\">Counts of each version</caption>\n",
          out);
    write_heads(v, out, "checks");
    fputs("<tbody>\n<tr><th scope=\"row\">all</th>", out);
    for (size_t i = 0; i < v->count; i++) {
        fputs("<td class=\"n\">", out);
        html_count(out, v->runs[i]->all);
        fputs("<br>", out);
        site_bar(out, v->runs[i]);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
    write_counts(v, out);
    fputs("<tr><th scope=\"row\">pass, of what was judged</th>", out);
    for (size_t i = 0; i < v->count; i++)
        fprintf(out, "<td class=\"n\">%.2f&nbsp;%%</td>",
                /* 99.997 % is not 100 %. */
                fmin(site_share(v->runs[i]), v->runs[i]->bad ? 99.99 : 100));
    fputs("</tr>\n", out);
    for (size_t i = 0; i < sizeof run_texts / sizeof run_texts[0]; i++)
        write_texts(v, out, i);
    fputs("</tbody>\n</table>\n</div>\n", out);
    if (v->count > 1) {
        fputs("<figure class=\"trend-figure\"><figcaption>Pass, of what was judged <span "
              "class=\"quiet\">from the oldest to the newest</span></figcaption>",
              out);
        site_trend(out, v->page->runs + v->page->count - v->count, v->count);
        fputs("</figure>\n", out);
    }
    fputs("</section>\n", out);
}

/* ---- changes ---- */

static void write_line_name(FILE *out, const struct board_line *l)
{
    site_text(out, l->x.name);
    if (l->x.type) {
        fputc(' ', out);
        site_text(out, l->x.type);
    }
}

/* A line and the names of its cases, as far as they are kept. */
static void write_move(FILE *out, const struct board_move *m)
{
    enum { NAMES = 40 };

    fputs("<li>", out);
    write_line_name(out, m->line);
    fputs(": ", out);
    html_count(out, m->count);
    for (size_t i = 0; m->names && i < m->count && i < NAMES; i++) {
        fputs(i ? " <code>" : "<br><code>", out);
        site_text(out, m->names[i]);
        fputs("</code>", out);
    }
    if (m->names && m->count > NAMES)
        fprintf(out, " and %zu more", m->count - NAMES);
    fputs("</li>\n", out);
}

static const char *kind_title(const struct board_move *m)
{
    if (!m->loose)
        return compare_kind_title(m->kind);
    return m->kind == COMPARE_NEW_FAILURE ? "fail now, and did not before, or are new"
                                          : "failed before, and do not now, or are gone";
}

/* All moves of one kind, which begin at `from`; *to is behind them. */
static void write_kind(FILE *out, const struct board_move *moves, size_t count, size_t from,
                       size_t *to)
{
    size_t sum = 0, left_out = 0, i;

    for (i = from;
         i < count && moves[i].kind == moves[from].kind && moves[i].loose == moves[from].loose; i++)
        sum += moves[i].count;
    fprintf(out, "<details%s><summary><b class=\"%s\">",
            compare_kind_is_bad(moves[from].kind) && sum <= 12 ? " open" : "",
            compare_kind_is_bad(moves[from].kind) ? "worse-word" : "better-word");
    html_count(out, sum);
    fprintf(out, "</b> %s</summary>\n<ul class=\"moves\">\n", kind_title(&moves[from]));
    for (size_t k = from; k < i; k++) {
        if (site_has_room(out, ROOM_CHANGES))
            write_move(out, &moves[k]);
        else
            left_out++;
    }
    if (left_out)
        fprintf(out,
                "<li>%zu more ops are left out; <code>assay report compare</code> lists all</li>\n",
                left_out);
    fputs("</ul></details>\n", out);
    *to = i;
}

static enum status write_change(const struct view *v, size_t newer, FILE *out, struct diag *diag)
{
    const struct board_run *const is = v->runs[newer], *const was = v->runs[newer + 1];
    struct arena arena = { .blocks = NULL };
    struct board_move *moves;
    size_t count;
    enum status s = board_moves(was, is, &arena, &moves, &count, diag);

    fputs("<h3>", out);
    site_text(out, site_version(is));
    fputs(" <span class=\"quiet\">after ", out);
    site_text(out, site_version(was));
    fputs("</span></h3>\n", out);
    for (size_t i = 0; s == STATUS_OK && i < count;)
        write_kind(out, moves, count, i, &i);
    if (s == STATUS_OK && count == 0)
        fputs("<p class=\"quiet\">No case that both have changed.</p>\n", out);
    arena_close(&arena);
    return s;
}

static enum status write_changes(const struct view *v, FILE *out, struct diag *diag)
{
    fputs("<section id=\"changes\" aria-labelledby=\"changes-title\">\n"
          "<h2 id=\"changes-title\">What was fixed, what broke</h2>\n",
          out);
    for (size_t i = 0; i + 1 < v->count; i++) {
        if (site_has_room(out, ROOM_CHANGES))
            TRY(write_change(v, i, out, diag));
        else
            fputs("<p class=\"banner\">Older changes are left out, for want of room.</p>\n", out),
                i = v->count;
    }
    if (v->count < 2)
        fputs("<p class=\"quiet\">There is one version.</p>\n", out);
    fputs("</section>\n", out);
    return STATUS_OK;
}

/* ---- findings ---- */

static bool has_finding(const struct board_run *run, const char *title)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].title, title) == 0)
            return true;
    return false;
}

static void write_finding(const struct view *v, const struct summary_finding *f, FILE *out)
{
    fputs("<li><p><span class=\"badge ", out);
    /* One of the words that severity_name has, or of another version: no class then. */
    fputs(strcmp(f->severity, "crash") == 0 || strcmp(f->severity, "broken") == 0 ? "s3"
          : strcmp(f->severity, "gross") == 0                                     ? "s1"
                                                                                  : "",
          out);
    fputs("\">", out);
    site_text(out, f->severity);
    fputs("</span> <b>", out);
    site_text(out, f->title);
    fputs("</b> ", out);
    html_count(out, f->checks);
    fputs(" of ", out);
    html_count(out, f->judged);
    fputs(f->judged == 1 ? " check" : " checks", out);
    if (f->exposure > 0)
        fprintf(out, ", as %.2g&nbsp;%% of the nodes of real models", 100 * f->exposure);
    else if (f->exposure == 0)
        fputs(", as no node of a real model", out);
    if (v->count > 1)
        fputs(has_finding(v->runs[1], f->title) ? "" : " <span class=\"badge\">new</span>", out);
    fputs("</p>\n<p class=\"quiet\">", out);
    if (f->condition) {
        fputs("all of them: ", out);
        site_text(out, f->condition);
        fputs("<br>", out);
    }
    if (f->what) {
        site_text(out, f->what);
        fputs("<br>", out);
    }
    fputs("smallest: <code>", out);
    site_text(out, f->smallest);
    fputs("</code></p></li>\n", out);
}

static void write_findings(const struct view *v, FILE *out)
{
    const struct board_run *const run = v->runs[0];
    size_t shown = 0, gone = 0;

    fputs("<section id=\"findings\" aria-labelledby=\"findings-title\">\n"
          "<h2 id=\"findings-title\">Findings in ",
          out);
    site_text(out, site_version(run));
    fputs("</h2>\n", out);
    if (run->finding_count == 0)
        fputs("<p class=\"quiet\">None.</p>\n", out);
    else
        fputs(
            "<p class=\"quiet\">Failures of one cause together, what to fix first at the top.</p>\n"
            "<ol class=\"findings\">\n",
            out);
    for (size_t i = 0; i < run->finding_count && site_has_room(out, ROOM_FINDINGS); i++, shown++)
        write_finding(v, &run->findings[i], out);
    fputs(run->finding_count ? "</ol>\n" : "", out);
    if (shown < run->finding_count)
        fprintf(out, "<p class=\"banner\">%zu more findings are left out, for want of room.</p>\n",
                run->finding_count - shown);
    for (size_t i = 0; v->count > 1 && i < v->runs[1]->finding_count && gone < 100; i++) {
        if (has_finding(run, v->runs[1]->findings[i].title))
            continue;
        fputs(gone++ ? "<li>"
                     : "<h3>Findings of the version before that this one has not</h3>\n<ul "
                       "class=\"moves\">\n<li>",
              out);
        site_text(out, v->runs[1]->findings[i].title);
        fputs("</li>\n", out);
    }
    fputs(gone ? "</ul>\n</section>\n" : "</section>\n", out);
}

/* ---- ops ---- */

static void write_cell(FILE *out, const struct board_line *l)
{
    const size_t judged = l ? l->cases - l->count[CASE_DECLINED] : 0;
    const double share = judged ? (double)(judged - l->bad_count) / (double)judged : 0;

    if (!l) {
        fputs("<td class=\"cell\"></td>", out);
    } else if (judged == 0) {
        fputs("<td class=\"cell quiet\">declined</td>", out);
    } else if (l->bad_count == 0) {
        fputs("<td class=\"cell g4\">", out);
        html_count(out, judged);
        fputs("</td>", out);
    } else {
        fprintf(out, "<td class=\"cell b%d\">✗ ", share >= 0.95 ? 0 : share >= 0.5 ? 1 : 2);
        html_count(out, l->bad_count);
        fputs("<span class=\"of\"> of ", out);
        html_count(out, judged);
        fputs("</span></td>", out);
    }
}

/* Writes the lines where a case fails in a version, or the others; returns how many these are.  out
 * NULL: they are counted only. */
static size_t write_lines(const struct view *v, FILE *out, bool failing, size_t *left_out)
{
    size_t at[SITE_VERSIONS] = { 0 }, rows = 0;

    for (;;) {
        const struct board_line *first = NULL, *cells[SITE_VERSIONS] = { NULL };
        bool bad = false;

        for (size_t i = 0; i < v->count; i++) {
            const struct board_line *const l =
                at[i] < v->runs[i]->line_count ? &v->runs[i]->lines[at[i]] : NULL;

            if (l && (!first || board_compare_lines(l, first) < 0))
                first = l;
        }
        if (!first)
            return rows;
        for (size_t i = 0; i < v->count; i++) {
            if (at[i] >= v->runs[i]->line_count ||
                board_compare_lines(&v->runs[i]->lines[at[i]], first) != 0)
                continue;
            cells[i] = &v->runs[i]->lines[at[i]++];
            bad = bad || cells[i]->bad_count > 0;
        }
        if (bad != failing)
            continue;
        rows++;
        if (!out)
            continue;
        if (!site_has_room(out, ROOM_OPS)) {
            ++*left_out;
            continue;
        }
        fputs("<tr><th scope=\"row\">", out);
        write_line_name(out, first);
        fputs("</th>", out);
        for (size_t i = 0; i < v->count; i++)
            write_cell(out, cells[i]);
        fputs("</tr>\n", out);
    }
}

static void write_table(const struct view *v, FILE *out, bool failing, const char *caption)
{
    size_t left_out = 0;

    fprintf(out,
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n"
            "<table class=\"versions ops\">\n<caption class=\"hidden\">%s</caption>\n",
            caption, caption);
    write_heads(v, out, "op, type");
    fputs("<tbody>\n", out);
    write_lines(v, out, failing, &left_out);
    fputs("</tbody>\n</table>\n</div>\n", out);
    if (left_out)
        fprintf(out, "<p class=\"banner\">%zu more rows are left out, for want of room.</p>\n",
                left_out);
}

static void write_ops(const struct view *v, FILE *out)
{
    fputs("<section id=\"ops\" aria-labelledby=\"ops-title\">\n<h2 id=\"ops-title\">Ops, and known "
          "faults of delegates</h2>\n<p class=\"quiet\">Failing checks, of those that were judged. "
          "Lines without a type are faults that delegates are known for, each tried in small "
          "graphs.</p>\n",
          out);
    if (write_lines(v, NULL, true, NULL) > 0)
        write_table(v, out, true, "Ops of which a check fails in a version");
    if (write_lines(v, NULL, false, NULL) > 0) {
        fputs("<details><summary>Ops of which no check fails in any version</summary>\n", out);
        write_table(v, out, false, "Ops of which no check fails");
        fputs("</details>\n", out);
    }
    fputs("</section>\n", out);
}

static enum status write_body(const void *of, FILE *out, struct diag *diag)
{
    const struct view *const v = of;

    write_summary(v, out);
    write_versions(v, out);
    TRY(write_changes(v, out, diag));
    write_findings(v, out);
    write_ops(v, out);
    return STATUS_OK;
}

enum status site_page(const struct board *b, const struct board_page *page, FILE *out,
                      struct diag *diag)
{
    static const struct html_part parts[] = {
        { "title", write_title },
        { "sections", write_sections },
        { "body", write_body },
        { NULL, NULL },
    };
    struct view v = { .board = b, .page = page };

    for (size_t i = page->count; i > 0 && v.count < SITE_VERSIONS; i--)
        v.runs[v.count++] = page->runs[i - 1];
    return html_page_write(&html_site_page, NULL, parts, &v, out, diag);
}
