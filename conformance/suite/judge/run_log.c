#include "conformance/suite/judge/run_log.h"

#include "conformance/util/clock.h"
#include "conformance/util/json_parse.h"
#include "conformance/util/json_text.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format_name[] = "assay run log 1";
static const double sync_every_s = 1;
enum { FILE_BYTES_MAX = 1 << 30 };

/* ---- which run it is ---- */

static enum status add_key(struct run_keys *keys, struct diag *diag, const char *name,
                           const char *format, ...) PRINTF_LIKE(4, 5);

static enum status add_key(struct run_keys *keys, struct diag *diag, const char *name,
                           const char *format, ...)
{
    struct run_key *const k = &keys->items[keys->count];
    va_list args;

    if (keys->count == RUN_KEYS_MAX)
        return diag_fail(diag, STATUS_UNSUPPORTED, "a run has more than %d keys", RUN_KEYS_MAX);
    snprintf(k->name, sizeof k->name, "%s", name);
    va_start(args, format);
    vsnprintf(k->value, sizeof k->value, format, args);
    va_end(args);
    keys->count++;
    return STATUS_OK;
}

/* SHA-256 of the names of the cases, a line feed behind each. */
static enum status hash_names(const struct run_request *run, char hex[SHA256_HEX_BYTES],
                              struct diag *diag)
{
    char *const text = mem_alloc(run->case_count * (CASE_NAME_BYTES + 1) + 1, 1);
    size_t used = 0;

    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu names: out of memory", run->case_count);
    for (size_t i = 0; i < run->case_count; i++)
        used += (size_t)sprintf(text + used, "%s\n", run->cases[i].name);
    sha256_hex(text, used, hex);
    mem_free(text);
    return STATUS_OK;
}

/* FNV-1a of the habits of each case, as --habits chooses them. */
static uint64_t hash_habits(const struct run_request *run)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < run->case_count; i++)
        hash = (hash ^ run->cases[i].habits) * 0x100000001b3u;
    return hash;
}

enum status run_keys_make(struct run_keys *keys, const struct run_request *run,
                          const struct judge_device *device, struct diag *diag)
{
    char hex[SHA256_HEX_BYTES], name[64];

    keys->count = 0;
    TRY(add_key(keys, diag, "version", "%s", ASSAY_VERSION));
    TRY(sha256_file("/proc/self/exe", hex, diag));
    TRY(add_key(keys, diag, "program", "%s", hex));
    TRY(add_key(keys, diag, "seed", "%" PRIu64, run->seed));
    TRY(add_key(keys, diag, "repeats", "%" PRIu64, run->repeat.runs));
    TRY(add_key(keys, diag, "number of cases", "%zu", run->case_count));
    TRY(hash_names(run, hex, diag));
    TRY(add_key(keys, diag, "list of cases", "%s", hex));
    TRY(add_key(keys, diag, "habits", "%016" PRIx64, hash_habits(run)));
    TRY(add_key(keys, diag, "device", "%s", device->name));
    TRY(add_key(keys, diag, "driver", "%s", device->driver));
    for (size_t i = 0; i < run->subject_count; i++) {
        const struct subject *const s = &run->subjects[i];

        snprintf(name, sizeof name, "subject %zu", i + 1);
        TRY(add_key(keys, diag, name, "%s", s->label));
        snprintf(name, sizeof name, "library of subject %zu", i + 1);
        TRY(add_key(keys, diag, name, "%s", s->sha256));
        snprintf(name, sizeof name, "bounds of subject %zu", i + 1);
        TRY(add_key(keys, diag, name, "%d,%d", (int)s->bounds, (int)s->quantized));
    }
    return STATUS_OK;
}

/* ---- writing ---- */

/* Prints an object as a line, and frees it. */
static bool put_line(FILE *f, json_t *o)
{
    const bool ok = o && json_dumpf(o, f, JSON_COMPACT) == 0 && putc('\n', f) != EOF;

    json_decref(o);
    return ok;
}

