#include "conformance/tools/cli/benchmark_flags.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct benchmark_row benchmark_rows[BENCHMARK_FLAGS] = {
#define FLAG(name, kind, deed, text) { #name, BENCHMARK_##kind, BENCHMARK_##deed, text },
#include "conformance/tools/cli/benchmark_flags.def"
#undef FLAG
};

static struct args_flag flag_of(const struct benchmark_row *row)
{
    static const char *const values[] = { [BENCHMARK_BOOL] = "BOOL",
                                          [BENCHMARK_INT] = "N",
                                          [BENCHMARK_FLOAT] = "X",
                                          [BENCHMARK_TEXT] = "TEXT" };

    return (struct args_flag){ .name = row->name, .kind = ARGS_STRING, .value = values[row->kind] };
}

size_t benchmark_flags_rows(struct benchmark_flags *flags, struct args_flag *rows)
{
    size_t count = 0;

    for (size_t i = 0; i < BENCHMARK_FLAGS; i++) {
        if (benchmark_rows[i].deed == BENCHMARK_SAME)
            continue;
        rows[count] = flag_of(&benchmark_rows[i]);
        rows[count++].target = &flags->values[i];
    }
    return count;
}

void benchmark_flags_close(struct benchmark_flags *flags)
{
    arena_close(&flags->arena);
}

/* ---- values ---- */

