#include "conformance/tools/cli/write_form.h"

#include "conformance/report/forms/forms.h"
#include "conformance/report/record/exposure.h"
#include "conformance/tools/cli/args.h"
#include "conformance/util/message.h"
#include "conformance/util/output.h"

int write_form(const struct record *r, int form, const char *path)
{
    struct diag diag = { .status = STATUS_OK };
    struct arena arena = { .blocks = NULL };
    struct record exposed = *r;
    struct exposure exposure;
    struct output o;
    enum status s;
    int code;

    if (!output_open(&o)) {
        message_error("report", "out of memory");
        return EXIT_FAILED;
    }
    s = exposure_open(&exposure, &exposed, &arena, &diag);
    if (s == STATUS_OK)
        s = forms[form].write(&exposed, o.file, &diag);
    arena_close(&arena);
    o.plain = form == FORMAT_TEXT;
    code = output_close(&o, path, s != STATUS_OK);
    return s == STATUS_OK ? code : message_fail("report", &diag);
}
