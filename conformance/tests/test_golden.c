/* Golden files: export, the check of the reference against them, and files that are not what they
 * should be.  The goldens here are made from the reference itself, then spoilt one thing at a time:
 * each spoilt one has to be found. */
/* Alone: for what it tells LeakSanitizer. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/golden/check.h"
#include "conformance/suite/golden/export.h"
#include "conformance/suite/golden/file.h"
#include "conformance/tests/kit/h5_external.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/test.h"

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* For LeakSanitizer, which has to see it from its library: HDF5 1.10.8 itself leaks when it meets a
 * damaged object. */
TFL_CAPI_EXPORT const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

static char directory[] = "/tmp/assay-golden-XXXXXX";
static char path[64];

/* The faults of a golden that a test makes. */
enum spoil {
    GOOD,
    ONE_VALUE,     /* an element is off by 1 % */
    ONE_ULP_LOTS,  /* all elements of a sum are off in the same direction */
    NOT_A_NUMBER,  /* an element is NaN */
    OTHER_MODEL,   /* model_sha256 of another model */
    OTHER_INPUTS,  /* inputs_sha256 of others */
    OTHER_VERSION, /* op_version */
    OTHER_SEED,    /* the seed that the hashes do not go with */
    OTHER_NAME,    /* a case that the suite does not have */
    OTHER_TYPE,    /* outputs as f64 */
    OTHER_SHAPE,   /* outputs as a vector */
    HUGE_SHAPE,    /* outputs with 2^62 elements, none of them stored */
    HUGE_CHUNK,    /* outputs in a chunk of 2^31 bytes */
    FOREIGN,       /* outputs in another file */
    LINKED,        /* outputs is a soft link */
    NO_OUTPUTS,    /* and no reason why */
    NO_AGAIN,      /* a graph with variables, and no answers of a second invoke */
    STATE_LOST,    /* the answers of the second invoke are those of the first */
    SHORTCUT,      /* LOGISTIC as the runtime has it below -9: e^x */
    ONE_HALF,      /* outputs as f16 would hold them */
    STATE_ONCE,    /* those of the first invoke are those of the second */
    NO_TENSORS,    /* the result of a node in between is not there */
    NO_SEED,       /* the attribute is not there */
    TEXT_SEED,     /* it is a string */
    VARIABLE_HASH, /* a string of variable length */
    BAD_HASH,      /* upper case */
    BAD_SET,       /* no data set */
    BAD_CASES,     /* cases_sha256 of other cases */
    BAD_SCHEMA,    /* of a later program */
    NO_META,       /* no such group */
    BAD_NAME,      /* a case named like no case */
    STORED,        /* good, with model and inputs */
    STORED_OTHER,  /* the stored model is another */
    SKIPPED,       /* a reason instead of outputs */
    WRONG,         /* called wrong, and is */
    WRONG_NOT,     /* called wrong, and is right */
    WRONG_OTHER    /* called wrong, of a case that has changed */
};

/* ---- making goldens ---- */

static bool made_half; /* cases are made with f16 data */
static const struct test_case *cases;
static size_t case_count;

static const struct test_case *find(const char *name)
{
    for (size_t i = 0; i < case_count; i++) {
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    }
    fail_msg("no case %s", name);
    return NULL;
}

static struct h5_array array_of(const TfLiteTensor *t)
{
    struct h5_array a = {
        .type = t->type, .rank = ref_rank(t), .data = t->data.raw, .bytes = t->bytes
    };

    for (int d = 0; d < a.rank; d++)
        a.dims[d] = ref_dim(t, d);
    return a;
}

