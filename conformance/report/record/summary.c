#include "conformance/report/record/summary.h"

#include "conformance/report/record/cluster.h"
#include "conformance/util/json_text.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char summary_letters[CASE_STATUS_COUNT + 1] = "pfdctwu";

bool summary_names(enum case_status s)
{
    return case_status_fails(s) || s == CASE_UNEXPECTED_PASS;
}

#define AT(type, member) offsetof(struct type, member)
#define FIELDS(name, array)                                                                        \
    const struct record_fields name = { array, sizeof array / sizeof array[0] }

static const struct record_field run_fields[] = {
    { "subject", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, subject) },
    { "version", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, version) },
    { "device", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, device.name) },
    { "driver", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, device.driver) },
    { "bounds", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, bounds) },
    { "assay", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, assay) },
    { "git", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, git) },
    { "started", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, started) },
    { "host", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, host) },
    { "part", RECORD_TEXT, RECORD_WHEN_SET, AT(summary_run, part) },
    { "not_run", RECORD_TEXT, RECORD_WHEN_SET, AT(summary_run, not_run) },
    { "list_count", RECORD_SIZE, RECORD_ALWAYS, AT(summary_run, list_count) },
    { "list_sha256", RECORD_TEXT, RECORD_ALWAYS, AT(summary_run, list_sha256) },
};
FIELDS(summary_run_fields, run_fields);

static const struct record_field line_fields[] = {
    { "name", RECORD_TEXT, RECORD_ALWAYS, AT(summary_line, name) },
    { "type", RECORD_TEXT, RECORD_WHEN_SET, AT(summary_line, type) },
    { "list", RECORD_TEXT, RECORD_ALWAYS, AT(summary_line, list) },
    { "is", RECORD_TEXT, RECORD_ALWAYS, AT(summary_line, is) },
    { "margin", RECORD_REAL, RECORD_WHEN_SET, AT(summary_line, margin) },
};
FIELDS(summary_line_fields, line_fields);

static const struct record_field finding_fields[] = {
    { "title", RECORD_TEXT, RECORD_ALWAYS, AT(summary_finding, title) },
    { "severity", RECORD_TEXT, RECORD_ALWAYS, AT(summary_finding, severity) },
    { "checks", RECORD_SIZE, RECORD_ALWAYS, AT(summary_finding, checks) },
    { "judged", RECORD_SIZE, RECORD_ALWAYS, AT(summary_finding, judged) },
    { "exposure", RECORD_REAL, RECORD_WHEN_SET, AT(summary_finding, exposure) },
    { "condition", RECORD_TEXT, RECORD_WHEN_SET, AT(summary_finding, condition) },
    { "what", RECORD_TEXT, RECORD_WHEN_SET, AT(summary_finding, what) },
    { "smallest", RECORD_TEXT, RECORD_ALWAYS, AT(summary_finding, smallest) },
};
FIELDS(summary_finding_fields, finding_fields);

/* ---- who was judged ---- */

/* Whether another program runs the subject: what it is called there is all that is known of it. */
static bool is_behind_line(const char *spec)
{
    return begins(spec, "exec:") || begins(spec, "remote:") || begins(spec, "ssh:") ||
           begins(spec, "adb:");
}

/* "ai-edge-litert 2.3.0 (tested ...)": where its first word that begins with a digit stands, if
 * none before it is in parentheses. */
static const char *version_in(const char *driver)
{
    for (const char *at = driver; at && (at = strchr(at, ' ')) != NULL && at[1] != '(';)
        if (isdigit((unsigned char)*++at))
            return at;
    return NULL;
}

enum { PART_BYTES = 160, VERSION_BYTES = 64 };

/* Of a library that says no version its hash; a delegate's driver is that of the device. */
static void version_of(const struct record_subject *s, char text[VERSION_BYTES])
{
    const char *const at =
        s->spec && begins(s->spec, "delegate:") ? NULL : version_in(s->device.driver);

    text[0] = '\0';
    if (at)
        snprintf(text, VERSION_BYTES, "%.*s", (int)strcspn(at, " "), at);
    else if (s->sha256 && *s->sha256)
        snprintf(text, VERSION_BYTES, "sha256 %.8s", s->sha256);
}

/* Writes a word without the folders before its last part, but for "KIND:". */
static void write_word(const char *word, size_t length, FILE *out)
{
    const char *const colon = memchr(word, ':', length);
    const char *from = word;

    for (size_t i = 0; i < length; i++)
        from = word[i] == '/' && i + 1 < length ? word + i + 1 : from;
    if (colon && from > colon)
        fprintf(out, "%.*s", (int)(colon + 1 - word), word);
    fprintf(out, "%.*s", (int)(word + length - from), from);
}

/* The label without folders; of a subject behind a line the name that it gives itself, and its
 * options. */
