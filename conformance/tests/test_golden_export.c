/* Golden files: what the export of the cases for the real runtime holds. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/golden/file.h"
#include "conformance/suite/golden/golden.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/golden_kit.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/test.h"

#include <string.h>

static enum status export_cases(const char *filter, uint64_t seed, uint8_t **bytes, size_t *count,
                                struct diag *diag)
{
    const struct golden_request request = { .filters = { &filter, filter ? 1 : 0 },
                                            .seed = seed,
                                            .quiet = true };

    return golden_export(&request, bytes, count, diag);
}

/* The cases in f32 of the one op that was exported. */
struct exported {
    hid_t file, op, types;
};

static void open_exported(struct exported *e, const uint8_t *bytes, size_t count, const char *op)
{
    save_golden(bytes, count);
    assert_int_equal(h5_open_file(golden_kit_path, &e->file, &err), STATUS_OK);
    assert_int_equal(h5_open(e->file, "/", op, H5I_GROUP, &e->op, &err), STATUS_OK);
    assert_int_equal(h5_open(e->op, "/", "f32", H5I_GROUP, &e->types, &err), STATUS_OK);
}

static void close_exported(const struct exported *e)
{
    h5_close(e->types);
    h5_close(e->op);
    h5_close(e->file);
}

TEST(export_holds_the_cases)
{
    char text[512], model_hash[SHA256_HEX_BYTES], inputs_hash[SHA256_HEX_BYTES], type[8];
    const struct test_case *const c = kit_case("fully_connected.f32.k33_u33");
    struct case_instance instance;
    struct case_request request = { .seed = 5 };
    uint8_t *bytes, *again;
    size_t count, again_count;
    uint64_t value;
    struct exported e;
    hid_t group;

    assert_int_equal(export_cases("fully_connected.*", 5, &bytes, &count, &err), STATUS_OK);
    assert_int_equal(export_cases("fully_connected.*", 5, &again, &again_count, &err), STATUS_OK);
    assert_int_equal(count, again_count);
    assert_memory_equal(bytes, again, count); /* the same cases, the same bytes */
    open_exported(&e, bytes, count, "fully_connected");
    mem_free(bytes);
    mem_free(again);

    assert_int_equal(h5_open(e.types, "/", "k33_u33", H5I_GROUP, &group, &err), STATUS_OK);
    assert_int_equal(h5_read_uint(group, "", "builtin_code", 999, &value, &err), STATUS_OK);
    assert_int_equal(value, BUILTIN_FULLY_CONNECTED);
    assert_int_equal(h5_read_uint(group, "", "builtin_code", 8, &value, &err), STATUS_IO);
    assert_int_equal(h5_read_uint(group, "", "op_version", 999, &value, &err), STATUS_OK);
    assert_int_equal(value, c->version);
    assert_int_equal(h5_read_uint(group, "", "seed", UINT64_MAX, &value, &err), STATUS_OK);
    assert_int_equal(value, 5);
    assert_int_equal(h5_read_text(group, "", "options", text, sizeof text, &err), STATUS_OK);
    assert_non_null(strstr(text, "\"fused_activation_function\":0"));
    assert_non_null(strstr(text, "\"keep_num_dims\":false"));
    assert_int_equal(h5_read_text(group, "", "options", text, 8, &err), STATUS_IO);

    assert_int_equal(h5_read_text(group, "", "data_set", type, sizeof type, &err), STATUS_OK);
    while (strcmp(data_set_name(request.set), type) != 0)
        assert_true(++request.set < SET_COUNT);
    assert_true(case_has_set(c, request.set));
    assert_int_equal(case_build(c, &request, &instance, &err), STATUS_OK);
    assert_int_equal(golden_hash(&instance, model_hash, inputs_hash, &err), STATUS_OK);
    assert_int_equal(h5_read_text(group, "", "model_sha256", text, sizeof text, &err), STATUS_OK);
    assert_string_equal(text, model_hash);
    assert_int_equal(h5_read_text(group, "", "inputs_sha256", text, sizeof text, &err), STATUS_OK);
    assert_string_equal(text, inputs_hash);
    bytes = mem_alloc(instance.file.count, 1);
    KIT_OK(h5_read_array(group, "", "model",
                         &(struct h5_array){ .type = kTfLiteUInt8,
                                             .rank = 1,
                                             .dims = { (int32_t)instance.file.count },
                                             .data = bytes,
                                             .bytes = instance.file.count },
                         &err));
    assert_memory_equal(bytes, instance.file.bytes, instance.file.count);
    mem_free(bytes);
    case_instance_close(&instance);
    h5_close(group);
    close_exported(&e);
    assert_int_equal(export_cases("nothing", 1, &bytes, &count, &err), STATUS_USAGE);
    /* The most dimensions that a golden has. */
    assert_int_equal(export_cases("dynamic_update_slice.f32.rank8", 1, &bytes, &count, &err),
                     STATUS_OK);
    mem_free(bytes);
}

