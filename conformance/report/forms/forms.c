#include "conformance/report/forms/forms.h"

const struct form forms[] = {
    { "text", form_text },   { "json", form_json }, { "csv", form_csv },
    { "junit", form_junit }, { "html", form_html }, { "summary", form_summary },
};
const size_t form_count = sizeof forms / sizeof forms[0];
