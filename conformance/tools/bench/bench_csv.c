/* The report of `assay bench` as CSV (RFC 4180): the leaves of its JSON, one a line. */
#include "conformance/tools/bench/bench_print.h"

#include "reference/base/clean.h"
#include "reference/base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 512 };

/* Quotes are written where the text needs them. */
static void put_text(FILE *f, const char *text)
{
    const bool quoted = strpbrk(text, ",\"") != NULL;
    uint32_t code;
    size_t n;

    if (quoted)
        fputc('"', f);
    for (; (n = utf8_decode(text, &code)) > 0; text += n) {
        if (code == '"')
            fputs("\"\"", f);
        else if (clean_is_control(code))
            fputs("\xef\xbf\xbd", f);
        else
            fwrite(text, 1, n, f);
    }
    if (quoted)
        fputc('"', f);
}

static void put_value(FILE *f, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_STRING: put_text(f, json_string_value(value)); break;
    case JSON_INTEGER: fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
    case JSON_REAL: fprintf(f, "%.9g", json_real_value(value)); break;
    case JSON_TRUE: fputs("true", f); break;
    case JSON_FALSE: fputs("false", f); break;
    default: break; /* null: an empty field */
    }
}

static void put_leaves(FILE *f, const char *key, const json_t *value)
{
    char inner[KEY_BYTES];
    const char *name;
    json_t *item;
    size_t i;

    if (json_is_object(value)) {
        json_object_foreach((json_t *)(uintptr_t)value, name, item)
        {
            snprintf(inner, sizeof inner, "%s%s%s", key, *key ? "." : "", name);
            put_leaves(f, inner, item);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            snprintf(inner, sizeof inner, "%s.%zu", key, i);
            put_leaves(f, inner, item);
        }
    } else {
        put_text(f, key);
        fputc(',', f);
        put_value(f, value);
        fputs("\r\n", f);
    }
}

void bench_print_leaves(FILE *f, const json_t *report)
{
    fputs("key,value\r\n", f);
    put_leaves(f, "", report);
}

void bench_print_csv(FILE *f, const struct bench_report *b)
{
    json_t *const o = bench_json(b);

    bench_print_leaves(f, o);
    json_decref(o);
}

void bench_print_steps_csv(FILE *f, const struct bench_result *r)
{
    fputs("node,shader,device_us,share,step\r\n", f);
    double total = 0;

    for (size_t i = 0; i < r->step_count; i++)
        total += r->steps[i].mean_us;
    for (size_t i = 0; i < r->step_count; i++) {
        const struct bench_step *const s = &r->steps[i];

        fprintf(f, "%d,%s,%.3f,%.5f,", s->node, s->shader, s->mean_us,
                total > 0 ? s->mean_us / total : 0);
        put_text(f, s->label ? s->label : "");
        fputs("\r\n", f);
    }
}
