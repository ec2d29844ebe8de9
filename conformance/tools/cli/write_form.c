#include "conformance/tools/cli/write_form.h"

#include "conformance/report/forms/forms.h"
#include "conformance/tools/cli/args.h"
#include "conformance/util/message.h"
#include "conformance/util/output.h"

int write_form(const struct record *r, int form, const char *path)
{
    struct diag diag = { .status = STATUS_OK };
    struct output o;
    enum status s;
    int code;

    if (!output_open(&o)) {
        message_error("report", "out of memory");
        return EXIT_FAILED;
    }
    s = forms[form].write(r, o.file, &diag);
    o.plain = form == FORMAT_TEXT;
    code = output_close(&o, path, s != STATUS_OK);
    return s == STATUS_OK ? code : message_fail("report", &diag);
}
