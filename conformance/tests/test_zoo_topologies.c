/* The topologies of the zoo: published sizes, activations that stay sane in all types. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/models/zoo.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The next topology from *i on that looks at pictures or sounds; NULL past the end. */
static const struct zoo_entry *next_entry(size_t *i)
{
    const struct zoo_entry *e;

    do
        e = zoo_at((*i)++);
    while (e && e->weights_alone);
    return e;
}

static const struct zoo_entry *entry(const char *name)
{
    const struct zoo_entry *e = NULL;

    assert_int_equal(zoo_find(&e, name, &err), STATUS_OK);
    return e;
}

/* The published figures count two parameters, scale and offset, for each channel that is
 * normalized; folded there is a bias alone.  A figure that is published rounded may be off by what
 * `within` says. */
static const struct {
    const char *name;
    double width;
    uint32_t resolution; /* 0: default */
    uint64_t published, normalized;
    double parameters_within;
    double multiply_adds, within; /* in millions */
} sizes[] = {
    { "mobilenet_v1", 1, 0, 4231976 + 1025, 10944, 0, 569, 0.5 }, /* a class more, for nothing */
    { "mobilenet_v1", 0.75, 0, 2590000, 8208, 5000, 325, 0.5 },
    { "mobilenet_v1", 0.25, 128, 470000, 2736, 5000, 14, 0.5 },
    { "mobilenet_v2", 1, 0, 3504872, 17056, 0, 300, 1 },
    { "mobilenet_v2", 1.4, 0, 6060000, 0, 60000, 582, 3 },
    { "mobilenet_v3", 1, 0, 5483032, 12200, 0, 217, 0.5 },
    { "resnet50", 1, 0, 25557032, 26560, 0, 4089, 0.5 },
    { "efficientnet_lite0", 1, 0, 4652008, 21008, 0, 385, 0.5 }, /* of products alone */
    { "deeplab_mnv2", 1, 513, 2110000, 0, 20000, 2750, 50 },
    { "ssd_mobilenet_v1", 1, 300, 6800000, 0, 50000, 1200, 60 },
    { "ssd_mobilenet_v2", 1, 320, 4300000, 0, 200000, 800, 60 },
    { "keyword_lstm", 1, 0, 62316, 0, 0, 5.9 / 2, 0.02 },
    { "kwt1", 1, 0, 607000, 0, 500, 73.7, 0.1 }, /* products by hand */
    { "yamnet", 1, 0, 3700000, 0, 50000, 69.2, 0.5 },
    /* Products by hand, as in what follows; the norms of queries and keys and behind the sums are
     * not in the zoo's. */
    { "decoder_270m", 1, 0, 268098176, 32256, 0, 286.9, 0.1 },
    { "encoder_base", 1, 512, 109482240, 0, 0, 48319.0, 0.1 },
    { "vit_base", 1, 0, 86567656, 0, 0, 17563.9, 0.1 },
    { "whisper_tiny", 1, 0, 37184640, 0, 0, 20272.5, 0.1 },
};

static struct zoo_facts facts_of(const char *name, double width, uint32_t resolution)
{
    const struct zoo_options options = { .width = width,
                                         .resolution = resolution,
                                         .type = TENSOR_FLOAT32 };
    struct zoo_facts facts;

    if (zoo_count(&facts, entry(name), &options, &err) != STATUS_OK)
        fail_msg("%s: %s", name, err.text);
    return facts;
}

TEST(published_sizes)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct zoo_facts f = facts_of(sizes[i].name, sizes[i].width, sizes[i].resolution);
        const double millions = (double)f.multiply_adds / 1e6;

        if (fabs((double)f.parameters - (double)(sizes[i].published - sizes[i].normalized)) >
                sizes[i].parameters_within ||
            fabs(millions - sizes[i].multiply_adds) > sizes[i].within)
            fail_msg("%s %g: %" PRIu64 " parameters and %.1f M multiply-adds, published %" PRIu64
                     " with %" PRIu64 " to fold, and %.1f M",
                     sizes[i].name, sizes[i].width, f.parameters, millions, sizes[i].published,
                     sizes[i].normalized, sizes[i].multiply_adds);
    }
}

