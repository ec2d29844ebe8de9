#include "conformance/report/forms/forms.h"
#include "conformance/report/record/summary.h"

enum status form_json(const struct record *r, FILE *out, struct diag *diag)
{
    return record_write(r, out, diag);
}

enum status form_summary(const struct record *r, FILE *out, struct diag *diag)
{
    return summary_write(r, out, diag);
}
