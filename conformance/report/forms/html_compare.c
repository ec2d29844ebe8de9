/* A comparison of two reports as one HTML page: the verdict, why, and both runs are written here;
 * everything else is data that the page's program shows. */
#include "conformance/report/forms/compare_forms.h"
#include "conformance/report/forms/html_compare_data.h"
#include "conformance/report/forms/html_page.h"
#include "conformance/report/forms/html_text.h"

#include <inttypes.h>

static enum status write_title(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;

    (void)diag;
    fputs(c->failure_count ? "Worse - " : "No worse - ", out);
    if (c->pair_count)
        html_text(out, c->is->subjects[c->pairs[0].new_subject].label);
    fputs(" - Assay", out);
    return STATUS_OK;
}

static void write_list(const char *title, const char *const *texts, size_t count, FILE *out)
{
    if (count == 0)
        return;
    fprintf(out, "<h2>%s</h2>\n<ul class=\"sentences\">\n", title);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", out);
        html_text(out, texts[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static enum status write_verdict(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;
    const bool worse = c->failure_count > 0;
    size_t common = 0;

    (void)diag;
    for (size_t i = 0; i < c->pair_count; i++)
        common += c->pairs[i].common;
    fprintf(out,
            "<p class=\"verdict %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>%s"
            "<span class=\"why\"> in ",
            worse ? "bad" : "good", worse ? "✗" : "✓", worse ? "Worse" : "No worse");
    html_count(out, common);
    fputs(" checks that both reports have</span></p>\n", out);
    write_list("Why", c->failures, c->failure_count, out);
    write_list("To keep in mind", c->notes, c->note_count, out);
    return STATUS_OK;
}

static void write_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    html_text(out, text ? text : "not known");
    fputs("</td>", out);
}

static void write_run(FILE *out, const char *name, const struct record *r)
{
    const struct record_totals t = record_totals(r);

    fprintf(out, "<tr><th scope=\"row\">%s</th>", name);
    write_cell(out, r->run.version);
    write_cell(out, r->run.git);
    write_cell(out, r->run.started);
    write_cell(out, r->device.name);
    write_cell(out, r->device.driver);
    fputs("<td class=\"n\">", out);
    html_count(out, t.all);
    fprintf(out, "</td><td class=\"n%s\">", t.bad ? " bad" : "");
    html_count(out, t.bad);
    fputs("</td></tr>\n", out);
}

static enum status write_runs(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;

    (void)diag;
    write_run(out, "old", c->was);
    write_run(out, "new", c->is);
    return STATUS_OK;
}

/* Subjects that only one of the reports has. */
static enum status write_alone(const void *of, FILE *out, struct diag *diag)
{
    const struct record_comparison *const c = of;

    (void)diag;
    for (size_t i = 0; i < c->old_only_count + c->new_only_count; i++) {
        const bool old = i < c->old_only_count;
        const struct record *const r = old ? c->was : c->is;
        const size_t subject = old ? c->old_only[i] : c->new_only[i - c->old_only_count];

        fputs("<p class=\"banner\">Not compared: subject ", out);
        html_text(out, r->subjects[subject].label);
        fprintf(out, " is in the %s report alone.</p>\n", old ? "old" : "new");
    }
    return STATUS_OK;
}

static enum status write_data(const void *of, FILE *out, struct diag *diag)
{
    json_t *const data = html_compare_data(of);
    const bool written = data && html_json(out, data);

    json_decref(data);
    return written ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

enum status html_comparison(const struct record_comparison *c, FILE *out, struct diag *diag)
{
    static const struct html_part parts[] = {
        { "title", write_title }, { "verdict", write_verdict }, { "runs", write_runs },
        { "alone", write_alone }, { "data", write_data },       { NULL, NULL },
    };

    return html_page_write(&html_compare_page, &html_compare_script, parts, c, out, diag);
}
