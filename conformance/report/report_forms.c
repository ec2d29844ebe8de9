/* Prints minimal forms. */
#include "conformance/report/report_forms.h"

#include "conformance/judge/minimize_print.h"
#include "conformance/util/json_text.h"

#include <stdlib.h>

void report_forms_text(const struct report *r, FILE *out)
{
    if (!r->forms)
        return;
    for (size_t i = 0; i < r->forms->count; i++) {
        const struct minimal_form *const form = &r->forms->items[i];

        fprintf(out, "\nminimal: %s on %s", r->cases[form->result % r->case_count].name,
                r->subjects[form->result / r->case_count].label);
        if (form->similar > 0)
            fprintf(out, ", for %zu more that fail alike", form->similar);
        fprintf(out, "\n");
        minimized_print(out, &form->minimized, NULL);
    }
    if (r->forms->left_out > 0)
        fprintf(out, "\n%zu failures of other kinds were not minimized\n", r->forms->left_out);
}

static json_t *make_text(const struct minimized *m)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    json_t *j;

    if (!f)
        return json_null();
    minimized_print(f, m, NULL);
    j = fclose(f) == 0 ? json_text(text) : json_null();
    free(text);
    return j;
}

json_t *report_forms_json(const struct report *r)
{
    json_t *const list = json_array();

    for (size_t i = 0; r->forms && i < r->forms->count; i++) {
        const struct minimal_form *const form = &r->forms->items[i];
        const struct minimized *const m = &form->minimized;
        json_t *const j = json_object();

        json_object_set_new(j, "subject", json_integer((json_int_t)(form->result / r->case_count)));
        json_object_set_new(j, "case", json_text(r->cases[form->result % r->case_count].name));
        json_object_set_new(j, "status", json_string(case_status_name(m->result.status)));
        json_object_set_new(j, "reason", json_text(m->result.reason));
        json_object_set_new(j, "similar", json_integer((json_int_t)form->similar));
        json_object_set_new(j, "steps", json_integer((json_int_t)m->outcome.steps));
        json_object_set_new(j, "reductions", json_integer((json_int_t)m->outcome.accepted));
        json_object_set_new(j, "limited", json_boolean(m->outcome.limited));
        json_object_set_new(j, "flaky", json_boolean(m->outcome.flaky || m->outcome.flaky_end));
        json_object_set_new(j, "text", make_text(m));
        json_array_append_new(list, j);
    }
    return list;
}