static bool is_true(const struct benchmark_flags *f, enum benchmark_flag flag)
{
    const char *const text = f->values[flag];

    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* The number of a flag; what, where it is not given. */
static double number(const struct benchmark_flags *f, enum benchmark_flag flag, double what)
{
    return f->values[flag] ? strtod(f->values[flag], NULL) : what;
}

/* A text that is given and not empty; else NULL. */
static const char *text_of(const struct benchmark_flags *f, enum benchmark_flag flag)
{
    return f->values[flag] && *f->values[flag] ? f->values[flag] : NULL;
}

static enum status check_value(const struct benchmark_row *row, const char *text, bool *off,
                               struct diag *diag)
{
    char *end = NULL;
    double x = 0;

    if (row->kind == BENCHMARK_TEXT) {
        *off = *text == '\0';
        return STATUS_OK;
    }
    if (row->kind == BENCHMARK_BOOL) {
        *off = strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
        return *off || strcmp(text, "true") == 0 || strcmp(text, "1") == 0
                   ? STATUS_OK
                   : diag_fail(diag, STATUS_USAGE, "--%s=%s: expected true, false, 1 or 0",
                               row->name, text);
    }
    errno = 0;
    if (row->kind == BENCHMARK_INT)
        x = (double)strtol(text, &end, 10);
    else
        x = strtod(text, &end);
    if (end == text || *end || errno != 0 || !isfinite(x) || fabs(x) > 2147483647)
        return diag_fail(diag, STATUS_USAGE, "--%s=%s: expected a %snumber", row->name, text,
                         row->kind == BENCHMARK_INT ? "whole " : "");
    *off = x <= 0;
    return STATUS_OK;
}

static enum status check_all(const struct benchmark_flags *f, struct diag *diag)
{
    for (size_t i = 0; i < BENCHMARK_FLAGS; i++) {
        bool off = false;

        if (!f->values[i])
            continue;
        TRY(check_value(&benchmark_rows[i], f->values[i], &off, diag));
        if (benchmark_rows[i].deed == BENCHMARK_REFUSED && !off)
            return diag_fail(diag, STATUS_USAGE, "--%s=%s: %s", benchmark_rows[i].name,
                             f->values[i], benchmark_rows[i].text);
    }
    return STATUS_OK;
}

/* ---- options of the delegate ---- */

static enum status add_option(struct arena *arena, struct string_list *list, const char *key,
                              const char *value, size_t value_bytes, struct diag *diag)
{
    const size_t bytes = strlen(key) + value_bytes + 2;
    char *const text = arena_alloc(arena, bytes, 1);
    const char **const items = ARENA_NEW(arena, list->count + 1, const char *);

    if (!text || !items)
        return diag_fail(diag, STATUS_NO_MEMORY, "options: out of memory");
    snprintf(text, bytes, "%s=%.*s", key, (int)value_bytes, value);
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    items[list->count] = text;
    *list = (struct string_list){ items, list->count + 1 };
    return STATUS_OK;
}

enum status external_options_read(const char *text, struct arena *arena, struct string_list *list,
                                  struct diag *diag)
{
    while (*text) {
        const size_t length = strcspn(text, ";");
        const char *const colon = memchr(text, ':', length);
        char *key;

        if (length > 0 && (!colon || colon == text))
            return diag_fail(diag, STATUS_USAGE,
                             "--external_delegate_options: expected KEY:VALUE, found %.*s",
                             (int)length, text);
        if (length > 0) {
            if (!(key = arena_copy(arena, text, (size_t)(colon - text) + 1, 1)))
                return diag_fail(diag, STATUS_NO_MEMORY, "options: out of memory");
            key[colon - text] = '\0';
            TRY(add_option(arena, list, key, colon + 1, length - (size_t)(colon + 1 - text), diag));
        }
        text += length + (text[length] == ';');
    }
    return STATUS_OK;
}

static enum status option(struct benchmark_flags *f, const char *key, const char *value,
                          struct diag *diag)
{
    return add_option(&f->arena, &f->options, key, value, strlen(value), diag);
}

/* Options that benchmark_model gives its own GPU delegate; a flag that is not given adds none, nor
 * does a number below the least one. */
static enum status gpu_options(struct benchmark_flags *f, struct diag *diag)
{
    static const struct {
        enum benchmark_flag flag;
        const char *option, *yes, *no; /* yes NULL: the value as it is */
        double least;
    } rows[] = {
        { BENCHMARK_gpu_experimental_enable_quant, "enable_quantization", "1", "0", 0 },
        { BENCHMARK_gpu_wait_type, "wait", NULL, NULL, 0 },
        { BENCHMARK_max_delegated_partitions, "max_partitions", NULL, NULL, 0 },
        { BENCHMARK_min_nodes_per_partition, "min_nodes", NULL, NULL, 1 },
        { BENCHMARK_first_delegate_node_index, "first_node", NULL, NULL, -INFINITY },
        { BENCHMARK_last_delegate_node_index, "last_node", NULL, NULL, -INFINITY },
        { BENCHMARK_delegate_serialize_dir, "serialization_dir", NULL, NULL, 0 },
        { BENCHMARK_delegate_serialize_token, "model_token", NULL, NULL, 0 },
    };
    const bool loss = is_true(f, BENCHMARK_gpu_precision_loss_allowed);

    if (!text_of(f, BENCHMARK_delegate_serialize_dir) !=
        !text_of(f, BENCHMARK_delegate_serialize_token))
        return diag_fail(diag, STATUS_USAGE,
                         "--delegate_serialize_dir and --delegate_serialize_token go together");
    if (f->values[BENCHMARK_gpu_precision_loss_allowed] || is_true(f, BENCHMARK_allow_fp16))
        TRY(option(f, "precision",
                   loss || !f->values[BENCHMARK_gpu_precision_loss_allowed] ? "fp16" : "fp32",
                   diag));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool is_number = benchmark_rows[rows[i].flag].kind == BENCHMARK_INT;
        const char *const value = text_of(f, rows[i].flag);

        if (!value || (is_number && number(f, rows[i].flag, 0) < rows[i].least))
            continue;
        TRY(option(f, rows[i].option,
                   !rows[i].yes               ? value
                   : is_true(f, rows[i].flag) ? rows[i].yes
                                              : rows[i].no,
                   diag));
    }
    return STATUS_OK;
}

/* Whose library runs the model.  One flag may name it. */
static enum status choose_delegate(struct benchmark_flags *f, struct bench_request *q,
                                   struct diag *diag)
{
    const char *const path = text_of(f, BENCHMARK_external_delegate_path);
    const char *const options = text_of(f, BENCHMARK_external_delegate_options);
    const bool gpu = is_true(f, BENCHMARK_use_gpu);
    const int named = (q->subject != NULL) + (q->delegate != NULL) + (path != NULL) + gpu;

