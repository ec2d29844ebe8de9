/* Which nodes of a graph the delegate takes on devices of other limits, with other options and with
 * constants of other forms.  fuzz/hostile has the models of each rule (test_rules). */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/graph/import.h"

#include <math.h>

enum { NODES = 13 };

/* One node of each op, in this order. */
enum {
    CONV,
    DEPTHWISE,
    POOL,
    PAD,
    RELU,
    RELU6,
    MUL,
    MEAN,
    RESHAPE,
    DEQUANTIZE,
    DENSE,
    ADD,
    SOFTMAX
};

static void make(struct model *m)
{
    kit_text(m,
             "tensors x:f32[1,6,6,3] conv:f32[1,6,6,8] depthwise:f32[1,6,6,8] pool:f32[1,3,3,8]\n"
             "tensors pad:f32[1,5,3,8] relu:f32[1,5,3,8] relu6:f32[1,5,3,8] mul:f32[1,5,3,8]\n"
             "tensors mean:f32[1,8] reshape:f32[2,4] weights:f32[5,4] dense:f32[2,5] add:f32[2,5]\n"
             "CONV_2D {stride_w=1 stride_h=1} x f32[8,3,3,3]=0 f32[8]=0 -> conv\n"
             "DEPTHWISE_CONV_2D {stride_w=1 stride_h=1 depth_multiplier=1} conv f32[1,3,3,8]=0 "
             "f32[8]=0 -> depthwise\n"
             "AVERAGE_POOL_2D {stride_w=2 stride_h=2 filter_width=2 filter_height=2} depthwise -> "
             "pool\n"
             "PAD pool i32[4,2]=0,0,1,1,0,0,0,0 -> pad\n"
             "RELU pad -> relu\n"
             "RELU6 relu -> relu6\n"
             "MUL {} relu6 f32[8]=0 -> mul\n"
             "MEAN {} mul i32[2]=1,2 -> mean\n"
             "RESHAPE {} mean i32[2]=2,4 -> reshape\n"
             "DEQUANTIZE:3 f16[5,4]=0 -> weights\n"
             "FULLY_CONNECTED {} reshape weights f32[5]=0 -> dense\n"
             "ADD {} dense dense -> add\n"
             "SOFTMAX {beta=1} add -> softmax:f32[2,5]\n");
}

static const struct refusal *refusal_of(const struct decision *d, int host_node)
{
    for (int i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].host_node == host_node)
            return &d->refusals[i];
    return NULL;
}

static void look_all_taken(struct graph *g, void *user)
{
    const struct device_limits *limits = user;
    OPTIONS(o, "precision", limits->storage_16bit ? "fp16" : "fp32");
    struct decision decision CLOSED_BY(decision_close);

    KIT_OK(decision_make(&decision, g, &o, limits, &err));
    if (decision.refusal_count > 0)
        fail_msg("%s: %s is %s", decision.refusals[0].rule, decision.refusals[0].field,
                 decision.refusals[0].value);
}

TEST(all_taken)
{
    struct device_limits limits = gpu_large_limits();

    MODEL_BY(m, make(&m));
    gpu_look(&m, look_all_taken, &limits);
    limits = device_limits_minimum;
    gpu_look(&m, look_all_taken, &limits);
}

/* ---- limits of the device ---- */

static void look_tensor_bytes(struct graph *g, void *user)
{
    const bool *fits = user;
    struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);

    /* The largest tensors are [1,6,6,8]: 36 rows of 2 slices of 16 bytes; packed weights of the
     * convolution: 9 taps of 4 channels by 2 slices of 16 bytes. */
    limits.max_storage_buffer_range = *fits ? 1152 : 1151;
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, g, &o, &limits, &err));
    for (int n = CONV; n <= POOL; n++) {
        const struct refusal *r = refusal_of(&d, n);

        assert_int_equal(d.take[n], *fits);
        if (!*fits) {
            assert_string_equal(r->rule, "limits.tensor_bytes");
            assert_non_null(strstr(r->limit, "1151"));
        }
    }
    assert_true(d.take[SOFTMAX]);
}

static void look_constant_bytes(struct graph *g, void *user)
{
    struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);

    (void)user;
    for (int i = 0; i < g->tensor_count; i++)
        if (g->tensors[i].rank == 4 && !g->tensors[i].data)
            g->tensors[i].dims[1] = g->tensors[i].dims[2] = 1, g->tensors[i].elements = 3;
    limits.max_storage_buffer_range = 1024;
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, g, &o, &limits, &err));
    assert_string_equal(refusal_of(&d, CONV)->rule, "limits.constant_bytes");
}

TEST(limits_of_the_device)
{
    bool fits = true;

    MODEL_BY(m, make(&m));
    gpu_look(&m, look_tensor_bytes, &fits);
    fits = false;
    gpu_look(&m, look_tensor_bytes, &fits);
    gpu_look(&m, look_constant_bytes, NULL);
}

