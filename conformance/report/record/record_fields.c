#include "conformance/report/record/record_fields.h"

#define FIELDS(name, array)                                                                        \
    const struct record_fields name = { array, sizeof array / sizeof array[0] }
#define AT(type, field) offsetof(struct type, field)

static const struct record_field run_fields[] = {
    { "version", RECORD_TEXT, RECORD_ALWAYS, AT(record_run, version) },
    { "git", RECORD_TEXT, RECORD_ALWAYS, AT(record_run, git) },
    { "command", RECORD_TEXT, RECORD_ALWAYS, AT(record_run, command) },
    { "started", RECORD_TEXT, RECORD_ALWAYS, AT(record_run, started) },
    { "host", RECORD_TEXT, RECORD_ALWAYS, AT(record_run, host) },
    { "seconds", RECORD_REAL, RECORD_ALWAYS, AT(record_run, seconds) },
    { "seed", RECORD_U64, RECORD_ALWAYS, AT(record_run, seed) },
    { "graphs", RECORD_U64, RECORD_ALWAYS, AT(record_run, graphs) },
    { "limit", RECORD_U64, RECORD_ALWAYS, AT(record_run, limit) },
    { "quick_of", RECORD_U64, RECORD_WHEN_SET, AT(record_run, quick_of) },
    { "timeout_s", RECORD_REAL, RECORD_ALWAYS, AT(record_run, timeout_s) },
    { "repeat", RECORD_U64, RECORD_WHEN_SET, AT(record_run, repeat) },
    { "statistics", RECORD_BOOL, RECORD_WHEN_SET, AT(record_run, statistics) },
    { "interrupted", RECORD_TEXT, RECORD_ALWAYS, AT(record_run, interrupted) },
};
FIELDS(record_run_fields, run_fields);

static const struct record_field device_fields[] = {
    { "name", RECORD_TEXT, RECORD_ALWAYS, AT(record_device, name) },
    { "driver", RECORD_TEXT, RECORD_ALWAYS, AT(record_device, driver) },
    { "api", RECORD_TEXT, RECORD_ALWAYS, AT(record_device, api) },
};
FIELDS(record_device_fields, device_fields);

static const struct record_field subject_fields[] = {
    { "spec", RECORD_TEXT, RECORD_LATER, AT(record_subject, spec) },
    { "label", RECORD_TEXT, RECORD_LATER, AT(record_subject, label) },
    { "path", RECORD_TEXT, RECORD_ALWAYS, AT(record_subject, path) },
    { "sha256", RECORD_TEXT, RECORD_ALWAYS, AT(record_subject, sha256) },
    { "bounds", RECORD_TEXT, RECORD_ALWAYS, AT(record_subject, bounds) },
    { "not_run", RECORD_TEXT, RECORD_WHEN_SET, AT(record_subject, not_run) },
};
FIELDS(record_subject_fields, subject_fields);

static const struct record_field case_fields[] = {
    { "index", RECORD_SIZE, RECORD_LATER, AT(record_case, index) },
    { "op", RECORD_TEXT, RECORD_ALWAYS, AT(record_case, op) },
    { "version", RECORD_INT, RECORD_ALWAYS, AT(record_case, version) },
    { "type", RECORD_TEXT, RECORD_ALWAYS, AT(record_case, type) },
    { "gap", RECORD_TEXT, RECORD_WHEN_SET, AT(record_case, title) },
    { "nodes", RECORD_INT, RECORD_WHEN_SET, AT(record_case, nodes) },
    { "inputs", RECORD_TEXT, RECORD_WHEN_SET, AT(record_case, inputs) },
    { "classes", RECORD_TEXT, RECORD_WHEN_SET, AT(record_case, classes) },
};
FIELDS(record_case_fields, case_fields);