/* So many of an op; with data of fp16 the inputs are others, and f16 values. */
TEST(export_of_some_in_half)
{
    struct golden_request request = { .filters = { (const char *[]){ "relu.f32.*" }, 1 },
                                      .quiet = true,
                                      .seed = 7,
                                      .limit = 3,
                                      .bounds = BOUNDS_FP16 };
    struct exported e CLOSED_BY(close_exported);
    hid_t group, inputs;
    size_t count, members;
    uint8_t *bytes;
    float x[15];
    struct h5_array a = {
        .type = kTfLiteFloat32, .rank = 4, .dims = { 1, 3, 5, 1 }, .data = x, .bytes = sizeof x
    };

    assert_int_equal(golden_export(&request, &bytes, &count, &err), STATUS_OK);
    open_exported(&e, bytes, count, "relu");
    mem_free(bytes);
    assert_int_equal(h5_count(e.types, "", 10000, &members, &err), STATUS_OK);
    assert_int_equal(members, 3);
    assert_int_equal(h5_open(e.types, "/", "c1", H5I_GROUP, &group, &err), STATUS_OK);
    assert_int_equal(h5_open(group, "", "inputs", H5I_GROUP, &inputs, &err), STATUS_OK);
    assert_int_equal(h5_read_array(inputs, "", "0", &a, &err), STATUS_OK);
    h5_close(inputs);
    for (size_t i = 0; i < 15; i++)
        assert_true(x[i] == half_to_float(float_to_half(x[i])));
    h5_close(group);
}

/* Every data set of an op's cases is exported. */
TEST(export_takes_turns)
{
    unsigned seen = 0;
    struct golden_case g;
    uint8_t *bytes;
    size_t count, members;
    struct exported e CLOSED_BY(close_exported);
    hid_t group;

    assert_int_equal(export_cases("conv_2d.f32.*", 1, &bytes, &count, &err), STATUS_OK);
    open_exported(&e, bytes, count, "conv_2d");
    mem_free(bytes);
    assert_int_equal(h5_count(e.types, "", 10000, &members, &err), STATUS_OK);
    assert_int_equal(h5_count(e.types, "", 3, &members, &err), STATUS_IO);
    for (size_t i = 0; i < members; i++) {
        char text[16];

        assert_int_equal(h5_name(e.types, "", i, g.name, sizeof g.name, &err), STATUS_OK);
        assert_int_equal(h5_open(e.types, "", g.name, H5I_GROUP, &group, &err), STATUS_OK);
        assert_int_equal(h5_read_text(group, "", "data_set", text, sizeof text, &err), STATUS_OK);
        seen |= 1U << (text[1] - '0');
        h5_close(group);
    }
    assert_int_equal(seen, SETS_ALL);
}
TEST_FILE(.setup = golden_kit_open, .teardown = golden_kit_close);