/* The backbone without its classifier, and heads of 17, 34, 32 and 32 channels on 768. */
TEST(posenet_is_mobilenet_with_heads)
{
    const struct zoo_facts whole = facts_of("posenet", 0.75, 0),
                           classifier = facts_of("mobilenet_v1", 0.75, 0);

    assert_int_equal(whole.parameters, classifier.parameters - 769 * 1001 + 769 * (17 + 34 + 64));
}

/* What is counted without weights is what a model then has; a batch has the same weights. */
TEST(counted_is_built)
{
    static const int32_t types[] = { TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT8, TENSOR_UINT8 };

    const struct zoo_entry *e;

    for (size_t r = 0; (e = next_entry(&r));) {
        const uint32_t batch = e->batch_max == 1 ? 1 : 2;

        for (size_t t = 0; t < COUNT(types); t++) {
            const struct zoo_options options = { .width = 0.25 * e->width,
                                                 .resolution = e->resolution_min,
                                                 .batch = batch,
                                                 .type = types[t],
                                                 .quiet = true,
                                                 .seed = 1 };
            const struct model_subgraph *g;
            struct zoo_facts facts;
            uint64_t bytes = 0;
            struct model m;

            if (e->no_u8 && types[t] == TENSOR_UINT8) {
                assert_int_equal(zoo_count(&facts, e, &options, &err), STATUS_USAGE);
                continue;
            }
            assert_int_equal(zoo_count(&facts, e, &options, &err), STATUS_OK);
            if (zoo_build(&m, e, &options, &err) != STATUS_OK)
                fail_msg("%s: %s", e->name, err.text);
            for (size_t i = 0; i < m.buffer_count; i++)
                bytes += m.buffers[i].data.count;
            g = &m.subgraphs[0];
            assert_true(bytes == facts.constant_bytes);
            assert_true(zoo_parameters(&m) >= facts.parameters &&
                        zoo_parameters(&m) < facts.parameters + 1000); /* of gates, anchors */
            for (size_t i = 0; i < g->outputs.count; i++)
                assert_int_equal(g->tensors[g->outputs.data[i]].shape.data[0], batch);
            model_close(&m);
        }
    }
}

/* The same of models whose weights alone are quantized, in all subgraphs. */
TEST(counted_is_built_of_weights)
{
    static const char *const names[] = { "decoder", "encoder", "vit", "whisper" };
    static const struct zoo_options types[] = {
        { .type = TENSOR_FLOAT32 },
        { .type = TENSOR_FLOAT16 },
        { .type = TENSOR_INT8, .weights_only = true },
        { .type = TENSOR_INT4, .weights_only = true },
        { .type = TENSOR_INT4, .weights_only = true, .block = 32 },
        { .type = TENSOR_INT2, .weights_only = true, .block = 32 },
    };

    for (size_t k = 0; k < COUNT(names) * COUNT(types); k++) {
        const struct zoo_entry *const e = entry(names[k / COUNT(types)]);
        struct zoo_options options = types[k % COUNT(types)];
        struct zoo_facts facts;
        uint64_t bytes = 0;
        struct model m CLOSED_BY(model_close);

        options.width = 1;
        options.batch = e->batch_max == 1 ? 1 : 2;
        assert_int_equal(zoo_count(&facts, e, &options, &err), STATUS_OK);
        if (zoo_build(&m, e, &options, &err) != STATUS_OK)
            fail_msg("%s: %s", e->name, err.text);
        for (size_t i = 0; i < m.buffer_count; i++)
            bytes += m.buffers[i].data.count;
        if (bytes != facts.constant_bytes)
            fail_msg("%s: %" PRIu64 " bytes of constants, %" PRIu64 " were counted", e->name, bytes,
                     facts.constant_bytes);
    }
}

