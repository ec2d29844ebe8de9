/* The index of a site: a row for each subject. */
#include "conformance/report/forms/html_page.h"
#include "conformance/report/forms/html_text.h"
#include "conformance/report/forms/site.h"
#include "conformance/report/forms/site_kit.h"
#include "conformance/report/record/board.h"

#include <string.h>

static enum status write_title(const void *of, FILE *out, struct diag *diag)
{
    (void)of, (void)diag;
    fputs("Conformance board - Assay", out);
    return STATUS_OK;
}

static enum status write_sections(const void *of, FILE *out, struct diag *diag)
{
    (void)of, (void)diag;
    fputs("<li><a href=\"#subjects\">Subjects</a></li>\n<li><a href=\"#about\">About</a></li>\n"
          "<li><a href=\"feed.json\">JSON feed</a></li>\n",
          out);
    return STATUS_OK;
}

static void write_count(FILE *out, const char *classes, const char *unit, size_t n)
{
    fprintf(out, "<td class=\"n%s\">", classes);
    html_count(out, n);
    fprintf(out, "<span class=\"unit\"> %s</span></td>", unit);
}

/* What became better and worse since the version before. */
static enum status write_since(FILE *out, const struct board_page *page, struct diag *diag)
{
    struct arena arena = { .blocks = NULL };
    struct board_move *moves;
    size_t count, sums[COMPARE_KIND_COUNT] = { 0 }, loose = 0, shown = 0;
    enum status s;

    fputs("<td>", out);
    if (page->count < 2) {
        fputs("<span class=\"quiet\">one version</span></td>", out);
        return STATUS_OK;
    }
    s = board_moves(page->runs[page->count - 2], page->runs[page->count - 1], &arena, &moves,
                    &count, diag);
    for (size_t i = 0; s == STATUS_OK && i < count; i++) {
        sums[moves[i].kind] += moves[i].count;
        loose += moves[i].loose ? moves[i].count : 0;
    }
    for (int k = 0; k < COMPARE_OTHER && s == STATUS_OK; k++) {
        if (sums[k] == 0)
            continue;
        fprintf(out, "%s<span class=\"%s\">", shown++ ? ", " : "",
                compare_kind_is_bad((enum compare_kind)k) ? "worse-word" : "better-word");
        html_count(out, sums[k]);
        fprintf(out, " %s</span>", compare_kind_title((enum compare_kind)k));
    }
    fputs(shown ? "" : "<span class=\"quiet\">nothing</span>", out);
    if (loose)
        fputs(" <span class=\"quiet\">(in part of other cases)</span>", out);
    fputs("</td>", out);
    arena_close(&arena);
    return s;
}

static enum status write_row(FILE *out, const struct board_page *page, struct diag *diag)
{
    const struct board_run *const run = page->runs[page->count - 1];
    const size_t judged = site_judged(run);
    char date[11];

    fprintf(out, "<tr><th scope=\"row\"><a href=\"%s.html\">", page->slug);
    site_text(out, page->name);
    fputs("</a>", out);
    if (page->device) {
        fputs("<br><span class=\"quiet\">on ", out);
        site_text(out, page->device);
        fputs("</span>", out);
    }
    fputs("</th><td>", out);
    site_text(out, site_version(run));
    fputs("<br><span class=\"quiet\">", out);
    site_text(out, site_date(run, date));
    fputs("</span></td><td class=\"n\">", out);
    if (run->x.not_run)
        fputs("not run", out);
    else if (judged == 0)
        fputs("none taken", out);
    else
        fprintf(out, "%s%.1f&nbsp;%%<span class=\"unit\"> pass</span>", run->bad ? "" : "✓ ",
                /* 99.96 % is not 100 %. */
                run->bad && site_share(run) > 99.9 ? 99.9 : site_share(run));
    fputs("</td><td class=\"bar-cell\">", out);
    site_bar(out, run);
    fputs("</td>", out);
    write_count(out, run->bad ? " bad" : "", "failing", run->bad);
    write_count(out, "", "judged", judged);
    write_count(out, "", "declined", run->count[CASE_DECLINED]);
    fputs("<td class=\"trend-cell\">", out);
    site_trend(out, page->runs + (page->count > SITE_VERSIONS ? page->count - SITE_VERSIONS : 0),
               page->count > SITE_VERSIONS ? SITE_VERSIONS : page->count);
    fputs("</td>", out);
    TRY(write_since(out, page, diag));
    fputs("</tr>\n", out);
    return STATUS_OK;
}

