/* What other programs take of a site: a badge for each subject, and the feed. */
#include "conformance/report/forms/html_text.h"
#include "conformance/report/forms/site.h"
#include "conformance/report/forms/site_kit.h"
#include "conformance/util/json_text.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 500 };

/* ---- the badge ---- */

void site_badge(const struct board_page *page, FILE *out)
{
    const struct board_run *const run = page->runs[page->count - 1];
    const size_t judged = site_judged(run);
    const char *const colour = judged == 0 ? "#6a737d" : run->bad ? "#b3202a" : "#17693e";
    char value[64];
    int left, right;

    if (judged == 0)
        snprintf(value, sizeof value, "nothing judged");
    else if (run->bad)
        snprintf(value, sizeof value, "%zu of %zu fail", run->bad, judged);
    else
        snprintf(value, sizeof value, "%zu pass", judged);
    /* Letters of 11 pixels are 7 wide at most on average. */
    left = 7 * 6 + 12;
    right = 7 * (int)strlen(value) + 12;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" role=\"img\" "
            "aria-label=\"Assay: %s\">\n<title>",
            left + right, value);
    site_text(out, page->name);
    fputs(", ", out);
    site_text(out, site_version(run));
    fprintf(out,
            ": %s</title>\n<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"%s\"/>\n"
            "<path d=\"M3 0h%dv20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z\" fill=\"#3b434b\"/>\n"
            "<g fill=\"#fff\" text-anchor=\"middle\" font-size=\"11\" "
            "font-family=\"Verdana,DejaVu Sans,sans-serif\">\n"
            "<text x=\"%d\" y=\"14\">assay</text><text x=\"%d\" y=\"14\">%s</text>\n</g>\n</svg>\n",
            value, left + right, colour, left - 3, left / 2, left + right / 2, value);
}

/* ---- the feed ---- */

static int compare_started(const void *a, const void *b)
{
    const char *const x = (*(struct board_run *const *)a)->x.started;
    const char *const y = (*(struct board_run *const *)b)->x.started;

    return strcmp(y ? y : "", x ? x : "");
}

static const struct board_page *page_of(const struct board *b, const struct board_run *run)
{
    for (size_t i = 0; i < b->page_count; i++)
        for (size_t k = 0; k < b->pages[i].count; k++)
            if (b->pages[i].runs[k] == run)
                return &b->pages[i];
    return NULL;
}

static json_t *counts_json(const struct board_run *run)
{
    json_t *const o = json_object();

    for (int s = 0; o && s < CASE_STATUS_COUNT; s++)
        json_object_set_new(o, case_status_name((enum case_status)s),
                            json_integer((json_int_t)run->count[s]));
    return o;
}

static json_t *item_json(const struct board *b, const struct board_run *run)
{
    const struct board_page *const page = page_of(b, run);
    char title[400], text[200], url[128], id[400];
    json_t *o;

    snprintf(title, sizeof title, "%.200s %.80s: %zu of %zu checks fail", run->x.subject,
             site_version(run), run->bad, site_judged(run));
    snprintf(text, sizeof text, "%zu checks: %zu passed, %zu failed, %zu declined; %zu findings",
             run->all, run->count[CASE_PASS], run->bad, run->count[CASE_DECLINED],
             run->finding_count);
    snprintf(url, sizeof url, "%s.html", page->slug);
    snprintf(id, sizeof id, "%s %.80s %.40s", page->slug, site_version(run),
             run->x.started ? run->x.started : "");
    o = json_pack("{s:o,s:o,s:s,s:o,s:s}", "id", json_text(id), "title", json_text(title), "url",
                  url, "date_published", run->x.started ? json_text(run->x.started) : json_null(),
                  "content_text", text);
    if (!o)
        return NULL;
    /* An extension, as the form of the feed has it. */
    json_object_set_new(o, "_assay",
                        json_pack("{s:o,s:o,s:o,s:o,s:o}", "subject", json_text(run->x.subject),
                                  "device", json_text(run->x.device.name), "version",
                                  json_text(run->x.version), "badge",
                                  json_sprintf("%s.svg", page->slug), "totals", counts_json(run)));
    return o;
}

enum status site_feed(const struct board *b, FILE *out, struct diag *diag)
{
    json_t *const items = json_array();
    json_t *root;
    struct board_run **const runs = mem_alloc(b->run_count, sizeof(struct board_run *));
    bool ok = items && runs;

    if (runs && b->run_count) {
        memcpy(runs, b->runs, b->run_count * sizeof(struct board_run *));
        qsort(runs, b->run_count, sizeof(struct board_run *), compare_started);
    }
    for (size_t i = 0; ok && i < b->run_count && i < ITEMS_MAX; i++)
        ok = json_array_append_new(items, item_json(b, runs[i])) == 0;
    mem_free(runs);
    root = json_pack("{s:s,s:s,s:s,s:s,s:o}", "version", "https://jsonfeed.org/version/1.1",
                     "title", "Assay: conformance board", "home_page_url", "index.html", "feed_url",
                     "feed.json", "items", items);
    ok = ok && root && json_dumpf(root, out, JSON_INDENT(1)) == 0;
    json_decref(root);
    fputc('\n', out);
    return ok ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "feed: out of memory");
}