TEST(too_large)
{
    struct zoo_options options = {
        .width = 2, .resolution = 1024, .type = TENSOR_INT8, .quiet = true, .seed = 1
    };
    struct model m CLOSED_BY(model_close);

    options.memory_bytes = 1000000000;
    assert_int_equal(zoo_build(&m, entry("resnet50"), &options, &err), STATUS_NO_MEMORY);
    assert_string_equal(err.text, "needs about 4075.4 MB of memory for 97950952 parameters, "
                                  "1000.0 MB are available");
    assert_null(m.subgraphs);
    options.width = 0.05; /* of activations alone */
    options.memory_bytes = 100000000;
    assert_int_equal(zoo_build(&m, entry("resnet50"), &options, &err), STATUS_NO_MEMORY);
    options.type = TENSOR_FLOAT32;
    assert_int_equal(zoo_build(&m, entry("resnet50"), &options, &err), STATUS_OK);
}

/* ---- activations ---- */

static const struct interpreter_options keep = { .preserve_all = true, .num_threads = -1 };

struct running {
    struct model model;
    struct interpreter *in;
};

static struct zoo_options small(const struct zoo_entry *e)
{
    const uint32_t steps = e->resolution_min < e->resolution_step + 1 ? 2 : 4;

    return (struct zoo_options){ .width = 0.5 * e->width,
                                 .resolution = e->resolution_min + steps * e->resolution_step,
                                 .type = TENSOR_FLOAT32,
                                 .quiet = true,
                                 .seed = 1 };
}

static void open_entry(struct running *r, const struct zoo_entry *e,
                       const struct zoo_options *options)
{
    if (zoo_build(&r->model, e, options, &err) != STATUS_OK ||
        interpreter_open(&r->in, &r->model, &keep, &err) != STATUS_OK ||
        interpreter_allocate(r->in, &err) != STATUS_OK)
        fail_msg("%s: %s", e->name, err.text);
}

static void close_entry(struct running *r)
{
    interpreter_close(r->in);
    model_close(&r->model);
}

static TfLiteTensor *input_of(const struct running *r)
{
    size_t count;

    return interpreter_tensor(r->in, interpreter_inputs(r->in, &count)[0]);
}

static void invoke(const struct running *r, const char *name)
{
    assert_int_equal(interpreter_reset_variables(r->in), STATUS_OK);
    if (interpreter_invoke(r->in, &err) != STATUS_OK)
        fail_msg("%s: %s", name, err.text);
}

struct spread {
    double rms, deviation;
    double clamped, dead; /* shares: of elements at 6, of channels that are 0 everywhere */
};

static struct spread spread_of(const TfLiteTensor *t)
{
    const size_t count = ref_elements(t), channels = (size_t)t->dims->data[t->dims->size - 1];
    double sum = 0, squares = 0;
    struct spread s = { 0 };

    for (size_t i = 0; i < count; i++) {
        const double x = (double)t->data.f[i];

        sum += x;
        squares += x * x;
        s.clamped += x == 6;
    }
    for (size_t c = 0; c < channels; c++) {
        bool dead = true;

        for (size_t i = c; i < count && dead; i += channels)
            dead = t->data.f[i] == 0;
        s.dead += dead;
    }
    sum /= (double)count;
    squares /= (double)count;
    s.rms = sqrt(squares);
    s.deviation = sqrt(fmax(0, squares - sum * sum));
    s.clamped /= (double)count;
    s.dead /= (double)channels;
    return s;
}

/* A channel of few pixels may well be 0 behind a RELU, and half of single values are. */
static double dead_limit(const TfLiteTensor *t)
{
    const size_t pixels = ref_elements(t) / (size_t)t->dims->data[t->dims->size - 1];

    return pixels >= 36 ? 0.6 : 0.75;
}

static bool is_probability(const struct running *r, int node)
{
    const int code = interpreter_node_op(r->in, node)->code;

    return code == BUILTIN_SOFTMAX || code == BUILTIN_LOGISTIC;
}

/* The mean of a token, one number, is near 0 after normalization. */
static double least(const TfLiteTensor *t, double limit)
{
    return t->dims->data[t->dims->size - 1] == 1 ? 0 : limit;
}

static bool is_detection(const struct running *r, int node)
{
    return interpreter_node(r->in, node)->outputs->size == 4;
}