/* A dataset of the given HDF5 type and extent, without data. */
static void write_odd(hid_t group, hid_t type, int rank, const hsize_t *dims, hsize_t chunk,
                      const char *external)
{
    const hid_t space = H5Screate_simple(rank, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set;

    if (chunk > 0)
        assert_true(H5Pset_chunk(plist, rank, &chunk) >= 0);
    if (external)
        assert_true(h5_set_external(plist, external, 0, H5F_UNLIMITED) >= 0);
    set = H5Dcreate2(group, "0", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    h5_close(set);
    h5_close(plist);
    h5_close(space);
}

static void spoil_values(enum spoil spoil, struct h5_array *a)
{
    float *const data = a->data;
    const size_t count = a->bytes / sizeof *data;

    if (spoil == ONE_VALUE || spoil == WRONG)
        data[count / 2] = data[count / 2] * 1.01F + 0.01F;
    if (spoil == NOT_A_NUMBER)
        data[0] = NAN;
    for (size_t i = 0; i < count && spoil == SHORTCUT; i++) {
        if (data[i] < 1.23e-4F) /* s(-9) */
            data[i] = data[i] / (1 - data[i]);
    }
    for (size_t i = 0; i < count && spoil == ONE_HALF; i++)
        data[i] = half_to_float(float_to_half(data[i]));
    for (size_t i = 0; i < count && spoil == ONE_ULP_LOTS; i++)
        data[i] += 5 * (nextafterf(fabsf(data[i]), INFINITY) - fabsf(data[i]));
}

static void write_outputs(hid_t group, enum spoil spoil, struct interpreter *in)
{
    struct diag diag;
    size_t count;
    const int *const outputs = interpreter_outputs(in, &count);
    struct h5_array a = array_of(interpreter_tensor(in, outputs[0]));
    hid_t sets;

    if (spoil == NO_OUTPUTS || spoil == SKIPPED)
        return;
    if (spoil == LINKED) {
        assert_true(H5Lcreate_soft("/relu", group, "outputs", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        return;
    }
    assert_int_equal(h5_make_group(group, "outputs", &sets, &diag), STATUS_OK);
    spoil_values(spoil, &a);
    switch (spoil) {
    case OTHER_TYPE:
        write_odd(sets, H5T_IEEE_F64LE, 1, (const hsize_t[]){ a.bytes / 4 }, 0, NULL);
        break;
    case OTHER_SHAPE:
        write_odd(sets, H5T_IEEE_F32LE, 1, (const hsize_t[]){ a.bytes / 4 }, 0, NULL);
        break;
    case HUGE_SHAPE:
        write_odd(sets, H5T_IEEE_F32LE, 2, (const hsize_t[]){ 1U << 31, 1U << 29 }, 0, NULL);
        break;
    case HUGE_CHUNK:
        write_odd(sets, H5T_IEEE_F32LE, 1, (const hsize_t[]){ 1U << 29 }, 1U << 29, NULL);
        break;
    case FOREIGN:
        write_odd(sets, H5T_IEEE_F32LE, 1, (const hsize_t[]){ a.bytes / 4 }, 0, "/etc/passwd");
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            char name[24];

            a = array_of(interpreter_tensor(in, outputs[i]));
            snprintf(name, sizeof name, "%zu", i);
            assert_int_equal(h5_write_array(sets, name, &a, &diag), STATUS_OK);
        }
    }
    h5_close(sets);
}

/* What a second invoke gives; which = 0: the first once more. */
static void write_again(hid_t group, struct interpreter *in, int which)
{
    struct diag diag;
    hid_t again;

    if (which > 0)
        assert_int_equal(interpreter_invoke(in, &diag), STATUS_OK);
    assert_int_equal(h5_make_group(group, "again", &again, &diag), STATUS_OK);
    write_outputs(again, GOOD, in);
    h5_close(again);
}

/* Results of nodes that are no outputs of the graph. */
static void write_tensors(hid_t group, struct interpreter *in)
{
    struct diag diag;
    size_t count;
    const int *const outputs = interpreter_outputs(in, &count);

    for (size_t n = 0; n < interpreter_node_count(in); n++) {
        const int tensor = interpreter_node(in, (int)n)->outputs->data[0];
        const struct h5_array a = array_of(interpreter_tensor(in, tensor));
        char name[16];
        bool output = false;
        hid_t sets;

        for (size_t i = 0; i < count; i++)
            output = output || outputs[i] == tensor;
        if (output || interpreter_tensor(in, tensor)->allocation_type == kTfLitePersistentRo)
            continue;
        snprintf(name, sizeof name, "%d", tensor);
        if (h5_has(group, "tensors"))
            assert_int_equal(h5_open(group, "", "tensors", H5I_GROUP, &sets, &diag), STATUS_OK);
        else
            assert_int_equal(h5_make_group(group, "tensors", &sets, &diag), STATUS_OK);
        assert_int_equal(h5_write_array(sets, name, &a, &diag), STATUS_OK);
        h5_close(sets);
    }
}

static void write_stored(hid_t group, enum spoil spoil, const struct case_instance *instance,
                         struct interpreter *in)
{
    struct h5_array a = { .type = kTfLiteUInt8,
                          .rank = 1,
                          .dims = { (int32_t)instance->file.count },
                          .data = instance->file.bytes,
                          .bytes = instance->file.count };
    struct diag diag;
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);
    hid_t sets;

    if (spoil != STORED && spoil != STORED_OTHER)
        return;
    instance->file.bytes[instance->file.count - 1] ^= spoil == STORED_OTHER;
    assert_int_equal(h5_write_array(group, "model", &a, &diag), STATUS_OK);
    assert_int_equal(h5_make_group(group, "inputs", &sets, &diag), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        char name[24];

        a = array_of(interpreter_tensor(in, inputs[i]));
        snprintf(name, sizeof name, "%zu", i);
        assert_int_equal(h5_write_array(sets, name, &a, &diag), STATUS_OK);
    }
    h5_close(sets);
}

static void variable_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t attribute;

    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0);
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, &text) >= 0);
    h5_close(attribute);
    h5_close(space);
    h5_close(type);
}

