/* The zoo's encoder, vit and whisper on a device: each signature whole, in one partition, and no
 * further from the reference than the bounds of its nodes lead (suite/judge/conditioning.h). */
#include "conformance/suite/io/random_ids.h"
#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/models/zoo.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <string.h>

struct row {
    const char *name;
    int32_t type;
    uint32_t block, tokens, batch; /* 0: the entry's */
    size_t signature;
};

/* A model of one subgraph: that of the signature. */
struct subject {
    const struct row *row;
    struct model whole, model;
    struct model_subgraph graph;
};

static void open_subject(struct subject *s, const struct row *r)
{
    const struct zoo_options options = { .width = 1,
                                         .resolution = r->tokens,
                                         .batch = r->batch,
                                         .type = r->type,
                                         .weights_only = r->type != TENSOR_FLOAT32,
                                         .block = r->block,
                                         .seed = 1 };
    const struct zoo_entry *entry;

    KIT_OK(zoo_find(&entry, r->name, &err));
    KIT_OK(zoo_build(&s->whole, entry, &options, &err));
    s->row = r;
    s->graph = s->whole.subgraphs[s->whole.signatures[r->signature].subgraph_index];
    s->model = s->whole;
    s->model.subgraphs = &s->graph;
    s->model.subgraph_count = 1;
    s->model.signature_count = 0;
}

/* Of two texts the first is padded behind two thirds, and the second is padding alone; a step of a
 * decoder sees six slots, the last of which it writes. */
static void fill(struct interpreter *in)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(in, inputs[i]);
        const int row = t->dims->data[t->dims->size - 1];

        if (strcmp(t->name, "mask") == 0) {
            for (int k = 0; k < row; k++)
                t->data.f[k] = k <= 5 ? 0 : -INFINITY;
        } else if (strcmp(t->name, "attention_mask") == 0) {
            for (size_t k = 0; k < ref_elements(t); k++)
                t->data.i32[k] = (int)k < 2 * row / 3;
        } else if (strcmp(t->name, "input_pos") == 0) {
            t->data.i32[0] = 5;
        } else {
            KIT_OK(random_fill(in, inputs[i], 3, i, &err));
        }
    }
}

static struct interpreter *reference_of(const struct subject *s)
{
    const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, &s->model, &options, &err));
    KIT_OK(interpreter_allocate(in, &err));
    fill(in);
    KIT_OK(interpreter_invoke(in, &err));
    return in;
}

static void check(const struct subject *s, struct interpreter *reference, const char *precision,
                  enum bounds bounds)
{
    DELEGATE(d, "precision", precision, "max_partitions", "0");
    INTERPRETER(in, &s->model, d);
    struct figures left[OUTPUTS_MAX];
    const int *outputs;
    size_t count;

    for (size_t i = 0; i < interpreter_node_count(in); i++) {
        if (interpreter_node_partition(in, (int)i) != 0)
            fail_msg("%s, signature %zu: node %zu, %s, is not in partition 0", s->row->name,
                     s->row->signature, i, interpreter_node_op(in, (int)i)->name);
    }
    fill(in);
    KIT_OK(interpreter_invoke(in, &err));
    KIT_OK(conditioning_measure(reference, bounds, 1, left, &err));
    outputs = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        struct figures f = { .runs = 0 };

        figures_add(&f, interpreter_tensor(reference, outputs[i]),
                    interpreter_tensor(in, outputs[i])->data.raw);
        figures_finish(&f);
        if (!(f.snr_db >= left[i].snr_db && f.max_abs <= left[i].max_abs))
            fail_msg(
                "%s, signature %zu, %s, %s: %.1f dB, at most %g off; bounds lead to %.1f dB, %g",
                s->row->name, s->row->signature, precision,
                interpreter_tensor(in, outputs[i])->name, f.snr_db, f.max_abs, left[i].snr_db,
                left[i].max_abs);
    }
}

TEST(transformers)
{
    static const struct row rows[] = {
        { .name = "encoder", .type = TENSOR_INT4, .block = 32, .tokens = 9, .batch = 2 },
        { .name = "vit", .type = TENSOR_FLOAT32 },
        { .name = "whisper", .type = TENSOR_FLOAT32 },
        { .name = "whisper", .type = TENSOR_FLOAT32, .signature = 1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct interpreter *reference;
        struct subject s;

        open_subject(&s, &rows[i]);
        reference = reference_of(&s);
        check(&s, reference, "fp32", BOUNDS_FP32);
        check(&s, reference, "fp16", BOUNDS_FP16);
        interpreter_close(reference);
        model_close(&s.whole);
    }
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device, .needs = &kit_device);