static json_t *header(const struct run_keys *keys)
{
    json_t *const run = json_object(), *const o = json_object();

    for (size_t i = 0; i < keys->count; i++)
        json_object_set_new(run, keys->items[i].name, json_text(keys->items[i].value));
    json_object_set_new(o, "log", json_string(format_name));
    json_object_set_new(o, "run", run);
    return o;
}

static bool put_result(const struct run_log *log, size_t subject, size_t test_case,
                       const struct case_result *result, double seconds)
{
    json_t *const o = result_to_json(result);

    json_object_set_new(o, "subject", json_integer((json_int_t)subject));
    json_object_set_new(o, "case", json_text(log->run->cases[test_case].name));
    json_object_set_new(o, "seconds", json_real(seconds));
    return put_line(log->file, o);
}

static bool put_known(const struct run_log *log)
{
    const struct run_request *const run = log->run;
    bool ok = true;

    for (size_t i = 0; run->known && i < run->subject_count * run->case_count && ok; i++) {
        if (!run->known[i].absent)
            ok = put_result(log, i / run->case_count, i % run->case_count, &run->known[i],
                            log->before_s);
    }
    return ok;
}

static bool reach_disk(struct run_log *log)
{
    log->synced_s = clock_s();
    return fflush(log->file) == 0 && fdatasync(fileno(log->file)) == 0;
}

enum status run_log_open(struct run_log *log, const char *path, const struct run_request *run,
                         const struct run_keys *keys, double before_s, struct diag *diag)
{
    const mode_t mask = umask(0);
    char name[PATH_MAX];
    bool ok;
    int fd;

    umask(mask); /* the log may be read by whom the report may */
    *log = (struct run_log){ .run = run, .path = path, .begun_s = clock_s(), .before_s = before_s };
    if (snprintf(name, sizeof name, "%s.XXXXXX", path) >= (int)sizeof name)
        return diag_fail(diag, STATUS_IO, "%.100s...: the path is too long: %zu bytes", path,
                         strlen(path));
    fd = mkstemp(name);
    if (fd >= 0)
        fchmod(fd, 0666 & ~mask);
    log->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!log->file) {
        diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(name);
        }
        return STATUS_IO;
    }
    ok = put_line(log->file, header(keys)) && put_known(log) && reach_disk(log) &&
         rename(name, path) == 0;
    if (ok)
        return STATUS_OK;
    diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    unlink(name);
    fclose(log->file);
    log->file = NULL;
    return STATUS_IO;
}

void run_log_store(void *user, size_t subject, size_t test_case, const struct case_result *result)
{
    struct run_log *const log = user;
    const double now = clock_s();
    bool ok;

    if (!log->file)
        return;
    /* A line at a time: what is written survives the end of this process, if not of the machine. */
    ok = put_result(log, subject, test_case, result, log->before_s + now - log->begun_s) &&
         fflush(log->file) == 0 && (now - log->synced_s < sync_every_s || reach_disk(log));
    if (ok)
        return;
    diag_fail(&log->broken, STATUS_IO, "%s: %s", log->path, strerror(errno));
    fclose(log->file);
    log->file = NULL;
}

void run_log_close(struct run_log *log, bool keep)
{
    if (log->file) {
        reach_disk(log);
        fclose(log->file);
    }
    if (log->path && !keep)
        unlink(log->path);
    *log = (struct run_log){ .file = NULL };
}

/* ---- reading ---- */

struct reader {
    const char *path;
    const struct run_request *run;
    const struct run_keys *keys;
    struct case_result *results;
    double seconds;
    size_t next; /* the case that is looked for first */
    const struct test_case **by_name;
};

static enum status check_header(const struct reader *r, const json_t *o, struct diag *diag)
{
    const char *const name = json_string_value(json_object_get(o, "log"));
    const json_t *const run = json_object_get(o, "run");