/* The two hashes as the file says them, for cases_sha256. */
static void write_attributes(hid_t group, enum spoil spoil, const struct test_case *c,
                             const struct case_instance *instance, char model[SHA256_HEX_BYTES],
                             char inputs[SHA256_HEX_BYTES])
{
    struct diag diag;

    assert_int_equal(golden_hash(instance, model, inputs, &diag), STATUS_OK);
    if (spoil == OTHER_MODEL)
        model[0] = model[0] == '0' ? '1' : '0';
    if (spoil == OTHER_INPUTS || spoil == WRONG_OTHER)
        inputs[5] = inputs[5] == '0' ? '1' : '0';
    if (spoil == BAD_HASH)
        model[0] = 'G';
    h5_write_uint(group, "builtin_code", (uint64_t)c->code, &diag);
    h5_write_uint(group, "op_version", (uint64_t)c->version + (spoil == OTHER_VERSION), &diag);
    if (spoil == TEXT_SEED)
        h5_write_text(group, "seed", "1", &diag);
    else if (spoil != NO_SEED)
        h5_write_uint(group, "seed", spoil == OTHER_SEED ? 8 : 7, &diag);
    h5_write_text(group, "data_set", spoil == BAD_SET ? "S9" : "S0", &diag);
    h5_write_text(group, "options", "{}", &diag);
    if (spoil == VARIABLE_HASH)
        variable_text(group, "model_sha256", model);
    else
        h5_write_text(group, "model_sha256", model, &diag);
    h5_write_text(group, "inputs_sha256", inputs, &diag);
    if (spoil == SKIPPED)
        h5_write_text(group, "skipped", "the runtime has no such thing", &diag);
    if (spoil == WRONG || spoil == WRONG_NOT || spoil == WRONG_OTHER)
        h5_write_text(group, "wrong", "the runtime forgets an element", &diag);
}

static void write_meta(hid_t file, enum spoil spoil, const char *lines)
{
    char hash[SHA256_HEX_BYTES];
    struct diag diag;
    hid_t meta;

    if (spoil == NO_META)
        return;
    sha256_hex(lines, strlen(lines), hash);
    assert_int_equal(h5_make_group(file, "meta", &meta, &diag), STATUS_OK);
    h5_write_uint(meta, "schema", GOLDEN_SCHEMA + (spoil == BAD_SCHEMA), &diag);
    h5_write_text(meta, "runtime", "itself", &diag);
    h5_write_text(meta, "runtime_version", "0", &diag);
    h5_write_text(meta, "resolver", "REFERENCE", &diag);
    if (spoil == BAD_CASES)
        hash[3] = hash[3] == 'a' ? 'b' : 'a';
    h5_write_text(meta, "cases_sha256", hash, &diag);
    h5_close(meta);
}

static void save(const void *bytes, size_t count)
{
    struct diag diag;

    assert_int_equal(file_write(path, bytes, count, &diag), STATUS_OK);
}

/* Writes the golden of one case. */
static void make_golden(const char *name, enum spoil spoil)
{
    const struct interpreter_options options = { .preserve_all = true };
    const struct test_case *const c = find(name);
    const struct case_request request = { .set = SET_RANDOM, .seed = 7, .half = made_half };
    char model_hash[SHA256_HEX_BYTES], inputs_hash[SHA256_HEX_BYTES], lines[512];
    char group_path[CASE_NAME_BYTES], file_name[CASE_NAME_BYTES];
    struct case_instance instance;
    struct model model;
    struct interpreter *in;
    struct diag diag;
    uint8_t *bytes;
    size_t count, variables;
    const int *inputs;
    hid_t file, group;

    assert_int_equal(case_build(c, &request, &instance, &diag), STATUS_OK);
    assert_int_equal(tflite_read(&model, instance.file.bytes, instance.file.count, &diag),
                     STATUS_OK);
    assert_int_equal(interpreter_open(&in, &model, &options, &diag), STATUS_OK);
    assert_int_equal(interpreter_allocate(in, &diag), STATUS_OK);
    inputs = interpreter_inputs(in, &count);
    for (size_t i = 0; i < count; i++)
        memcpy(interpreter_tensor(in, inputs[i])->data.raw, instance.inputs[i].data[0],
               instance.inputs[i].bytes);
    assert_int_equal(interpreter_invoke(in, &diag), STATUS_OK);

    assert_int_equal(h5_image_open(&file, &diag), STATUS_OK);
    snprintf(file_name, sizeof file_name, "%s%s", name,
             spoil == OTHER_NAME ? "_gone"
             : spoil == BAD_NAME ? "(!)"
                                 : "");
    golden_case_path(file_name, group_path);
    assert_int_equal(h5_make_group(file, group_path, &group, &diag), STATUS_OK);
    write_attributes(group, spoil, c, &instance, model_hash, inputs_hash);
    write_stored(group, spoil, &instance, in);
    if (spoil != NO_TENSORS)
        write_tensors(group, in);
    interpreter_variables(in, &variables);
    if (spoil == STATE_ONCE)
        assert_int_equal(interpreter_invoke(in, &diag), STATUS_OK);
    write_outputs(group, spoil, in); /* last: spoils tensors */
    if (variables > 0 && spoil != NO_AGAIN)
        write_again(group, in, spoil != STATE_LOST);
    h5_close(group);
    snprintf(lines, sizeof lines, "%s %s %s\n", file_name, model_hash, inputs_hash);
    write_meta(file, spoil, lines);
    assert_int_equal(h5_image_close(file, &bytes, &count, &diag), STATUS_OK);
    save(bytes, count);
    mem_free(bytes);
    interpreter_close(in);
    model_close(&model);
    case_instance_close(&instance);
}