/* ---- options ---- */

static void taken_with(struct graph *g, const char *const *pairs, const char *expected)
{
    const struct device_limits limits = gpu_large_limits();
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    char got[NODES + 1] = { 0 };
    struct decision d CLOSED_BY(decision_close);

    KIT_OK(decision_make(&d, g, &o, &limits, &err));
    for (int i = 0; i < NODES; i++)
        got[i] = d.take[i] ? 'x' : '.';
    if (strcmp(got, expected) != 0)
        fail_msg("%s=%s: %s, expected %s", pairs[0], pairs[1], got, expected);
}

#define WITH(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void look_options(struct graph *g, void *user)
{
    (void)user;
    /* The DEQUANTIZE of weights is refused with its reader. */
    taken_with(g, WITH("first_node", "2"), "..xxxxxxxxxxx");
    taken_with(g, WITH("last_node", "4"), "xxxxx........");
    taken_with(g, WITH("first_node", "3", "last_node", "3"), "...x.........");
    taken_with(g, WITH("include", "CONV_2D,4-6,12"), "x...xxx.....x");
    taken_with(g, WITH("exclude", "RELU,RELU6"), "xxxx..xxxxxxx");
    taken_with(g, WITH("exclude", "re*"), "xxxx..xx.xxxx");
    taken_with(g, WITH("exclude", "FULLY_CONNECTED"), "xxxxxxxxx..xx");
    taken_with(g, WITH("include", "nothing"), ".............");
}

TEST(placement_options)
{
    MODEL_BY(m, make(&m));
    gpu_look(&m, look_options, NULL);
}

/* ---- weights beyond the range of f16 ---- */

static void look_f16_range(struct graph *g, void *user)
{
    static float w[8 * 27];
    const float *value = user;
    const struct device_limits limits = gpu_large_limits();
    OPTIONS(o, "precision", "fp16");

    w[100] = *value;
    g->tensors[g->nodes[CONV].inputs[1]].data = w;
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, g, &o, &limits, &err));
    assert_int_equal(d.take[CONV], *value <= 65504.0f);
    if (!d.take[CONV])
        assert_string_equal(refusal_of(&d, CONV)->rule, "constant.f16_range");
}

TEST(weights_in_the_range_of_f16)
{
    float values[] = { 65504.0f, 65505.0f, INFINITY, NAN };

    MODEL_BY(m, make(&m));
    for (int i = 0; i < 4; i++)
        gpu_look(&m, look_f16_range, &values[i]);
}

/* ---- constants as the host keeps them ---- */

/* The weights of CONV_2D in the host, and which rule refuses the node for them. */
struct host_constant {
    bool sparse;
    int more_bytes; /* than its shape and type need */
    const char *rule;
    const char *value;
};

static TfLiteStatus import_changed(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const struct host_constant *const want = delegate->data_;
    const struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);
    static TfLiteSparsity sparsity; /* only whether there is one counts */
    TfLiteRegistration *registration;
    TfLiteNode *node;
    const struct refusal *r;
    TfLiteTensor *weights;
    size_t bytes;

    assert_int_equal(context->GetNodeAndRegistration(context, CONV, &node, &registration),
                     kTfLiteOk);
    weights = &context->tensors[node->inputs->data[1]];
    bytes = weights->bytes;
    weights->sparsity = want->sparse ? &sparsity : NULL;
    weights->bytes += (size_t)want->more_bytes;
    struct graph g CLOSED_BY(graph_close);
    KIT_OK(graph_import(&g, context, &err));
    assert_int_equal(g.tensors[node->inputs->data[1]].data == NULL, want->rule != NULL);
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, &g, &o, &limits, &err));
    r = refusal_of(&d, CONV);
    assert_int_equal(d.take[CONV], want->rule == NULL);
    if (want->rule) {
        assert_non_null(r);
        assert_string_equal(r->rule, want->rule);
        assert_string_equal(r->value, want->value);
    }
    weights->sparsity = NULL;
    weights->bytes = bytes;
    return kTfLiteOk;
}

TEST(constants_of_another_form)
{
    const struct host_constant constants[] = {
        { false, 0, NULL, NULL },
        { true, 0, "tensor.sparse", "sparse" },
        { true, -400, "tensor.sparse", "sparse" },
        { false, -4, "tensor.bytes", "860" },
        { false, 4, "tensor.bytes", "868" },
        { false, 1, "tensor.bytes", "865" },
    };

    MODEL_BY(m, make(&m));
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        struct host_constant want = constants[i];
        TfLiteDelegate delegate = { .data_ = &want, .Prepare = import_changed };

        struct interpreter *in CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&in, &m, NULL, &err));
        KIT_OK(interpreter_apply_delegate(in, &delegate, NULL, &err));
    }
}
