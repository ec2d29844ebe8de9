#include "conformance/tests/kit/golden_kit.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/golden/file.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/h5_external.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char golden_kit_directory[] = "/tmp/assay-golden-XXXXXX";
char golden_kit_path[64];

int golden_kit_open(void **state)
{
    if (!mkdtemp(golden_kit_directory))
        return -1;
    snprintf(golden_kit_path, sizeof golden_kit_path, "%s/x.h5", golden_kit_directory);
    return kit_cases_open(state);
}

int golden_kit_close(void **state)
{
    kit_cases_close(state);
    unlink(golden_kit_path);
    return rmdir(golden_kit_directory);
}

static struct h5_array array_of(const TfLiteTensor *t)
{
    struct h5_array a = {
        .type = t->type, .rank = ref_rank(t), .data = t->data.raw, .bytes = t->bytes
    };

    for (int d = 0; d < a.rank; d++)
        a.dims[d] = ref_dim(t, d);
    if (t->type == kTfLiteComplex64) { /* its parts, in a last dimension */
        a.type = kTfLiteFloat32;
        a.dims[a.rank++] = 2;
    }
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

/* The largest part of all, the real ones or the imaginary ones. */
static void spoil_part(float *data, size_t count, size_t part)
{
    size_t largest = part;

    for (size_t i = part; i < count; i += 2)
        if (fabsf(data[i]) > fabsf(data[largest]))
            largest = i;
    data[largest] *= 1.00001F;
}

static void round_to_half(float *data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        data[i] = half_to_float(float_to_half(data[i]));
}

static void spoil_values(enum spoil spoil, struct h5_array *a)
{
    float *const data = a->data;
    const size_t count = a->bytes / sizeof *data;

    if (spoil == WHOLE)
        data[0] = nextafterf(data[0], INFINITY);
    if (spoil == FIRST_BYTE)
        *(uint8_t *)a->data ^= 1;
    if (spoil == LAST_BYTE)
        ((uint8_t *)a->data)[a->bytes - 1] ^= 1;
    if (spoil == ONE_VALUE || spoil == WRONG || spoil == LAST_OUTPUT)
        data[count / 2] = data[count / 2] * 1.01F + 0.01F;
    if (spoil == NOT_A_NUMBER)
        data[0] = NAN;
    for (size_t i = 0; i < count && spoil == SHORTCUT; i++) {
        if (data[i] < 1.23e-4F) /* s(-9) */
            data[i] = data[i] / (1 - data[i]);
    }
    if (spoil == ONE_HALF || spoil == ROUNDED_INPUTS)
        round_to_half(data, count);
    for (size_t i = 0; i < count && spoil == ONE_ULP_LOTS; i++)
        data[i] += 5 * (nextafterf(fabsf(data[i]), INFINITY) - fabsf(data[i]));
}

static void write_outputs(hid_t group, enum spoil spoil, struct interpreter *in)
{
    size_t count;
    const int *const outputs = interpreter_outputs(in, &count);
    struct h5_array a =
        array_of(interpreter_tensor(in, outputs[spoil == LAST_OUTPUT ? count - 1 : 0]));
    hid_t sets;

    if (spoil == NO_OUTPUTS || spoil == SKIPPED)
        return;
    if (spoil == LINKED) {
        assert_true(H5Lcreate_soft("/relu", group, "outputs", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        return;
    }
    assert_int_equal(h5_make_group(group, "outputs", &sets, &err), STATUS_OK);
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
            assert_int_equal(h5_write_array(sets, name, &a, &err), STATUS_OK);
        }
    }
    h5_close(sets);
}

/* What a second invoke gives; which = 0: the first once more. */
static void write_again(hid_t group, struct interpreter *in, int which)
{
    hid_t again;

    if (which > 0)
        assert_int_equal(interpreter_invoke(in, &err), STATUS_OK);
    assert_int_equal(h5_make_group(group, "again", &again, &err), STATUS_OK);
    write_outputs(again, GOOD, in);
    h5_close(again);
}

/* Results of nodes that are no outputs of the graph. */
static void write_tensors(hid_t group, struct interpreter *in)
{
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
            assert_int_equal(h5_open(group, "", "tensors", H5I_GROUP, &sets, &err), STATUS_OK);
        else
            assert_int_equal(h5_make_group(group, "tensors", &sets, &err), STATUS_OK);
        assert_int_equal(h5_write_array(sets, name, &a, &err), STATUS_OK);
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
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);
    hid_t sets;