/* ---- the check ---- */

static const char relu[] = "relu.f32.c5", dot[] = "fully_connected.f32.k33_u33",
                  chain[] = "dequantize.f16.two", hidden[] = "dequantize.f16.input_relu",
                  stateful[] = "lstm.f32.a5";

#define ONE(glob)                                                                                  \
    {                                                                                              \
        (const char *[]){ glob }, 1                                                                \
    }

static enum status check(const char *from, const char *filter, struct golden_report *report,
                         struct diag *diag)
{
    const struct golden_request request = { .directory = from,
                                            .filters = { &filter, filter ? 1 : 0 },
                                            .quiet = true };

    return golden_check(&request, report, diag);
}

/* Expects the one case of the filter to pass, with at most this margin. */
static void check_passes(const char *name, double margin)
{
    struct golden_report report;
    struct diag diag = { .status = STATUS_OK };

    if (check(directory, name, &report, &diag) != STATUS_OK)
        fail_msg("%s", diag.text);
    if (report.failure_count > 0)
        fail_msg("%s: %s", report.failures[0].name, report.failures[0].reason);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed + report.missing + report.skipped, 0);
    assert_int_equal(report.op_count, 1);
    assert_true(report.ops[0].margin <= margin);
    assert_string_equal(report.runtime, "itself");
    golden_report_close(&report);
}

/* Expects it to fail for a reason that has the word. */
static void check_fails(const char *name, const char *word)
{
    struct golden_report report;
    struct diag diag;

    assert_int_equal(check(directory, name, &report, &diag), STATUS_OK);
    assert_true(report.failed >= 1);
    assert_true(report.failure_count >= 1);
    if (!strstr(report.failures[0].reason, word))
        fail_msg("'%s' is not in '%s'", word, report.failures[0].reason);
    golden_report_close(&report);
}

/* Expects the file to be refused, with a message that has its path and the word. */
static void check_refuses(const char *name, const char *word)
{
    struct golden_report report;
    struct diag diag = { .status = STATUS_OK };
    enum status s = check(directory, name, &report, &diag);

    if (s != STATUS_IO && s != STATUS_UNSUPPORTED)
        fail_msg("want '%s', got status %d and '%s'", word, (int)s,
                 s == STATUS_OK && report.failure_count ? report.failures[0].reason : diag.text);
    assert_non_null(strstr(diag.text, path));
    if (!strstr(diag.text, word))
        fail_msg("'%s' is not in '%s'", word, diag.text);
    assert_null(report.failures);
}

TEST(own_results_pass)
{
    make_golden(relu, GOOD);
    check_passes(relu, 0);
    make_golden(relu, STORED);
    check_passes(relu, 0);
    make_golden(dot, GOOD);
    check_passes(dot, 0.6);
    make_golden(chain, GOOD);
    check_passes(chain, 0.51);
    make_golden(hidden, GOOD);
    check_passes(hidden, 0);
    make_golden(stateful, GOOD);
    check_passes(stateful, 0.5);
}

/* Of several filters each counts, not the last alone. */
TEST(filters_add_up)
{
    struct golden_request request = { .directory = directory, .quiet = true };
    const char *globs[] = { stateful, "logistic.f32.*", "softmax.i32.none" };
    struct golden_report report;
    struct diag diag;
    size_t each[2];

    for (int i = 0; i < 2; i++) {
        request.filters = (struct string_list){ &globs[i], 1 };
        assert_int_equal(golden_check(&request, &report, &diag), STATUS_OK);
        each[i] = report.cases + report.missing;
        assert_true(each[i] > 0);
        golden_report_close(&report);
    }
    request.filters = (struct string_list){ globs, 3 };
    assert_int_equal(golden_check(&request, &report, &diag), STATUS_OK);
    assert_int_equal(report.cases + report.missing, each[0] + each[1]);
    golden_report_close(&report);
}

