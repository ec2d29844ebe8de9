#include "conformance/report/forms/forms.h"

enum status form_json(const struct record *r, FILE *out, struct diag *diag)
{
    return record_write(r, out, diag);
}
