#include "conformance/report/forms/html_page.h"

#include "conformance/report/forms/html_text.h"

#include <assert.h>
#include <string.h>

/* No request at all: neither the page nor a name in it can ask for anything.  The icon is empty, so
 * that a browser does not look for one. */
static void write_policy(const struct html_source *script, FILE *out)
{
    fputs("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src ",
          out);
    html_policy_hash(out, html_style.bytes, html_style.count);
    if (!script)
        return;
    fputs("; script-src ", out);
    html_policy_hash(out, script->bytes, script->count);
}

static bool is_name(const char *name, const char *text, size_t count)
{
    return strlen(name) == count && memcmp(name, text, count) == 0;
}

static enum status write_part(const struct html_source *script, const struct html_part *parts,
                              const void *of, const char *name, size_t count, FILE *out,
                              struct diag *diag)
{
    if (is_name("style", name, count)) {
        fwrite(html_style.bytes, 1, html_style.count, out);
        return STATUS_OK;
    }
    if (is_name("script", name, count)) {
        fwrite(script->bytes, 1, script->count, out);
        return STATUS_OK;
    }
    if (is_name("policy", name, count)) {
        write_policy(script, out);
        return STATUS_OK;
    }
    while (parts->name && !is_name(parts->name, name, count))
        parts++;
    assert(parts->name && "the page names a part that it does not have");
    return parts->write(of, out, diag);
}

enum status html_page_write(const struct html_source *page, const struct html_source *script,
                            const struct html_part *parts, const void *of, FILE *out,
                            struct diag *diag)
{
    const char *at = page->bytes;
    const char *const end = page->bytes + page->count;

    while (at < end) {
        const char *const open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *const close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;

        if (!close)
            break;
        fwrite(at, 1, (size_t)(open - at), out);
        TRY(write_part(script, parts, of, open + 2, (size_t)(close - open - 2), out, diag));
        at = close + 2;
    }
    fwrite(at, 1, (size_t)(end - at), out);
    return STATUS_OK;
}