static void write_subject(const struct record_subject *s, FILE *out)
{
    const char *const driver = s->device.driver;

    if (s->spec && is_behind_line(s->spec) && driver) {
        const char *const version = version_in(driver);

        fprintf(out, "%.*s", version ? (int)(version - driver - 1) : (int)strlen(driver), driver);
        for (size_t i = 0; i < s->option_count; i++) {
            fprintf(out, " %s=", s->options[i].key);
            write_word(s->options[i].value, strlen(s->options[i].value), out);
        }
        return;
    }
    for (const char *at = s->label; at && *at;) {
        const size_t length = strcspn(at, " ");

        write_word(at, length, out);
        at += length;
        for (; *at == ' '; at++)
            fputc(' ', out);
    }
}

/* Why it does not have all cases; empty: it has. */
static void part_of(const struct record *r, char text[PART_BYTES])
{
    const struct record_run *const run = &r->run;

    text[0] = '\0';
    if (run->interrupted)
        snprintf(text, PART_BYTES, "ended early by %.100s", run->interrupted);
    else if (run->shards > 1)
        snprintf(text, PART_BYTES, "shard %u of %u", (unsigned)run->shard, (unsigned)run->shards);
    else if (run->quick_of)
        snprintf(text, PART_BYTES, "a sample of %llu cases", (unsigned long long)run->quick_of);
    else if (run->limit)
        snprintf(text, PART_BYTES, "at most %llu cases of an op", (unsigned long long)run->limit);
    else if (run->filter_count)
        snprintf(text, PART_BYTES, "%zu filter%s, such as %.80s", run->filter_count,
                 run->filter_count == 1 ? "" : "s", run->filters[0]);
}

static enum status fill_run(struct summary_run *x, const struct record *r, size_t subject,
                            struct arena *arena, struct diag *diag)
{
    const struct record_subject *const s = &r->subjects[subject];
    char *name = NULL, part[PART_BYTES], version[VERSION_BYTES];
    size_t bytes = 0;
    FILE *const f = open_memstream(&name, &bytes);

    if (!f)
        return diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
    part_of(r, part);
    version_of(s, version);
    write_subject(s, f);
    fclose(f);
    *x = (struct summary_run){ .subject = name ? arena_string(arena, name) : NULL,
                               .version = *version ? arena_string(arena, version) : NULL,
                               .device = s->device,
                               .bounds = s->bounds,
                               .assay = r->run.version,
                               .git = r->run.git,
                               .started = r->run.started,
                               .host = r->run.host,
                               .part = *part ? arena_string(arena, part) : NULL,
                               .not_run = s->not_run,
                               .list_count = r->run.list_count,
                               .list_sha256 = r->run.list_sha256 };
    free(name); /* from open_memstream, hence not of mem_alloc */
    return x->subject && (!*part || x->part) && (!*version || x->version)
               ? STATUS_OK
               : diag_fail(diag, STATUS_NO_MEMORY, "out of memory");
}

/* ---- lines ---- */

