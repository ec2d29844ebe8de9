/* The report as one HTML page: what it says of the whole run is written here, so that it can be
 * read without a script; everything else is data that the page's program shows. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/forms/html_data.h"
#include "conformance/report/forms/html_head.h"
#include "conformance/report/forms/html_page.h"
#include "conformance/report/forms/html_text.h"

static enum status write_data(const void *of, FILE *out, struct diag *diag)
{
    json_t *const data = html_data(of);
    const bool written = data && html_json(out, data);

    json_decref(data);
    return written ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

enum status form_html(const struct record *r, FILE *out, struct diag *diag)
{
    static const struct html_part parts[] = {
        { "title", html_head_title },
        { "verdict", html_head_verdict },
        { "subjects", html_head_subjects },
        { "run", html_head_run },
        { "data", write_data },
        { NULL, NULL },
    };

    return html_page_write(&html_report_page, &html_report_script, parts, r, out, diag);
}
