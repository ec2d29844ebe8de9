/* `assay inspect --plan`: the steps that the delegate tells of, and where its tensors lie. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: libassay_delegate.so */
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/inspect/inspection.h"
#include "delegate/ops/elementwise/binary.args.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <stdlib.h>
#include <string.h>

static const char *path;
static bool have_device;

/* x [2,3,5] -> ADD of a constant -> RELU6 -> MEAN over the middle -> y, and z = RELU of y. */
FIXTURE(make_file)
{
    MODEL(m, "tensors \"t\\x0a\":f32[2,3,5] \"t\\x0a\":f32[2,3,5] \"t\\x0a\":f32[2,3,5]\n"
             "tensors \"t\\x0a\":f32[2,1,5] \"t\\x0a\":f32[2,1,5]\n"
             "ADD {} @0 c:f32[5]=1,2,3,4,5 -> @1\n"
             "RELU6 @1 -> @2\n"
             "MEAN {keep_dims=true} @2 a:i32[1]=1 -> @3\n"
             "RELU @3 -> @4");
    kit_save(&m, path = scratch("model.tflite"));
    return 0;
}

/* What is printed; free().  Constants are specialized, as on a GPU; in small plans of software
 * devices they would be pushed. */
static char *inspect(const char *delegate, const char *option, bool json)
{
    const bool ours = strstr(delegate, "libassay_delegate") != NULL;
    const bool switches = option && strstr(option, "no_kernel=") != NULL;
    const char *words[] = { option ? option : "no_kernel=thawed", "no_kernel=thawed" };
    const size_t count = (option ? 1 : 0) + (size_t)(ours && !switches);
    const struct string_list options = { words, count };
    struct inspection n;
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    KIT_OK(inspection_open(&n, path, delegate, &options, true, &err));
    n.plan = true;
    if (json)
        inspection_print_json(f, &n);
    else
        inspection_print_text(f, &n);
    inspection_close(&n);
    fclose(f);
    return text;
}

static json_t *plan_of(const char *delegate, const char *option)
{
    char *text CLOSED_BY(kit_free) = inspect(delegate, option, true);
    json_t *const report = json_loads(text, 0, NULL);
    json_t *const plan = json_incref(json_object_get(report, "plan"));

    assert_non_null(plan);
    json_decref(report);
    return plan;
}

static int number(json_t *o, const char *key)
{
    json_t *const v = json_object_get(o, key);

    if (!json_is_integer(v))
        fail_msg("%s is no integer", key);
    return (int)json_integer_value(v);
}

static json_t *at(json_t *o, const char *list, size_t i)
{
    return json_array_get(json_object_get(o, list), i);
}

TEST(steps_and_tensors)
{
    json_t *plan;
    size_t i, j;
    json_t *step, *binding;
    int written = 0;

    if (!have_device)
        skip();
    plan = plan_of(mock_path("../libassay_delegate.so"), NULL);
    assert_int_equal(number(json_object_get(plan, "transforms"), "activation"), 1);
    assert_int_equal(number(json_object_get(plan, "transforms"), "pad"), 0);
    /* load, ADD+RELU6, MEAN, RELU, store */
    assert_int_equal(json_array_size(json_object_get(plan, "steps")), 5);
    step = at(plan, "steps", 1);
    assert_string_equal(json_string_value(json_object_get(step, "shader")), "binary");
    assert_int_equal(
        strncmp(json_string_value(json_object_get(step, "label")), "ADD+RELU6 node 0 ", 17), 0);
    assert_int_equal(number(step, "node"), 0);
    assert_true(json_is_null(json_object_get(at(plan, "steps", 0), "node")));
    assert_int_equal(json_integer_value(at(step, "constants", BINARY_SPEC_OP)), BINARY_ADD);
    assert_int_equal(json_integer_value(at(step, "constants", BINARY_SPEC_ACTIVATION)),
                     kTfLiteActRelu6);
    assert_int_equal(json_integer_value(at(step, "constants", BINARY_SPEC_CONSTANT)), 2); /* b */
    assert_int_equal(json_integer_value(at(step, "push", 0)), 2 * 3 * 2); /* slices */
    assert_int_equal(json_integer_value(at(step, "workgroup", 0)),
                     json_integer_value(at(step, "constants", 0)));
    assert_true(json_integer_value(at(step, "grid", 0)) >= 1);
    json_array_foreach(json_object_get(plan, "steps"), i, step)
    {
        json_array_foreach(json_object_get(step, "bindings"), j, binding)
        {
            json_t *tensor;

            if (strcmp(json_string_value(json_object_get(binding, "space")), "arena") != 0) {
                assert_true(json_is_null(json_object_get(binding, "tensor")));
                continue;
            }
            tensor = at(plan, "tensors", (size_t)number(binding, "tensor"));
            assert_int_equal(number(tensor, "offset"), number(binding, "offset"));
            assert_int_equal(number(tensor, "bytes"), number(binding, "bytes"));
            assert_true(number(tensor, "first_step") <= (int)i);
            assert_true(number(tensor, "last_step") >= (int)i);
            written += json_is_true(json_object_get(binding, "writes"));
        }
    }
    assert_int_equal(written, 4); /* all but the store's */
    json_decref(plan);

    plan = plan_of(mock_path("../libassay_delegate.so"), "no_transform=activation,chain");
    assert_int_equal(number(json_object_get(plan, "transforms"), "activation"), 0);
    assert_int_equal(json_array_size(json_object_get(plan, "steps")), 6);
    json_decref(plan);
}