static const struct record_field result_fields[] = {
    { "status", RECORD_STATUS, RECORD_ALWAYS, AT(record_result, status) },
    { "reason", RECORD_WORDS, RECORD_ALWAYS, AT(record_result, reason) },
    { "max_abs", RECORD_REAL, RECORD_ALWAYS, AT(record_result, max_abs) },
    { "max_ulp", RECORD_REAL, RECORD_ALWAYS, AT(record_result, max_ulp) },
    { "margin", RECORD_REAL, RECORD_ALWAYS, AT(record_result, margin) },
    { "bias", RECORD_REAL, RECORD_ALWAYS, AT(record_result, bias) },
    { "ms", RECORD_REAL, RECORD_ALWAYS, AT(record_result, ms) },
    { "bytes", RECORD_U64, RECORD_ALWAYS, AT(record_result, bytes) },
    { "checked", RECORD_HABITS, RECORD_LATER, AT(record_result, checked) },
    { "left_out", RECORD_HABITS, RECORD_WHEN_SET, AT(record_result, left_out) },
    { "refused", RECORD_HABITS, RECORD_WHEN_SET, AT(record_result, refused) },
    { "what", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, what) },
    { "rerun", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, rerun) },
    { "waiver", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, waiver) },
    { "required", RECORD_BOOL, RECORD_WHEN_SET, AT(record_result, required) },
    { "regression", RECORD_BOOL, RECORD_WHEN_SET, AT(record_result, regression) },
    { "note", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, note) },
    { "integers", RECORD_U64, RECORD_WHEN_SET, AT(record_result, integers) },
    { "unequal", RECORD_U64, RECORD_WHEN_SET, AT(record_result, unequal) },
    { "not_judged", RECORD_U64, RECORD_WHEN_SET, AT(record_result, not_judged) },
    { "design", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, design) },
    { "nth_node", RECORD_INT, RECORD_WHEN_SET, AT(record_result, nth_node) },
    { "equals", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, equals) },
    { "minimal", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, minimal) },
};
FIELDS(record_result_fields, result_fields);

static const struct record_field failure_fields[] = {
    { "set", RECORD_TEXT, RECORD_ALWAYS, AT(record_result, set) },
    { "frame", RECORD_FRAME, RECORD_ALWAYS, AT(record_result, frame) },
    { "output", RECORD_INT, RECORD_ALWAYS, AT(record_result, output) },
    { "where", RECORD_TEXT, RECORD_ALWAYS, AT(record_result, where) },
    { "got", RECORD_REAL, RECORD_ALWAYS, AT(record_result, got) },
    { "want", RECORD_REAL, RECORD_ALWAYS, AT(record_result, want) },
    { "error", RECORD_REAL, RECORD_ALWAYS, AT(record_result, error) },
    { "limit", RECORD_REAL, RECORD_ALWAYS, AT(record_result, limit) },
};
FIELDS(record_failure_fields, failure_fields);

static const struct record_field worst_fields[] = {
    { "where", RECORD_TEXT, RECORD_ALWAYS, AT(record_result, worst.where) },
    { "ratio", RECORD_REAL, RECORD_ALWAYS, AT(record_result, worst.ratio) },
    { "got", RECORD_REAL, RECORD_ALWAYS, AT(record_result, worst.got) },
    { "want", RECORD_REAL, RECORD_ALWAYS, AT(record_result, worst.want) },
    { "error", RECORD_REAL, RECORD_ALWAYS, AT(record_result, worst.error) },
    { "limit", RECORD_REAL, RECORD_ALWAYS, AT(record_result, worst.limit) },
};
FIELDS(record_worst_fields, worst_fields);

static const struct record_field repeats_fields[] = {
    { "asked", RECORD_U64, RECORD_ALWAYS, AT(record_result, repeats.asked) },
    { "runs", RECORD_U64, RECORD_ALWAYS, AT(record_result, repeats.runs) },
    { "wrong", RECORD_U64, RECORD_ALWAYS, AT(record_result, repeats.wrong) },
    { "cut", RECORD_TEXT, RECORD_WHEN_SET, AT(record_result, repeats.cut) },
};
FIELDS(record_repeats_fields, repeats_fields);

