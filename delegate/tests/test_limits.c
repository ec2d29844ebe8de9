/* Plans against the limits of recorded devices: nets that fit, with each step within the limits;
 * and graphs that do not fit, which are refused with need and limit. */
#include "conformance/tests/kit/nets.h"
#include "delegate/tests/kit/device_profiles.h"
#include "delegate/tests/kit/world.h"
#include "reference/base/limits.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

static struct gpu_device_profiles devices;

/* Checks the limits again, without plan_check_limits. */
static void check_step(const struct plan_step *s, const struct device_limits *l)
{
    uint64_t invocations = 1;

    for (int i = 0; i < 3; i++) {
        assert_true(s->spec[i] >= 1 && s->spec[i] <= l->max_workgroup_size[i]);
        assert_true(s->groups[i] >= 1 && s->groups[i] <= l->max_workgroup_count[i]);
        invocations *= s->spec[i];
    }
    assert_true(invocations <= l->max_workgroup_invocations);
    assert_true(s->push_bytes <= l->max_push_constants_bytes && s->push_bytes <= 128);
    assert_true(s->shared_bytes <= l->max_shared_memory_bytes);
    for (int b = 0; b < PLAN_BINDINGS; b++) {
        if (s->bindings[b].location == LOCATION_NONE)
            continue;
        assert_true(s->bindings[b].bytes > 0);
        assert_true(s->bindings[b].bytes <= l->max_storage_buffer_range);
        assert_true(s->bindings[b].offset % l->storage_buffer_offset_alignment == 0);
    }
}

static void check_plan(const struct plan *p, const struct device_limits *l)
{
    assert_true(p->step_count > 0);
    for (int i = 0; i < p->step_count; i++)
        check_step(p->steps[i], l);
    assert_true(p->arena_bytes <= l->max_memory_allocation_bytes);
    assert_true(p->constant_bytes <= l->max_memory_allocation_bytes);
}

static void look_net(struct graph *g, void *user)
{
    const struct device_limits *const l = user;

    for (int half = 0; half <= (l->storage_16bit ? 1 : 0); half++) {
        struct gpu_options o =
            gpu_options_of((const char *const[]){ "precision", half ? "fp16" : "fp32", NULL });
        struct plan p;

        gpu_plan_graph(&p, g, &o, l, &err);
        check_plan(&p, l);
        plan_close(&p);
        options_close(&o);
    }
}

TEST(nets_that_fit)
{
    struct model m[2];

    net_mobilenet(&m[0]);
    net_deeplab(&m[1]);
    for (int i = 0; i < devices.count; i++)
        for (int n = 0; n < 2; n++)
            gpu_look(&m[n], look_net, &devices.at[i].limits);
    model_close(&m[0]);
    model_close(&m[1]);
}

/* Every op of the delegate, in fp32, and in fp16 if the device has 16-bit storage. */
TEST(each_op_fits)
{
    static struct world w;

    for (int i = 0; i < devices.count; i++)
        for (int half = 0; half < 2; half++) {
            const bool possible = !half || devices.at[i].limits.storage_16bit;

            world_make(&w);
            w.limits = devices.at[i].limits;
            w.pairs[0] = "precision";
            w.pairs[1] = half ? "fp16" : "fp32";
            struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(w.pairs);
            graph_count_readers(&w.graph);
            struct decision d CLOSED_BY(decision_close);
            KIT_OK(decision_make(&d, &w.graph, &o, &w.limits, &err));
            assert_int_equal(d.refusal_count, possible ? 0 : NODES);
            for (int n = 0; n < NODES; n++) {
                if (!possible) {
                    assert_string_equal(d.refusals[n].rule, "limits.storage_16bit");
                    continue;
                }
                struct plan p CLOSED_BY(plan_close);
                KIT_OK(world_plan(&p, &w, n, &o, &err));
                for (int s = 0; s < p.step_count; s++)
                    check_step(p.steps[s], &w.limits);
            }
        }
}

/* ---- graphs that do not fit ---- */

struct large {
    const struct device_limits *limits;
    uint64_t need;
    bool fits;
};

static void look_large(struct graph *g, void *user)
{
    const struct large *const large = user;
    OPTIONS(o, NULL);
    struct diag diag = { 0 };
    char text[64];
    struct decision d CLOSED_BY(decision_close);

    KIT_OK_DIAG(decision_make(&d, g, &o, large->limits, &diag), diag);
    assert_int_equal(d.take[0], large->fits);
    if (!large->fits) {
        assert_string_equal(d.refusals[0].rule, "limits.tensor_bytes");
        snprintf(text, sizeof text, "%llu", (unsigned long long)large->need);
        assert_string_equal(d.refusals[0].value, text);
        snprintf(text, sizeof text, "%llu (maxStorageBufferRange)",
                 (unsigned long long)large->limits->max_storage_buffer_range);
        assert_string_equal(d.refusals[0].limit, text);
    } else if (large->need > large->limits->max_memory_allocation_bytes) {
        struct plan p; /* a binding may be in range while its buffer cannot be allocated */

        assert_int_equal(gpu_try_plan_graph(&p, g, &o, large->limits, &diag), STATUS_UNSUPPORTED);
        assert_non_null(strstr(diag.text, "bytes in one block, the device allows"));
    } else {
        look_net(g, (void *)large->limits);
    }
}

TEST(tensors_too_large)
{
    for (int i = 0; i < devices.count; i++) {
        const struct device_limits *const l = &devices.at[i].limits;
        struct large large = { .limits = l, .fits = true };
        int32_t side = 1;

        /* The largest side that fits, and the next. */
        while ((uint64_t)(side + 1) * (uint64_t)(side + 1) * 16 <= l->max_storage_buffer_range)
            side++;
        for (int more = 0; more < 2; more++) {
            MODEL(m, "RELU x:f32[1,%d,%d,3] -> y", side + more, side + more);
            large.fits = !more;
            large.need = (uint64_t)(side + more) * (uint64_t)(side + more) * 16;
            gpu_look(&m, look_large, &large);
        }
    }
}