static double real(json_t *o, const char *key)
{
    json_t *const v = json_object_get(o, key);

    if (!json_is_real(v))
        fail_msg("%s is no real number", key);
    return json_real_value(v);
}

/* All nodes are one partition, which is taken by nodes; by cost it is not worth a submission. */
TEST(placement)
{
    static const char *const options[] = { "placement=nodes", "placement=cost_table",
                                           "placement=cost" };
    static const char *const rates[] = { "table", "table", "measured" };

    if (!have_device)
        skip();
    for (int i = 0; i < 3; i++) {
        json_t *const plan = plan_of(mock_path("../libassay_delegate.so"), options[i]);
        json_t *const p = json_object_get(plan, "placement"), *const part = at(p, "partitions", 0);
        char *text CLOSED_BY(kit_free);

        assert_string_equal(json_string_value(json_object_get(p, "order")),
                            strchr(options[i], '=') + 1);
        assert_string_equal(json_string_value(json_object_get(p, "rates")), rates[i]);
        assert_true(real(p, "submit_us") > 0 && real(p, "step_us") > 0);
        assert_true(real(p, "bytes_per_us") > 0 && real(p, "macs_per_us") > 0);
        assert_true(real(p, "cpu_macs_per_us") == 40000);
        assert_int_equal(json_array_size(json_object_get(p, "partitions")), 1);
        assert_int_equal(number(part, "first_node"), 0);
        assert_int_equal(number(part, "nodes"), 4);
        assert_true(real(part, "macs") == 0);
        assert_true(real(part, "elements") == 30 + 30 + 30 + 30 + 30 + 10 + 10 + 10);
        assert_int_equal(number(part, "bytes_in"), 30 * 4);
        assert_int_equal(number(part, "bytes_out"), 10 * 4);
        assert_true(real(part, "device_us") > real(part, "cpu_us"));
        assert_int_equal(json_is_true(json_object_get(part, "taken")), i == 0);
        if (i == 0)
            assert_true(json_is_null(json_object_get(part, "rule")));
        else
            assert_string_equal(json_string_value(json_object_get(part, "rule")),
                                "option.placement");
        json_decref(plan);
        text = inspect(mock_path("../libassay_delegate.so"), options[i], false);
        assert_non_null(strstr(text, "\nPlacement: by "));
        assert_non_null(strstr(text, "1 partition offered\n"));
        assert_non_null(
            strstr(text, i == 0 ? "us  taken\n" : "left to the CPU: option.placement\n"));
    }
}

/* The entry of a rewrite or kernel for a node (-1: none). */
static json_t *not_done(json_t *plan, const char *kind, const char *name, int node)
{
    size_t i;
    json_t *o;

    json_array_foreach(json_object_get(plan, "not_done"), i, o)
    {
        json_t *const found = json_object_get(o, "node");

        if (strcmp(json_string_value(json_object_get(o, "kind")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(o, "name")), name) == 0 &&
            (json_is_null(found) ? -1 : (int)json_integer_value(found)) == node)
            return o;
    }
    fail_msg("no reason of %s %s for node %d", kind, name, node);
    return NULL;
}