static const struct record_field profile_fields[] = {
    { "elements", RECORD_SIZE, RECORD_ALWAYS, AT(record_result, elements) },
    { "by_element", RECORD_TEXT, RECORD_ALWAYS, AT(record_result, by_element) },
    { "channels", RECORD_SIZE, RECORD_ALWAYS, AT(record_result, channels) },
    { "by_channel", RECORD_TEXT, RECORD_ALWAYS, AT(record_result, by_channel) },
};
FIELDS(record_profile_fields, profile_fields);

static const struct record_field model_fields[] = {
    { "model", RECORD_TEXT, RECORD_ALWAYS, AT(record_model, name) },
    { "status", RECORD_STATUS, RECORD_ALWAYS, AT(record_model, status) },
    { "reason", RECORD_TEXT, RECORD_ALWAYS, AT(record_model, reason) },
    { "images", RECORD_U64, RECORD_ALWAYS, AT(record_model, images) },
    { "top1", RECORD_REAL, RECORD_ALWAYS, AT(record_model, top1) },
    { "nodes", RECORD_INT, RECORD_ALWAYS, AT(record_model, nodes) },
    { "taken", RECORD_INT, RECORD_ALWAYS, AT(record_model, taken) },
    { "partitions", RECORD_INT, RECORD_ALWAYS, AT(record_model, partitions) },
};
FIELDS(record_model_fields, model_fields);

static const struct record_field figure_fields[] = {
    { "same", RECORD_U64, RECORD_ALWAYS, AT(record_model, same) },
    { "differ", RECORD_U64, RECORD_ALWAYS, AT(record_model, different) },
    { "wrong", RECORD_U64, RECORD_ALWAYS, AT(record_model, wrong) },
    { "snr_db", RECORD_REAL, RECORD_ALWAYS, AT(record_model, snr_db) },
    { "max_abs", RECORD_REAL, RECORD_ALWAYS, AT(record_model, max_abs) },
    { "mean_steps", RECORD_REAL, RECORD_ALWAYS, AT(record_model, mean_steps) },
};
FIELDS(record_figure_fields, figure_fields);

static const struct record_field minimal_fields[] = {
    { "status", RECORD_STATUS, RECORD_ALWAYS, AT(record_minimal, status) },
    { "reason", RECORD_WORDS, RECORD_ALWAYS, AT(record_minimal, reason) },
    { "similar", RECORD_SIZE, RECORD_ALWAYS, AT(record_minimal, similar) },
    { "steps", RECORD_SIZE, RECORD_ALWAYS, AT(record_minimal, steps) },
    { "reductions", RECORD_SIZE, RECORD_ALWAYS, AT(record_minimal, reductions) },
    { "limited", RECORD_BOOL, RECORD_ALWAYS, AT(record_minimal, limited) },
    { "flaky", RECORD_BOOL, RECORD_ALWAYS, AT(record_minimal, flaky) },
    { "text", RECORD_TEXT, RECORD_ALWAYS, AT(record_minimal, text) },
};
FIELDS(record_minimal_fields, minimal_fields);

static const struct record_field mutant_fields[] = {
    { "name", RECORD_TEXT, RECORD_ALWAYS, AT(record_mutant, name) },
    { "file", RECORD_TEXT, RECORD_ALWAYS, AT(record_mutant, file) },
    { "caught", RECORD_BOOL, RECORD_ALWAYS, AT(record_mutant, caught) },
    { "by", RECORD_TEXT, RECORD_ALWAYS, AT(record_mutant, by) },
    { "what", RECORD_TEXT, RECORD_ALWAYS, AT(record_mutant, what) },
};
FIELDS(record_mutant_fields, mutant_fields);