TEST(state_goes_on)
{
    make_golden(stateful, STATE_LOST);
    check_fails(stateful, "second invoke: node 0 (LSTM)");
    make_golden(stateful, STATE_ONCE); /* the first one begins with zeros */
    check_fails(stateful, "node 0 (LSTM): tensor 5");
}

TEST(wrong_values_fail)
{
    make_golden(relu, ONE_VALUE);
    check_fails(relu, "not equal");
    make_golden(dot, ONE_VALUE);
    check_fails(dot, "over the limit");
    make_golden(dot, ONE_ULP_LOTS); /* each element passes, all of them together do not */
    check_fails(dot, "mean of the errors");
    make_golden(dot, NOT_A_NUMBER);
    check_fails(dot, "NaN");
    make_golden(chain, ONE_VALUE);
    check_fails(chain, "over the limit");
    make_golden(relu, OTHER_TYPE);
    check_fails(relu, "not of type f32");
    make_golden(relu, OTHER_SHAPE);
    check_fails(relu, "has the shape [");
    make_golden(relu, HUGE_SHAPE);
    check_fails(relu, "has the shape [2147483648,536870912]");
}

TEST(changed_cases_say_mint_again)
{
    static const struct {
        enum spoil spoil;
        const char *words;
    } rows[] = {
        { OTHER_MODEL, "its model has another hash; mint the goldens again" },
        { OTHER_INPUTS, "its inputs have another hash; mint the goldens again" },
        { OTHER_SEED, "its model has another hash; mint the goldens again" },
        { OTHER_VERSION, "version 1, the golden is of op 9 version 2; mint the goldens again" },
    };
    struct golden_report report;
    struct diag diag;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_golden(dot, rows[i].spoil);
        check_fails(dot, rows[i].words);
    }
    make_golden(relu, OTHER_NAME);
    check_fails("relu.f32.c5*", "the suite has no such case");
    make_golden(relu, GOOD);
    assert_int_equal(check(directory, "relu.f32.c[56]", &report, &diag), STATUS_OK);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed, 0);
    assert_int_equal(report.missing, 1);
    assert_string_equal(report.failures[0].name, "relu.f32.c6");
    assert_non_null(strstr(report.failures[0].reason, "no golden"));
    golden_report_close(&report);
}

TEST(skipped_cases_are_counted)
{
    struct golden_report report;
    struct diag diag;

    make_golden(relu, SKIPPED);
    assert_int_equal(check(directory, relu, &report, &diag), STATUS_OK);
    assert_int_equal(report.skipped, 1);
    assert_int_equal(report.cases + report.failed + report.missing, 0);
    golden_report_close(&report);
}

/* A golden that calls the runtime's answer wrong passes where the reference differs. */
TEST(wrong_answers_are_counted)
{
    struct golden_report report;
    struct diag diag;

    make_golden(relu, WRONG);
    assert_int_equal(check(directory, relu, &report, &diag), STATUS_OK);
    assert_int_equal(report.wrong, 1);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed + report.missing + report.skipped, 0);
    golden_report_close(&report);
    make_golden(relu, WRONG_NOT);
    check_fails(relu, "(the runtime forgets an element), but the reference has the same one");
    make_golden(relu, WRONG_OTHER);
    check_fails(relu, "its inputs have another hash");
}

/* A delegate's answers to some of the cases are held to its bounds, and none is missing. */
TEST(delegates_are_held_to_bounds)
{
    struct golden_request request = {
        .directory = directory, .filters = ONE("logistic.f32.*"), .quiet = true, .delegate = true
    };
    static const char shortcut[] = "logistic.f32.tails";
    struct golden_report report;
    struct diag diag;

    make_golden(shortcut, GOOD);
    assert_int_equal(golden_check(&request, &report, &diag), STATUS_OK);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed + report.missing, 0);
    golden_report_close(&report);
    /* The runtime may be further off at x < -9 than a delegate (TOLERANCES.md 9). */
    make_golden(shortcut, SHORTCUT);
    check_passes(shortcut, 1);
    assert_int_equal(golden_check(&request, &report, &diag), STATUS_OK);
    assert_int_equal(report.failed, 1);
    golden_report_close(&report);
    /* The data of fp16 are others. */
    make_golden(shortcut, GOOD);
    request.bounds = BOUNDS_FP16;
    assert_int_equal(golden_check(&request, &report, &diag), STATUS_OK);
    assert_int_equal(report.failed, 1);
    assert_non_null(strstr(report.failures[0].reason, "its inputs have another hash"));
    golden_report_close(&report);
    made_half = true;
    make_golden(shortcut, ONE_HALF);
    made_half = false;
    assert_int_equal(golden_check(&request, &report, &diag), STATUS_OK);
    assert_int_equal(report.failed, 0);
    golden_report_close(&report);
}