/* RELU behind MEAN stays a node, and says why, as does what an option switches off. */
TEST(reasons)
{
    const char *const options = "no_transform=activation", *text;
    char *printed CLOSED_BY(kit_free);
    json_t *plan, *o;

    if (!have_device)
        skip();
    plan = plan_of(mock_path("../libassay_delegate.so"), NULL);
    o = not_done(plan, "transform", "activation", 3);
    assert_string_equal(json_string_value(json_object_get(o, "op")), "RELU");
    assert_string_equal(json_string_value(json_object_get(o, "reason")),
                        "MEAN 2 has no fused activation");
    assert_int_equal(number(o, "partition"), 0);
    o = not_done(plan, "kernel", "half_rows", -1);
    assert_string_equal(json_string_value(json_object_get(o, "reason")), "precision=fp32");
    json_decref(plan);

    plan = plan_of(mock_path("../libassay_delegate.so"), options);
    o = not_done(plan, "transform", "activation", 1);
    assert_string_equal(json_string_value(json_object_get(o, "reason")),
                        "option no_transform=activation");
    json_decref(plan);

    printed = inspect(mock_path("../libassay_delegate.so"), options, false);
    text = strstr(printed, "\nNot done, and why: ");
    assert_non_null(text);
    assert_non_null(strstr(text, "  rewrite activation: MEAN 2 has no fused activation\n"
                                 "      RELU 3\n"));
    assert_non_null(strstr(text, "  rewrite activation: option no_transform=activation\n"
                                 "      RELU6 1\n"));
    assert_non_null(strstr(text, "  kernel half_rows: precision=fp32\n"));
}

TEST(as_text)
{
    static const char *const lines[] = { "activation      1  ",
                                         "identity        0  ",
                                         "(switched off)",
                                         "Plan: 7 steps",
                                         "     2  ADD+RELU6 node 0 't\\x0a'",
                                         "          binary, workgroup ",
                                         "          constants from 3: 0 0 0 3 2\n",
                                         " reads  input +0, ",
                                         " writes output +0, ",
                                         "6 x 5 channels of 2 B, 96 B, ",
                                         ", tensor 2 t\\x0a\n" };
    const char *const option = "precision=fp16", *idle;
    char *text;

    if (!have_device)
        skip();
    text = inspect(mock_path("../libassay_delegate.so"), option, false);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (i != 2 && !strstr(text, lines[i]))
            fail_msg("no \"%s\" in\n%s", lines[i], text);
    assert_null(strstr(text, lines[2]));
    /* The host converts: of each pair of load or store steps, f16 and f32, the first runs. */
    idle = strstr(text, "not dispatched");
    assert_non_null(idle);
    idle = strstr(idle + 1, "not dispatched");
    assert_non_null(idle);
    assert_null(strstr(idle + 1, "not dispatched"));
    free(text);
    text = inspect(mock_path("../libassay_delegate.so"), "no_transform=pad,unused", false);
    assert_non_null(strstr(text, lines[2]));
    free(text);
}

/* A library that does not export its plan, and no delegate at all. */
TEST(nobody_tells)
{
    char *text = inspect(mock_path("delegate.so"), NULL, false);
    json_t *plan;

    assert_non_null(strstr(text, "\nPlan: this library does not export it\n"));
    free(text);
    text = inspect("none", NULL, false);
    assert_non_null(strstr(text, "\nPlan: no delegate ran here\n"));
    free(text);
    plan = plan_of(mock_path("gpu.so"), NULL); /* knows steps, but no tensors */
    assert_true(json_is_null(plan));
    json_decref(plan);
}

static void find_plans(const char *file)
{
    const char *const ours = mock_path("../libassay_delegate.so");
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "no library";
    struct subject s;

    if (subject_init(&s, ours, NULL, &err) == STATUS_OK) {
        have_device = subject_load(&s, &err) == STATUS_OK &&
                      s.extras.devices(&any, 1, error, sizeof error) > 0;
        subject_close(&s);
    }
    if (!have_device)
        printf("skipped: %s: plans of the delegate: %s\n", file, error);
}

TEST_FILE(.before = find_plans, .setup = make_file);