/* Through the reference: no layer fades, explodes, dies or runs into its clamp. */
TEST(activations_stay_sane)
{
    const struct zoo_entry *e;

    for (size_t next = 0; (e = next_entry(&next));) {
        const char *const name = e->name;
        const struct zoo_options options = small(e);
        struct running r CLOSED_BY(close_entry);

        open_entry(&r, e, &options);
        assert_int_equal(tensor_fill(input_of(&r), 1, 0, &err), STATUS_OK);
        invoke(&r, name);
        for (size_t i = 0; i < interpreter_node_count(r.in); i++) {
            const TfLiteTensor *const t =
                interpreter_tensor(r.in, interpreter_node(r.in, (int)i)->outputs->data[0]);
            const struct spread s = spread_of(t);

            if (!is_probability(&r, (int)i) && !is_detection(&r, (int)i) &&
                (!(s.rms > least(t, 0.04) && s.rms < 10) || !(s.deviation > least(t, 0.015)) ||
                 s.clamped > 0.02 || s.dead > dead_limit(t)))
                fail_msg("%s: %s: rms %.3f, deviation %.3f, %.1f %% at 6, %.1f %% of channels 0",
                         name, t->name, s.rms, s.deviation, 100 * s.clamped, 100 * s.dead);
        }
    }
}

/* The first output, or what its SOFTMAX or LOGISTIC is of, or the boxes that are decoded. */
static const TfLiteTensor *answer(const struct running *r)
{
    size_t count;
    const int output = interpreter_outputs(r->in, &count)[0];

    for (size_t i = 0; i < interpreter_node_count(r->in); i++) {
        const TfLiteNode *const node = interpreter_node(r->in, (int)i);

        if (node->outputs->data[0] == output)
            return interpreter_tensor(r->in, is_probability(r, (int)i) || is_detection(r, (int)i)
                                                 ? node->inputs->data[0]
                                                 : output);
    }
    return interpreter_tensor(r->in, output);
}

static double snr_db(const TfLiteTensor *truth, const TfLiteTensor *got)
{
    double signal = 0, noise = 0;

    for (size_t i = 0; i < ref_elements(truth); i++) {
        const double e = tensor_real(got, i) - tensor_real(truth, i);

        signal += tensor_real(truth, i) * tensor_real(truth, i);
        noise += e * e;
    }
    return 10 * log10(signal / noise);
}

/* The same picture through the float model and through the others. */
TEST(types_say_the_same)
{
    static const struct {
        const char *name;
        int32_t type;
        bool weights_only;
        double snr_db;
    } types[] = { { "f16", TENSOR_FLOAT16, false, 45 },
                  { "dynamic", TENSOR_INT8, true, 25 },
                  { "i8", TENSOR_INT8, false, 18 },
                  { "u8", TENSOR_UINT8, false, 18 } };

    const struct zoo_entry *e;

    for (size_t next = 0; (e = next_entry(&next));) {
        struct zoo_options options = small(e);
        struct running real;

        open_entry(&real, e, &options);
        for (size_t t = 0; t < COUNT(types); t++) {
            struct running r;
            double snr;

            if (e->no_u8 && types[t].type == TENSOR_UINT8)
                continue;
            options.type = types[t].type;
            options.weights_only = types[t].weights_only;
            open_entry(&r, e, &options);
            assert_int_equal(tensor_fill(input_of(&r), 99, 0, &err), STATUS_OK);
            for (size_t i = 0; i < ref_elements(input_of(&r)); i++)
                input_of(&real)->data.f[i] = (float)tensor_real(input_of(&r), i);
            invoke(&real, e->name);
            invoke(&r, e->name);
            snr = snr_db(answer(&real), answer(&r));
            if (getenv("ZOO_SHOW"))
                print_message("%s %s: %.1f dB\n", e->name, types[t].name, snr);
            if (!(snr >= types[t].snr_db))
                fail_msg("%s in %s: SNR %.1f dB, want %.0f", e->name, types[t].name, snr,
                         types[t].snr_db);
            close_entry(&r);
        }
        close_entry(&real);
    }
}