TEST(damaged_files_are_refused)
{
    static const struct {
        enum spoil spoil;
        const char *words;
    } rows[] = {
        { HUGE_CHUNK, "stored in a way" },
        { FOREIGN, "stored in a way" },
        { LINKED, "a link" },
        { NO_OUTPUTS, "no group 'outputs'" },
        { NO_SEED, "no attribute 'seed'" },
        { TEXT_SEED, "attribute 'seed' is no integer" },
        { VARIABLE_HASH, "is no string of fixed length" },
        { BAD_HASH, "no SHA-256" },
        { BAD_SET, "attribute 'data_set' is 'S9'" },
        { BAD_CASES, "cases_sha256" },
        { BAD_SCHEMA, "schema 2" },
        { NO_META, "no group 'meta'" },
        { BAD_NAME, "named like no case" },
        { STORED_OTHER, "the stored model" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_golden(relu, rows[i].spoil);
        check_refuses("relu*", rows[i].words);
    }
    make_golden(hidden, NO_TENSORS);
    check_refuses(hidden, "no tensors/");
    make_golden(stateful, NO_AGAIN);
    check_refuses(stateful, "no group 'again'");
}

/* Cut anywhere, and with bytes changed anywhere, a file is refused or found wrong or found good,
 * and nothing else happens. */
TEST(broken_bytes_are_refused)
{
    uint64_t random = 1;
    struct diag diag;
    uint8_t *bytes, *copy;
    size_t count, refused = 0;

    make_golden(chain, STORED);
    assert_int_equal(file_read(path, 1 << 24, &bytes, &count, &diag), STATUS_OK);
    copy = mem_alloc(count, 1);
    assert_non_null(copy);
    for (size_t i = 0; i < 300; i++) {
        struct golden_report report;

        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(copy, bytes, count);
        if (i % 3 == 0) {
            save(copy, (size_t)(random >> 33) % count);
        } else {
            copy[(size_t)(random >> 33) % count] ^= (uint8_t)(1U << (random >> 29 & 7));
            save(copy, count);
        }
        diag = (struct diag){ .status = STATUS_OK };
        if (check(directory, chain, &report, &diag) == STATUS_OK) {
            golden_report_close(&report);
        } else {
            assert_non_null(strstr(diag.text, path));
            refused++;
        }
    }
    assert_true(refused >= 100); /* all that were cut */
    mem_free(copy);
    mem_free(bytes);
}

/* A tree whose first child is itself, and a pipe, end as errors with the file's name. */
TEST(hostile_files_are_refused)
{
    enum { LEVEL = 5, CHILD = 32 };
    struct golden_report report;
    struct diag diag;
    uint8_t *bytes;
    size_t count, refused = 0;

    make_golden(relu, GOOD);
    assert_int_equal(file_read(path, 1 << 24, &bytes, &count, &diag), STATUS_OK);
    for (size_t at = 0; at + CHILD + 8 < count; at += 8) {
        uint8_t before[CHILD + 8];

        if (memcmp(bytes + at, "TREE", 4) != 0)
            continue;
        memcpy(before, bytes + at, sizeof before);
        bytes[at + LEVEL] = 1;
        for (int i = 0; i < 8; i++)
            bytes[at + CHILD + i] = (uint8_t)((uint64_t)at >> (8 * i));
        save(bytes, count);
        if (check(directory, relu, &report, &diag) == STATUS_OK) {
            golden_report_close(&report); /* of a group that this case has no use for */
        } else {
            assert_int_equal(diag.status, STATUS_IO);
            assert_int_equal(strncmp(diag.text, path, strlen(path)), 0);
            refused++;
        }
        memcpy(bytes + at, before, sizeof before);
    }
    mem_free(bytes);
    assert_true(refused >= 3); /* those of /, /relu, /relu/f32 at least */
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refuses(relu, "a named pipe, expected a regular file");
    unlink(path);
}

TEST(directories_without_goldens_are_refused)
{
    struct golden_report report;
    struct diag diag;

    assert_int_equal(check("/nowhere", NULL, &report, &diag), STATUS_IO);
    assert_non_null(strstr(diag.text, "/nowhere"));
    unlink(path);
    assert_int_equal(check(directory, NULL, &report, &diag), STATUS_IO);
    assert_non_null(strstr(diag.text, "no golden files"));
    make_golden(relu, GOOD);
    assert_int_equal(check(directory, "nothing.*", &report, &diag), STATUS_USAGE);
    assert_non_null(strstr(diag.text, "nothing.*"));
}

TEST(directory_is_found_from_below)
{
    char old[4096], below[128], found[4096], real[4096];
    struct diag diag;

    make_golden(relu, GOOD);
    assert_non_null(getcwd(old, sizeof old));
    snprintf(below, sizeof below, "%s/golden", directory);
    assert_int_equal(mkdir(below, 0700), 0);
    snprintf(below, sizeof below, "%s/golden/x.h5", directory);
    assert_int_equal(rename(path, below), 0);
    snprintf(below, sizeof below, "%s/a", directory);
    assert_int_equal(mkdir(below, 0700), 0);
    assert_int_equal(chdir(below), 0);
    assert_int_equal(golden_find_directory(found, &diag), STATUS_OK);
    assert_non_null(realpath(directory, real));
    assert_int_equal(strncmp(found, real, strlen(real)), 0);
    assert_string_equal(found + strlen(real), "/golden");
    assert_int_equal(chdir(old), 0);
    assert_int_equal(rmdir(below), 0);
    snprintf(below, sizeof below, "%s/golden/x.h5", directory);
    assert_int_equal(unlink(below), 0);
    snprintf(below, sizeof below, "%s/golden", directory);
    assert_int_equal(rmdir(below), 0);
}

/* ---- export ---- */

static enum status export_cases(const char *filter, uint64_t seed, uint8_t **bytes, size_t *count,
                                struct diag *diag)
{
    const struct golden_request request = { .filters = { &filter, filter ? 1 : 0 },
                                            .seed = seed,
                                            .quiet = true };

    return golden_export(&request, bytes, count, diag);
}

TEST(export_holds_the_cases)
{
    char text[512], model_hash[SHA256_HEX_BYTES], inputs_hash[SHA256_HEX_BYTES], type[8];
    const struct test_case *const c = find(dot);
    struct case_instance instance;
    struct case_request request = { .seed = 5 };
    struct diag diag;
    uint8_t *bytes, *again;
    size_t count, again_count;
    uint64_t value;
    hid_t file, op, types, group;

    assert_int_equal(export_cases("fully_connected.*", 5, &bytes, &count, &diag), STATUS_OK);
    assert_int_equal(export_cases("fully_connected.*", 5, &again, &again_count, &diag), STATUS_OK);
    assert_int_equal(count, again_count);
    assert_memory_equal(bytes, again, count); /* the same cases, the same bytes */
    save(bytes, count);
    mem_free(bytes);
    mem_free(again);

    assert_int_equal(h5_open_file(path, &file, &diag), STATUS_OK);
    assert_int_equal(h5_open(file, "/", "fully_connected", H5I_GROUP, &op, &diag), STATUS_OK);
    assert_int_equal(h5_open(op, "/", "f32", H5I_GROUP, &types, &diag), STATUS_OK);
    assert_int_equal(h5_open(types, "/", "k33_u33", H5I_GROUP, &group, &diag), STATUS_OK);
    assert_int_equal(h5_read_uint(group, "", "builtin_code", 999, &value, &diag), STATUS_OK);
    assert_int_equal(value, BUILTIN_FULLY_CONNECTED);
    assert_int_equal(h5_read_uint(group, "", "builtin_code", 8, &value, &diag), STATUS_IO);
    assert_int_equal(h5_read_uint(group, "", "op_version", 999, &value, &diag), STATUS_OK);
    assert_int_equal(value, c->version);
    assert_int_equal(h5_read_uint(group, "", "seed", UINT64_MAX, &value, &diag), STATUS_OK);
    assert_int_equal(value, 5);
    assert_int_equal(h5_read_text(group, "", "options", text, sizeof text, &diag), STATUS_OK);
    assert_non_null(strstr(text, "\"fused_activation_function\":0"));
    assert_non_null(strstr(text, "\"keep_num_dims\":false"));
    assert_int_equal(h5_read_text(group, "", "options", text, 8, &diag), STATUS_IO);

    assert_int_equal(h5_read_text(group, "", "data_set", type, sizeof type, &diag), STATUS_OK);
    while (strcmp(data_set_name(request.set), type) != 0)
        assert_true(++request.set < SET_COUNT);
    assert_true(case_has_set(c, request.set));
    assert_int_equal(case_build(c, &request, &instance, &diag), STATUS_OK);
    assert_int_equal(golden_hash(&instance, model_hash, inputs_hash, &diag), STATUS_OK);
    assert_int_equal(h5_read_text(group, "", "model_sha256", text, sizeof text, &diag), STATUS_OK);
    assert_string_equal(text, model_hash);
    assert_int_equal(h5_read_text(group, "", "inputs_sha256", text, sizeof text, &diag), STATUS_OK);
    assert_string_equal(text, inputs_hash);
    bytes = mem_alloc(instance.file.count, 1);
    assert_int_equal(h5_read_array(group, "", "model",
                                   &(struct h5_array){ .type = kTfLiteUInt8,
                                                       .rank = 1,
                                                       .dims = { (int32_t)instance.file.count },
                                                       .data = bytes,
                                                       .bytes = instance.file.count },
                                   &diag),
                     STATUS_OK);
    assert_memory_equal(bytes, instance.file.bytes, instance.file.count);
    mem_free(bytes);
    case_instance_close(&instance);
    h5_close(group);
    h5_close(types);
    h5_close(op);
    h5_close(file);
    assert_int_equal(export_cases("nothing", 1, &bytes, &count, &diag), STATUS_USAGE);
}

/* So many of an op; with data of fp16 the inputs are others, and f16 values. */
TEST(export_of_some_in_half)
{
    struct golden_request request = {
        .filters = ONE("relu.f32.*"), .quiet = true, .seed = 7, .limit = 3, .bounds = BOUNDS_FP16
    };
    hid_t file, op, types, group, inputs;
    size_t count, members;
    struct diag diag;
    uint8_t *bytes;
    float x[15];
    struct h5_array a = {
        .type = kTfLiteFloat32, .rank = 4, .dims = { 1, 3, 5, 1 }, .data = x, .bytes = sizeof x
    };

    assert_int_equal(golden_export(&request, &bytes, &count, &diag), STATUS_OK);
    save(bytes, count);
    mem_free(bytes);
    assert_int_equal(h5_open_file(path, &file, &diag), STATUS_OK);
    assert_int_equal(h5_open(file, "/", "relu", H5I_GROUP, &op, &diag), STATUS_OK);
    assert_int_equal(h5_open(op, "/", "f32", H5I_GROUP, &types, &diag), STATUS_OK);
    assert_int_equal(h5_count(types, "", 10000, &members, &diag), STATUS_OK);
    assert_int_equal(members, 3);
    assert_int_equal(h5_open(types, "/", "c1", H5I_GROUP, &group, &diag), STATUS_OK);
    assert_int_equal(h5_open(group, "", "inputs", H5I_GROUP, &inputs, &diag), STATUS_OK);
    assert_int_equal(h5_read_array(inputs, "", "0", &a, &diag), STATUS_OK);
    h5_close(inputs);
    for (size_t i = 0; i < 15; i++)
        assert_true(x[i] == half_to_float(float_to_half(x[i])));
    h5_close(group);
    h5_close(types);
    h5_close(op);
    h5_close(file);
}

/* Every data set of an op's cases is exported. */
TEST(export_takes_turns)
{
    unsigned seen = 0;
    struct golden_case g;
    struct diag diag;
    uint8_t *bytes;
    size_t count, members;
    hid_t file, op, types, group;

    assert_int_equal(export_cases("conv_2d.f32.*", 1, &bytes, &count, &diag), STATUS_OK);
    save(bytes, count);
    mem_free(bytes);
    assert_int_equal(h5_open_file(path, &file, &diag), STATUS_OK);
    assert_int_equal(h5_open(file, "/", "conv_2d", H5I_GROUP, &op, &diag), STATUS_OK);
    assert_int_equal(h5_open(op, "/", "f32", H5I_GROUP, &types, &diag), STATUS_OK);
    assert_int_equal(h5_count(types, "", 10000, &members, &diag), STATUS_OK);
    assert_int_equal(h5_count(types, "", 3, &members, &diag), STATUS_IO);
    for (size_t i = 0; i < members; i++) {
        char text[16];

        assert_int_equal(h5_name(types, "", i, g.name, sizeof g.name, &diag), STATUS_OK);
        assert_int_equal(h5_open(types, "", g.name, H5I_GROUP, &group, &diag), STATUS_OK);
        assert_int_equal(h5_read_text(group, "", "data_set", text, sizeof text, &diag), STATUS_OK);
        seen |= 1U << (text[1] - '0');
        h5_close(group);
    }
    assert_int_equal(seen, SETS_ALL);
    h5_close(types);
    h5_close(op);
    h5_close(file);
}

static int set_up(void **state)
{
    struct test_case *list;
    struct diag diag;

    (void)state;
    if (!mkdtemp(directory) || cases_list(&list, &case_count, &diag) != STATUS_OK)
        return -1;
    cases = list;
    snprintf(path, sizeof path, "%s/x.h5", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mem_free((void *)(uintptr_t)cases);
    unlink(path);
    return rmdir(directory);
}

TEST_FILE(.setup = set_up, .teardown = tear_down);