struct named {
    const char *name;
    enum case_status status;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Adds a line of these cases, which are in order. */
static bool append_line(json_t *lines, struct summary_line *x, const struct named *cases,
                        size_t count)
{
    char *names = NULL, *is = NULL, list[SHA256_HEX_BYTES];
    size_t name_bytes = 0, is_bytes = 0;
    FILE *const f = open_memstream(&names, &name_bytes), *const g = open_memstream(&is, &is_bytes);
    json_t *const bad = json_array();
    json_t *o = NULL;
    bool ok = f && g && bad;

    for (size_t i = 0, run = 1; ok && i < count; i++, run++) {
        const bool last = i + 1 == count || cases[i + 1].status != cases[i].status;

        fprintf(f, "%s\n", cases[i].name);
        if (summary_names(cases[i].status))
            ok = json_array_append_new(bad, json_text(cases[i].name)) == 0;
        if (last && run > 1)
            fprintf(g, "%zu", run);
        if (last)
            fputc(summary_letters[cases[i].status], g), run = 0;
    }
    ok = (!f || fclose(f) == 0) && ok;
    ok = (!g || fclose(g) == 0) && ok;
    if (ok) {
        sha256_hex(names, name_bytes, list);
        list[SUMMARY_LIST_BYTES - 1] = '\0';
        x->list = list;
        x->is = is;
        o = record_fields_json(&summary_line_fields, x);
        ok = o && (json_array_size(bad) == 0 || json_object_set(o, "bad", bad) == 0) &&
             json_array_append(lines, o) == 0;
    }
    json_decref(o);
    json_decref(bad);
    free(names);
    free(is);
    return ok;
}

static json_t *lines_json(const struct record *r, size_t subject, const struct record_line *lines,
                          size_t count)
{
    json_t *const list = json_array();
    struct named *const cases = mem_alloc(r->case_count, sizeof *cases);
    bool ok = list && cases;

    for (size_t i = 0; ok && i < count; i++) {
        struct record_totals totals = { .worst = SIZE_MAX };
        struct summary_line x = { .name = lines[i].title ? lines[i].title : lines[i].op,
                                  .type = lines[i].title ? NULL : lines[i].type };
        size_t found = 0;

        for (size_t k = 0; k < lines[i].case_count; k++) {
            const size_t c = lines[i].cases[k];
            const struct record_result *const one = record_find(r, subject, c);

            if (!one)
                continue;
            cases[found++] = (struct named){ r->cases[c].name, one->status };
            record_totals_add(&totals, r, (size_t)(one - r->results));
        }
        x.margin = totals.worst == SIZE_MAX ? NAN : totals.margin;
        qsort(cases, found, sizeof *cases, compare_names);
        ok = found == 0 || append_line(list, &x, cases, found);
    }
    mem_free(cases);
    return json_whole(list, ok);
}

/* ---- findings ---- */

static json_t *findings_json(const struct record *r, size_t subject, const struct finding *findings,
                             size_t count)
{
    json_t *const list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < count; i++) {
        const struct finding *const f = &findings[i];
        const struct summary_finding x = {
            .title = f->name,
            .severity = severity_name(f->severity),
            .condition = f->pattern,
            .what = f->by_reason ? NULL : f->what,
            .smallest = r->cases[r->results[f->smallest].test_case].name,
            .exposure = f->exposure,
            .checks = f->count,
            .judged = f->judged + f->graphs,
        };

        if (f->subject == subject)
            ok = json_array_append_new(list, record_fields_json(&summary_finding_fields, &x)) == 0;
    }
    return json_whole(list, ok);
}

/* ---- all of it ---- */

json_t *summary_json(const struct record *r, struct diag *diag)
{
    json_t *const runs = json_array();
    struct arena arena = { .blocks = NULL };
    struct record_line *lines;
    struct finding *findings;
    size_t line_count, finding_count;
    json_t *root = NULL;
    enum status s = record_lines(r, &arena, &lines, &line_count, diag);

    if (s == STATUS_OK)
        s = cluster_findings(r, &arena, &findings, &finding_count, diag);
    for (size_t i = 0; s == STATUS_OK && i < r->subject_count; i++) {
        struct summary_run x;
        json_t *run;

        s = fill_run(&x, r, i, &arena, diag);
        if (s != STATUS_OK)
            break;
        run = record_fields_json(&summary_run_fields, &x);
        if (!run || json_object_set_new(run, "lines", lines_json(r, i, lines, line_count)) != 0 ||
            json_object_set_new(run, "findings", findings_json(r, i, findings, finding_count)) !=
                0 ||
            json_array_append(runs, run) != 0)
            s = diag_fail(diag, STATUS_NO_MEMORY, "summary: out of memory");
        json_decref(run);
    }
    arena_close(&arena);
    if (s == STATUS_OK && !(root = json_pack("{s:i,s:O}", "summary", SUMMARY_FORM, "runs", runs)))
        diag_fail(diag, STATUS_NO_MEMORY, "summary: out of memory");
    json_decref(runs);
    return root;
}

/* Writes an object, with a line of text for each element of its arrays. */
static bool write_run(json_t *run, FILE *out)
{
    const char *key, *comma = "";
    json_t *value;
    bool ok = true;

    fputs("{", out);
    json_object_foreach(run, key, value)
    {
        fprintf(out, "%s\"%s\": ", comma, key);
        comma = ",\n   ";
        if (!json_is_array(value)) {
            ok = ok && json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) == 0;
            continue;
        }
        for (size_t i = 0; ok && i < json_array_size(value); i++) {
            fputs(i ? ",\n    " : "[\n    ", out);
            ok = json_dumpf(json_array_get(value, i), out, JSON_COMPACT | JSON_REAL_PRECISION(6)) ==
                 0;
        }
        fputs(json_array_size(value) ? "]" : "[]", out);
    }
    fputs("}", out);
    return ok;
}

enum status summary_write(const struct record *r, FILE *out, struct diag *diag)
{
    json_t *const root = summary_json(r, diag);
    json_t *const runs = json_object_get(root, "runs");
    bool ok = root != NULL;

    if (!root)
        return STATUS_NO_MEMORY;
    fprintf(out, "{\"summary\": %d, \"runs\": [", SUMMARY_FORM);
    for (size_t i = 0; ok && i < json_array_size(runs); i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        ok = write_run(json_array_get(runs, i), out);
    }
    fputs("]}\n", out);
    json_decref(root);
    return ok ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "summary: out of memory");
}