    if (spoil != STORED && spoil != STORED_OTHER && spoil != STORED_INPUT)
        return;
    instance->file.bytes[instance->file.count - 1] ^= spoil == STORED_OTHER;
    assert_int_equal(h5_write_array(group, "model", &a, &err), STATUS_OK);
    assert_int_equal(h5_make_group(group, "inputs", &sets, &err), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        char name[24];

        a = array_of(interpreter_tensor(in, inputs[i]));
        snprintf(name, sizeof name, "%zu", i);
        ((uint8_t *)a.data)[0] ^= spoil == STORED_INPUT && i + 1 == count;
        assert_int_equal(h5_write_array(sets, name, &a, &err), STATUS_OK);
        ((uint8_t *)a.data)[0] ^= spoil == STORED_INPUT && i + 1 == count;
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
    assert_int_equal(golden_hash(instance, model, inputs, &err), STATUS_OK);
    if (spoil == OTHER_MODEL)
        model[0] = model[0] == '0' ? '1' : '0';
    if (spoil == OTHER_INPUTS || spoil == WRONG_OTHER)
        inputs[5] = inputs[5] == '0' ? '1' : '0';
    if (spoil == BAD_HASH)
        model[0] = 'G';
    h5_write_uint(group, "builtin_code", (uint64_t)c->code, &err);
    h5_write_uint(group, "op_version", (uint64_t)c->version + (spoil == OTHER_VERSION), &err);
    if (spoil == TEXT_SEED)
        h5_write_text(group, "seed", "1", &err);
    else if (spoil != NO_SEED)
        h5_write_uint(group, "seed", spoil == OTHER_SEED ? 8 : 7, &err);
    h5_write_text(group, "data_set", spoil == BAD_SET ? "S9" : spoil == WHOLE ? "S2" : "S0", &err);
    h5_write_text(group, "options", "{}", &err);
    if (spoil == VARIABLE_HASH)
        variable_text(group, "model_sha256", model);
    else
        h5_write_text(group, "model_sha256", model, &err);
    h5_write_text(group, "inputs_sha256", inputs, &err);
    if (spoil == SKIPPED)
        h5_write_text(group, "skipped", "the runtime has no such thing", &err);
    if (spoil == WRONG || spoil == WRONG_NOT || spoil == WRONG_OTHER || spoil == WRONG_NO_TENSORS)
        h5_write_text(group, "wrong", "the runtime forgets an element", &err);
}

static void write_meta(hid_t file, enum spoil spoil, const char *lines)
{
    char hash[SHA256_HEX_BYTES];
    hid_t meta;

    if (spoil == NO_META)
        return;
    sha256_hex(lines, strlen(lines), hash);
    assert_int_equal(h5_make_group(file, "meta", &meta, &err), STATUS_OK);
    h5_write_uint(meta, "schema", GOLDEN_SCHEMA + (spoil == BAD_SCHEMA), &err);
    h5_write_text(meta, "runtime", spoil == FLOAT64 ? "numpy" : "itself", &err);
    h5_write_text(meta, "runtime_version", "0", &err);
    h5_write_text(meta, "resolver", spoil == FLOAT64 ? "float64" : "REFERENCE", &err);
    if (spoil == BAD_CASES)
        hash[3] = hash[3] == 'a' ? 'b' : 'a';
    h5_write_text(meta, "cases_sha256", hash, &err);
    h5_close(meta);
}

void save_golden(const void *bytes, size_t count)
{
    assert_int_equal(file_write(golden_kit_path, bytes, count, &err), STATUS_OK);
}

static void spoil_first(enum spoil spoil, struct interpreter *in)
{
    const TfLiteNode *const first = interpreter_node(in, 0);
    const TfLiteTensor *const t = interpreter_tensor(in, first->outputs->data[0]);
    TfLiteTensor *state = NULL;

    for (int i = 0; i < first->inputs->size; i++) {
        TfLiteTensor *const x = interpreter_tensor(in, first->inputs->data[i]);

        if (x->is_variable && x->bytes == t->bytes &&
            memcmp(x->data.raw, t->data.raw, t->bytes) == 0)
            state = x;
    }
    for (size_t i = 0; i < t->bytes / sizeof(float) && spoil == MOVED; i++)
        t->data.f[i] = nextafterf(t->data.f[i], INFINITY);
    if (state)
        memcpy(state->data.raw, t->data.raw, t->bytes);
    if (spoil != MOVED)
        spoil_part((float *)t->data.data, t->bytes / sizeof(float), spoil == IMAGINARY_PART);
    for (size_t n = 1; n < interpreter_node_count(in); n++)
        assert_int_equal(interpreter_eval_node(in, (int)n, NULL, &err), STATUS_OK);
}

void make_golden(const char *name, enum spoil spoil)
{
    const struct interpreter_options options = { .preserve_all = true };
    const struct test_case *const c = kit_case(name);
    const struct case_request request = { .set = spoil == WHOLE ? SET_INTEGERS : SET_RANDOM,
                                          .seed = 7,
                                          .half = spoil == ONE_HALF || spoil == ROUNDED_INPUTS };
    char model_hash[SHA256_HEX_BYTES], inputs_hash[SHA256_HEX_BYTES], lines[512];
    char group_path[CASE_NAME_BYTES], file_name[CASE_NAME_BYTES];
    struct model model CLOSED_BY(model_close);
    struct case_instance instance CLOSED_BY(case_instance_close);
    struct interpreter *in;
    uint8_t *bytes;
    size_t count, variables;
    const int *inputs;
    hid_t file, group;

    assert_int_equal(case_build(c, &request, &instance, &err), STATUS_OK);
    KIT_OK(tflite_read(&model, instance.file.bytes, instance.file.count, &err));
    assert_int_equal(interpreter_open(&in, &model, &options, &err), STATUS_OK);
    assert_int_equal(interpreter_allocate(in, &err), STATUS_OK);
    inputs = interpreter_inputs(in, &count);
    for (size_t i = 0; i < count; i++)
        memcpy(interpreter_tensor(in, inputs[i])->data.raw, instance.inputs[i].data[0],
               instance.inputs[i].bytes);
    for (size_t i = 0; i < count && spoil == ROUNDED_INPUTS; i++)
        round_to_half(interpreter_tensor(in, inputs[i])->data.f,
                      instance.inputs[i].bytes / sizeof(float));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_OK);
    if (spoil == MOVED || spoil == REAL_PART || spoil == IMAGINARY_PART)
        spoil_first(spoil, in);