    if (!name || strcmp(name, format_name) != 0)
        return diag_fail(diag, STATUS_USAGE, "%s: expected the log of a run (\"%s\"), found \"%s\"",
                         r->path, format_name, name ? name : "");
    for (size_t i = 0; i < r->keys->count; i++) {
        const struct run_key *const k = &r->keys->items[i];
        const char *const value = json_string_value(json_object_get(run, k->name));

        if (!value || strcmp(value, k->value) != 0)
            return diag_fail(diag, STATUS_USAGE,
                             "%s is of another run: its %s is \"%.120s\", here it is \"%.120s\"",
                             r->path, k->name, value ? value : "", k->value);
    }
    if (json_object_size(run) != r->keys->count)
        return diag_fail(diag, STATUS_USAGE, "%s is of another run: it has %zu keys, expected %zu",
                         r->path, json_object_size(run), r->keys->count);
    return STATUS_OK;
}

static int compare_names(const void *a, const void *b)
{
    const struct test_case *const *const x = a, *const *const y = b;

    return strcmp((*x)->name, (*y)->name);
}

static int compare_name(const void *name, const void *item)
{
    const struct test_case *const *const c = item;

    return strcmp(name, (*c)->name);
}

/* Logs are nearly in the order of the list; one of another order takes no longer than that. */
static bool find_case(struct reader *r, const char *name, size_t *index)
{
    const struct run_request *const run = r->run;
    const struct test_case **found;

    if (r->next < run->case_count && strcmp(run->cases[r->next].name, name) == 0) {
        *index = r->next++;
        return true;
    }
    found = bsearch(name, r->by_name, run->case_count, sizeof *found, compare_name);
    if (!found)
        return false;
    *index = (size_t)(*found - run->cases);
    r->next = *index + 1;
    return true;
}

static enum status read_result(struct reader *r, const json_t *o, struct diag *diag)
{
    const json_t *const subject = json_object_get(o, "subject");
    const char *const name = json_string_value(json_object_get(o, "case"));
    const double seconds = json_number_value(json_object_get(o, "seconds"));
    const json_int_t s = json_integer_value(subject);
    size_t index;

    if (!json_is_integer(subject) || (uint64_t)s >= r->run->subject_count) /* none below 0 */
        return diag_fail(diag, STATUS_INVALID, "expected a subject below %zu",
                         r->run->subject_count);
    if (!name || !find_case(r, name, &index))
        return diag_fail(diag, STATUS_INVALID, "case \"%.100s\" is not in the list",
                         name ? name : "");
    if (seconds > r->seconds)
        r->seconds = seconds;
    return result_from_json(o, &r->results[(size_t)s * r->run->case_count + index], diag);
}

/* Reads line `number`, from 1.  *ends: it was cut, as by the end of the machine. */
static enum status read_line(struct reader *r, const char *line, size_t length, size_t number,
                             bool *ends, struct diag *diag)
{
    json_error_t error;
    json_t *const o = json_parse(line, length, JSON_REJECT_DUPLICATES, &error);
    enum status s = STATUS_OK;

    *ends = false;
    if (!o && line[length - 1] != '\n' && number > 1)
        *ends = true;
    else if (!o)
        s = diag_fail(diag, STATUS_INVALID, "%s:%zu: %s", r->path, number, error.text);
    else if (number == 1)
        s = check_header(r, o, diag);
    else
        s = diag_prefix(diag, read_result(r, o, diag), "%s:%zu", r->path, number);
    json_decref(o);
    return s;
}

static enum status read_lines(struct reader *r, const char *text, size_t bytes, struct diag *diag)
{
    size_t number = 0;
    bool ends = false;