static const char about[] =
    "<section id=\"about\" aria-labelledby=\"about-title\">\n"
    "<h2 id=\"about-title\">How to read it</h2>\n"
    "<p>A <em>check</em> is a case on a subject: a small model with its "
    "data, whose results are held to "
    "bounds that follow from the arithmetic. <em>Judged</em> are those "
    "that the subject took; a model "
    "that it <em>declined</em> counts neither for it nor against it. "
    "<em>Failing</em> are wrong results, "
    "crashes and timeouts. A share of what was judged is no share of real "
    "models: the suite asks for "
    "edges, and each op has as many cases as it has edges.</p>\n"
    "<p>The row is of the newest version; its page has the others, what "
    "changed between them, and the "
    "findings. Each subject has a badge, <code>NAME.svg</code>; <a "
    "href=\"feed.json\">feed.json</a> is a "
    "JSON feed of all runs.</p>\n"
    "<ul class=\"legend\"><li><span class=\"sample s0\">&nbsp;</span>pass</li>"
    "<li><span class=\"sample s2\">&nbsp;</span>declined</li><li><span "
    "class=\"sample s1\">&nbsp;</span>fail</li>"
    "<li><span class=\"sample s3\">&nbsp;</span>crash, timeout</li></ul>\n"
    "</section>\n";

static enum status write_body(const void *of, FILE *out, struct diag *diag)
{
    const struct board *const b = of;
    const char *newest = "";
    char date[11];
    size_t left_out = 0;

    for (size_t i = 0; i < b->run_count; i++)
        if (b->runs[i]->x.started && strcmp(b->runs[i]->x.started, newest) > 0)
            newest = b->runs[i]->x.started;
    fputs("<section id=\"summary\" aria-labelledby=\"summary-title\">\n"
          "<h1 id=\"summary-title\">Conformance board</h1>\n<p class=\"verdict\">",
          out);
    html_count(out, b->page_count);
    fprintf(out, " subject%s<span class=\"why\"> in ", b->page_count == 1 ? "" : "s");
    html_count(out, b->run_count);
    fprintf(out, " run%s", b->run_count == 1 ? "" : "s");
    if (*newest) {
        fputs(", the newest of ", out);
        site_text(out, site_date(&(struct board_run){ .x.started = newest }, date));
    }
    fputs("</span></p>\n", out);
    site_notes(out, "Cannot be read", &b->broken, 50, NULL);
    fputs("</section>\n<section id=\"subjects\" aria-labelledby=\"subjects-title\">\n"
          "<h2 id=\"subjects-title\">Subjects</h2>\n<div class=\"wide\">\n<table class=\"board "
          "stack\">\n"
          "<caption class=\"hidden\">Subjects, each in its newest version</caption>\n"
          "<thead><tr><th scope=\"col\">subject</th><th scope=\"col\">version</th>"
          "<th scope=\"col\" class=\"n\">pass</th><th scope=\"col\">all cases</th>"
          "<th scope=\"col\" class=\"n\">failing</th><th scope=\"col\" class=\"n\">judged</th>"
          "<th scope=\"col\" class=\"n\">declined</th><th scope=\"col\">trend</th>"
          "<th scope=\"col\">since the version before</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < b->page_count; i++) {
        if (site_has_room(out, SITE_PAGE_BYTES - 100000))
            TRY(write_row(out, &b->pages[i], diag));
        else
            left_out++;
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
    if (left_out)
        fprintf(out, "<p class=\"banner\">%zu more subjects are left out, for want of room.</p>\n",
                left_out);
    fputs("</section>\n", out);
    fputs(about, out);
    return STATUS_OK;
}

enum status site_index(const struct board *b, FILE *out, struct diag *diag)
{
    static const struct html_part parts[] = {
        { "title", write_title },
        { "sections", write_sections },
        { "body", write_body },
        { NULL, NULL },
    };

    return html_page_write(&html_site_page, NULL, parts, b, out, diag);
}