    assert_int_equal(h5_image_open(&file, &err), STATUS_OK);
    snprintf(file_name, sizeof file_name, "%s%s", name,
             spoil == OTHER_NAME ? "_gone"
             : spoil == BAD_NAME ? "(!)"
                                 : "");
    golden_case_path(file_name, group_path);
    assert_int_equal(h5_make_group(file, group_path, &group, &err), STATUS_OK);
    write_attributes(group, spoil, c, &instance, model_hash, inputs_hash);
    write_stored(group, spoil, &instance, in);
    if (spoil != NO_TENSORS && spoil != WRONG_NO_TENSORS)
        write_tensors(group, in);
    interpreter_variables(in, &variables);
    if (spoil == STATE_ONCE)
        assert_int_equal(interpreter_invoke(in, &err), STATUS_OK);
    write_outputs(group, spoil, in); /* last: spoils tensors */
    if (variables > 0 && spoil != NO_AGAIN)
        write_again(group, in, spoil != STATE_LOST);
    h5_close(group);
    snprintf(lines, sizeof lines, "%s %s %s\n", file_name, model_hash, inputs_hash);
    write_meta(file, spoil, lines);
    assert_int_equal(h5_image_close(file, &bytes, &count, &err), STATUS_OK);
    save_golden(bytes, count);
    mem_free(bytes);
    interpreter_close(in);
}

enum status check_golden(const char *from, const char *filter, struct golden_report *report,
                         struct diag *diag)
{
    const struct golden_request request = { .directory = from,
                                            .filters = { &filter, filter ? 1 : 0 },
                                            .quiet = true };

    return golden_check(&request, report, diag);
}

void golden_passes(const char *name, double margin)
{
    struct golden_report report CLOSED_BY(golden_report_close);

    KIT_OK(check_golden(golden_kit_directory, name, &report, &err));
    if (report.failure_count > 0)
        fail_msg("%s: %s", report.failures[0].name, report.failures[0].reason);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed + report.missing + report.skipped, 0);
    assert_int_equal(report.op_count, 1);
    assert_true(report.ops[0].margin <= margin);
    assert_string_equal(report.runtime, "itself");
}

void golden_fails(const char *name, const char *word)
{
    struct golden_report report CLOSED_BY(golden_report_close);

    assert_int_equal(check_golden(golden_kit_directory, name, &report, &err), STATUS_OK);
    assert_true(report.failed >= 1);
    assert_true(report.failure_count >= 1);
    if (!strstr(report.failures[0].reason, word))
        fail_msg("'%s' is not in '%s'", word, report.failures[0].reason);
}

void golden_is_refused(const char *name, const char *word)
{
    struct golden_report report;
    struct diag diag = { .status = STATUS_OK };
    enum status s = check_golden(golden_kit_directory, name, &report, &diag);

    if (s != STATUS_IO && s != STATUS_UNSUPPORTED)
        fail_msg("want '%s', got status %d and '%s'", word, (int)s,
                 s == STATUS_OK && report.failure_count ? report.failures[0].reason : diag.text);
    assert_non_null(strstr(diag.text, golden_kit_path));
    if (!strstr(diag.text, word))
        fail_msg("'%s' is not in '%s'", word, diag.text);
    assert_null(report.failures);
}