    for (size_t at = 0; at < bytes && !ends;) {
        const char *const feed = memchr(text + at, '\n', bytes - at);
        const size_t length = feed ? (size_t)(feed - text) + 1 - at : bytes - at;

        TRY(read_line(r, text + at, length, ++number, &ends, diag));
        at += length;
    }
    return number > 0 ? STATUS_OK
                      : diag_fail(diag, STATUS_INVALID, "%s: the file is empty", r->path);
}

enum status run_log_read(const char *path, const struct run_request *run,
                         const struct run_keys *keys, struct case_result **results, double *seconds,
                         struct diag *diag)
{
    const size_t count = run->subject_count * run->case_count;
    struct reader r = { .path = path, .run = run, .keys = keys };
    uint8_t *text;
    size_t bytes;
    enum status s;

    *results = NULL;
    TRY(file_read(path, FILE_BYTES_MAX, &text, &bytes, diag));
    r.results = mem_alloc(count, sizeof *r.results);
    r.by_name = mem_alloc(run->case_count, sizeof *r.by_name);
    for (size_t i = 0; r.results && i < count; i++)
        r.results[i].absent = true;
    for (size_t i = 0; r.by_name && i < run->case_count; i++)
        r.by_name[i] = &run->cases[i];
    if (r.by_name)
        qsort(r.by_name, run->case_count, sizeof *r.by_name, compare_names);
    s = r.results && r.by_name
            ? read_lines(&r, (const char *)text, bytes, diag)
            : diag_fail(diag, STATUS_NO_MEMORY, "%zu results: out of memory", count);
    mem_free(r.by_name);
    mem_free(text);
    if (s != STATUS_OK)
        mem_free(r.results);
    else
        *results = r.results;
    *seconds = r.seconds;
    return s;
}

enum kind { BOOL, INT, UINT32, UINT64, SIZE, DOUBLE, TEXT, CHAR, STATUS, SET };

#define FIELD(name, kind)                                                                          \
    {                                                                                              \
#name, kind, offsetof(struct case_result, name), sizeof(((struct case_result *)0)->name)   \
    }