    if (named > 1)
        return diag_fail(diag, STATUS_USAGE,
                         "expected one of --subject, --delegate, --external_delegate_path and "
                         "--use_gpu=true, found %d",
                         named);
    if (q->subject && (q->delegate_options.count > 0 || options))
        return diag_fail(diag, STATUS_USAGE,
                         "options of a subject stand behind its name: "
                         "--subject='delegate:PATH?KEY=VALUE&KEY=VALUE'");
    for (size_t i = 0; i < q->delegate_options.count; i++) {
        const char *const item = q->delegate_options.items[i];
        const size_t length = strcspn(item, "=");
        char *const key = arena_copy(&f->arena, item, length + 1, 1);

        if (!key)
            return diag_fail(diag, STATUS_NO_MEMORY, "options: out of memory");
        key[length] = '\0';
        TRY(option(f, key, item + length + 1, diag));
    }
    if (path)
        q->delegate = path;
    else if (f->values[BENCHMARK_use_gpu] && named == 0)
        q->delegate = "none";
    if (!path && !q->subject && (!q->delegate || strcmp(q->delegate, "none") != 0))
        TRY(gpu_options(f, diag));
    if (options)
        TRY(external_options_read(options, &f->arena, &f->options, diag));
    q->delegate_options = f->options;
    return STATUS_OK;
}

/* ---- the rest ---- */

static enum status choose_profile(struct benchmark_flags *f, struct bench_request *q,
                                  struct diag *diag)
{
    const char *const mode = text_of(f, BENCHMARK_op_profiling_output_mode);
    const char *const file = text_of(f, BENCHMARK_op_profiling_output_file);
    const bool csv = mode && strcmp(mode, "csv") == 0;

    if (mode && !csv && strcmp(mode, "stdout") != 0)
        return diag_fail(diag, STATUS_USAGE,
                         "--op_profiling_output_mode=%s: expected stdout or csv; protocol buffers "
                         "are not written",
                         mode);
    if (csv != (file != NULL))
        return diag_fail(diag, STATUS_USAGE,
                         "--op_profiling_output_mode=csv and --op_profiling_output_file=FILE go "
                         "together");
    f->steps_path = file ? file : text_of(f, BENCHMARK_profiling_output_csv_file);
    q->profile = q->profile || is_true(f, BENCHMARK_enable_op_profiling) || f->steps_path;
    return STATUS_OK;
}

enum status benchmark_flags_apply(struct benchmark_flags *f, struct bench_request *q,
                                  struct diag *diag)
{
    const double threads = number(f, BENCHMARK_num_threads, 0);

    TRY(check_all(f, diag));
    TRY(choose_delegate(f, q, diag));
    TRY(choose_profile(f, q, diag));
    q->run_delay = number(f, BENCHMARK_run_delay, 0);
    q->run_frequency = number(f, BENCHMARK_run_frequency, 0);
    q->num_threads = threads > 0 ? (uint64_t)threads : 0;
    q->dry_run = is_true(f, BENCHMARK_dry_run);
    q->outputs_path = text_of(f, BENCHMARK_output_filepath);
    f->require_full_delegation = is_true(f, BENCHMARK_require_full_delegation);
    return bench_inputs_parse(&q->inputs, f->values[BENCHMARK_input_layer],
                              f->values[BENCHMARK_input_layer_shape],
                              f->values[BENCHMARK_input_layer_value_range],
                              f->values[BENCHMARK_input_layer_value_files], diag);
}

/* ---- the table ---- */

bool benchmark_flags_at(size_t index, const char **title, struct args_flag *flag)
{
    static const struct {
        enum benchmark_deed deed;
        const char *title;
    } parts[] = {
        { BENCHMARK_ALIAS,
          "Flags of TensorFlow Lite's benchmark_model; BOOL is true, false, 1 or 0" },
        { BENCHMARK_NOTHING, "... that are accepted without effect, and why" },
        { BENCHMARK_REFUSED, "... that are refused, unless they are off, and why" },
    };

    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
        for (size_t i = 0; i < BENCHMARK_FLAGS; i++) {
            if (benchmark_rows[i].deed != parts[p].deed || index-- > 0)
                continue;
            *title = parts[p].title;
            *flag = flag_of(&benchmark_rows[i]);
            flag->help = benchmark_rows[i].text;
            return true;
        }
    }
    return false;
}