enum { PADS = 3 };

/* PADV2 of [5] to each of these vectors. */
static void make_pads(struct model *m, const int32_t sizes[PADS])
{
    kit_text(m,
             "PADV2 x:f32[5] i32[1,2]=1,%d fill:f32[1]=2 -> f32[%d]\n"
             "PADV2 x i32[1,2]=1,%d fill -> f32[%d]; PADV2 x i32[1,2]=1,%d fill -> f32[%d]",
             sizes[0] - 6, sizes[0], sizes[1] - 6, sizes[1], sizes[2] - 6, sizes[2]);
}

static void look_pads(struct graph *g, void *user)
{
    const char *const refusal = user;
    OPTIONS(o, NULL);
    struct diag diag = { 0 };
    struct plan p;

    if (!refusal) {
        KIT_OK_DIAG(gpu_try_plan_graph(&p, g, &o, &device_limits_minimum, &diag), diag);
        plan_close(&p);
    } else if (gpu_try_plan_graph(&p, g, &o, &device_limits_minimum, &diag) != STATUS_UNSUPPORTED ||
               !strstr(diag.text, refusal)) {
        fail_msg("expected \"%s\", found \"%s\"", refusal, diag.text);
    }
}

/* Tables by the sizes of tensors: together at most the limit. */
TEST(tables_too_large)
{
    static const struct {
        int32_t sizes[PADS];
        const char *refusal;
    } rows[] = {
        { { 50, 10, 40 }, NULL },
        { { 50, 10, 41 }, "41 words beside 240 bytes, more than limit table_bytes (400)" },
        { { 101, 10, 10 }, "101 words beside 0 bytes, more than limit table_bytes (400)" },
    };

    KIT_OK(limits_set("table_bytes=400", &err));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MODEL_BY(m, make_pads(&m, rows[i].sizes));
        gpu_look(&m, look_pads, (void *)rows[i].refusal);
    }
    KIT_OK(limits_set("table_bytes=64M", &err));
}

/* Lowers each limit below what real devices have, to show that it is checked. */
TEST(limits_one_by_one)
{
    static const struct {
        const char *text;
        size_t at;
        uint32_t value;
        int node;
    } low[] = {
        { "the device allows 7 x 128 x 64", offsetof(struct device_limits, max_workgroup_size[0]),
          7, DENSE },
        { "the device allows 128 x 7 x 64", offsetof(struct device_limits, max_workgroup_size[1]),
          7, DENSE },
        { "63 in all", offsetof(struct device_limits, max_workgroup_invocations), 63, DENSE },
        { "1024 bytes of shared memory, the device allows 1023",
          offsetof(struct device_limits, max_shared_memory_bytes), 1023, DENSE },
        { "84 bytes of push constants, the device allows 83",
          offsetof(struct device_limits, max_push_constants_bytes), 83, PAD },
    };
    static struct world w;

    for (size_t i = 0; i < sizeof low / sizeof low[0]; i++) {
        struct diag diag = { 0 };
        OPTIONS(o, NULL);
        struct plan p CLOSED_BY(plan_close);
        uint32_t value = low[i].value;

        world_make(&w);
        w.limits = device_limits_minimum;
        memcpy((char *)&w.limits + low[i].at, &value, sizeof value);
        if (world_plan(&p, &w, low[i].node, &o, &diag) != STATUS_UNSUPPORTED ||
            !strstr(diag.text, low[i].text))
            fail_msg("\"%s\" is not in \"%s\"", low[i].text, diag.text);
        value++; /* now it fits */
        memcpy((char *)&w.limits + low[i].at, &value, sizeof value);
        diag_clear(&diag);
        KIT_OK_DIAG(world_plan(&p, &w, low[i].node, &o, &diag), diag);
    }
}

/* Figures of a recorded device. */
TEST(what_was_read)
{
    if (devices.recorded == 0)
        skip();
    for (int i = devices.count - devices.recorded; i < devices.count; i++) {
        const struct device_limits *const l = &devices.at[i].limits;

        print_message("recorded: %s, %llu MiB\n", devices.at[i].name,
                      (unsigned long long)l->memory_bytes >> 20);
        assert_true(l->max_storage_buffer_range >= 1u << 27);
        assert_true(l->storage_buffer_offset_alignment >= 1 &&
                    l->storage_buffer_offset_alignment <= PLAN_ALIGN);
        assert_true(l->max_memory_allocation_bytes >= 1u << 30);
        assert_true(l->max_workgroup_invocations >= 128 && l->max_workgroup_size[0] >= 128);
        assert_true(l->max_workgroup_count[0] >= 65535 && l->max_workgroup_count[1] >= 65535);
        assert_true(l->max_shared_memory_bytes >= 16384 && l->max_push_constants_bytes >= 128);
        assert_true(l->memory_bytes >= 1u << 28);
        if (strcmp(devices.at[i].name, "NVIDIA H200") == 0) {
            assert_int_equal(l->max_storage_buffer_range, 4294967295);
            assert_int_equal(l->memory_bytes, 150092709888); /* the budget, not the heap */
            assert_true(l->storage_16bit);
        }
    }
}

/* Tensors as large as a device takes are larger than what a model may usually ask for. */
FIXTURE(read_devices)
{
    if (limits_set("activation_bytes=64G", NULL) != STATUS_OK)
        return 1;
    profiles_all(&devices);
    return 0;
}

TEST_FILE(.setup = read_devices);