/* What a run finds; what waivers and baselines make of it follows from these fields. */
static const struct field {
    const char *name;
    enum kind kind;
    size_t offset, bytes;
} fields[] = {
    FIELD(status, STATUS),       FIELD(reason, TEXT),        FIELD(max_abs, DOUBLE),
    FIELD(max_ulp, DOUBLE),      FIELD(margin, DOUBLE),      FIELD(bias, DOUBLE),
    FIELD(integers, UINT64),     FIELD(unequal, UINT64),     FIELD(ms, DOUBLE),
    FIELD(bytes, UINT64),        FIELD(nodes, INT),          FIELD(taken, INT),
    FIELD(habits, UINT32),       FIELD(left_out, UINT32),    FIELD(refused, UINT32),
    FIELD(repeat.asked, UINT64), FIELD(repeat.runs, UINT64), FIELD(repeat.wrong, UINT64),
    FIELD(repeat.cut, TEXT),     FIELD(has_set, BOOL),       FIELD(set, SET),
    FIELD(frame, CHAR),          FIELD(has_element, BOOL),   FIELD(output, INT),
    FIELD(where, TEXT),          FIELD(got, DOUBLE),         FIELD(want, DOUBLE),
    FIELD(error, DOUBLE),        FIELD(limit, DOUBLE),       FIELD(worst.ratio, DOUBLE),
    FIELD(worst.where, TEXT),    FIELD(worst.got, DOUBLE),   FIELD(worst.want, DOUBLE),
    FIELD(worst.error, DOUBLE),  FIELD(worst.limit, DOUBLE), FIELD(by_element, TEXT),
    FIELD(by_channel, TEXT),     FIELD(elements, SIZE),      FIELD(channels, SIZE),
    FIELD(inputs, TEXT),         FIELD(classes, TEXT),       FIELD(not_judged, UINT64),
    FIELD(designs, UINT32),      FIELD(nth_node, INT),       FIELD(equals, TEXT),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* ---- writing ---- */

/* JSON has neither infinities nor NaN. */
static json_t *from_double(double v)
{
    if (isfinite(v))
        return json_real(v);
    return json_string(isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static json_t *from_field(const struct field *f, const void *p)
{
    switch (f->kind) {
    case BOOL: return json_boolean(*(const bool *)p);
    case INT: return json_integer(*(const int *)p);
    case UINT32: return json_integer(*(const uint32_t *)p);
    case UINT64: return json_integer((json_int_t) * (const uint64_t *)p);
    case SIZE: return json_integer((json_int_t) * (const size_t *)p);
    case DOUBLE: return from_double(*(const double *)p);
    case TEXT: return json_text(p);
    case CHAR: return json_integer(*(const char *)p);
    case STATUS: return json_integer(*(const enum case_status *)p);
    case SET: return json_integer(*(const enum data_set *)p);
    }
    return NULL;
}

json_t *result_to_json(const struct case_result *r)
{
    json_t *const o = json_object();

    for (size_t i = 0; o && i < FIELDS; i++) {
        if (json_object_set_new(o, fields[i].name,
                                from_field(&fields[i], (const char *)r + fields[i].offset)) != 0) {
            json_decref(o);
            return NULL;
        }
    }
    return o;
}

/* ---- reading ---- */

static bool to_double(const json_t *v, double *out)
{
    const char *const text = json_string_value(v);

    if (json_is_number(v))
        *out = json_number_value(v);
    else if (text && strcmp(text, "nan") == 0)
        *out = NAN;
    else if (text && (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0))
        *out = text[0] == '-' ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}

static bool to_integer(const json_t *v, json_int_t min, json_int_t max, json_int_t *out)
{
    if (!json_is_integer(v))
        return false;
    *out = json_integer_value(v);
    return *out >= min && *out <= max;
}

static bool to_field(const struct field *f, const json_t *v, void *p)
{
    json_int_t n = 0;

    switch (f->kind) {
    case BOOL: *(bool *)p = json_is_true(v); return json_is_boolean(v);
    case INT: return to_integer(v, INT32_MIN, INT32_MAX, &n) && (*(int *)p = (int)n, true);
    case UINT32: return to_integer(v, 0, UINT32_MAX, &n) && (*(uint32_t *)p = (uint32_t)n, true);
    case UINT64:
        if (!json_is_integer(v))
            return false;
        *(uint64_t *)p = (uint64_t)json_integer_value(v);
        return true;
    case SIZE: return to_integer(v, 0, INT64_MAX, &n) && (*(size_t *)p = (size_t)n, true);
    case DOUBLE: return to_double(v, p);
    case TEXT:
        /* Text of a library may be longer than it was: U+FFFD stands for each odd byte. */
        snprintf(p, f->bytes, "%s", json_is_string(v) ? json_string_value(v) : "");
        return json_is_string(v);
    case CHAR: return to_integer(v, 0, 127, &n) && (*(char *)p = (char)n, true);
    case STATUS:
        return to_integer(v, 0, CASE_STATUS_COUNT - 1, &n) &&
               (*(enum case_status *)p = (enum case_status)n, true);
    case SET:
        return to_integer(v, 0, SET_COUNT - 1, &n) &&
               (*(enum data_set *)p = (enum data_set)n, true);
    }
    return false;
}

enum status result_from_json(const json_t *o, struct case_result *r, struct diag *diag)
{
    *r = (struct case_result){ .status = CASE_PASS };
    for (size_t i = 0; i < FIELDS; i++) {
        const json_t *const v = json_object_get(o, fields[i].name);
        char *text;

        if (v && to_field(&fields[i], v, (char *)r + fields[i].offset))
            continue;
        text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        diag_fail(diag, STATUS_INVALID, "%s of a result is %.80s", fields[i].name,
                  !v     ? "missing"
                  : text ? text
                         : "not what it should be");
        free(text);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}
