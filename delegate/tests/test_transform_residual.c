/* ADD becomes part of the convolution that computes one operand, in the memory of the other. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* clang-format off */
#define MASKED_WHOLE "ABS z -> a; ADD {} a f32[]=1 -> b; MUL {} b f32[]=-inf -> u; "

static const struct transform_case cases[] = {
    /* The block of a residual network: t is read by the convolution before, then by ADD alone. */
    { "block", { 1, 4, 5, 5 }, 1, "CONV_2D+ADD node 2 'b'",
      "RELU x -> u; "
      CONV_VALID "u f32[6,1,1,5]=~1(-2..2) f32[6]=1,2,0,0,-1,-2 -> y; "
      CONV_VALID "y f32[5,1,1,6]=~2(-2..2) f32[5]=1,2,0,0,-1 -> y2; ADD {} y2 u -> b" },
    /* The convolution is the second operand; ADD has an activation, and a RELU6 follows. */
    { "clamped, many channels", { 2, 3, 3, 21 }, 1, "CONV_2D+ADD+RELU6 ",
      "RELU6 z -> u; "
      CONV_SAME "x f32[21,3,3,21]=~1(-2..2) f32[21]=~2(-2..2) -> y; "
      "ADD {fused_activation_function=RELU} u y -> b; RELU6 b -> u2" },
    { "rows of a product", { 3, 21 }, 1, "FULLY_CONNECTED+ADD ",
      "RELU6 z -> u; FULLY_CONNECTED {} x f32[21,21]=~1(-2..2) f32[21]=~2(-2..2) -> y; "
      "ADD {fused_activation_function=RELU} y u -> b" },
    { "rows of a computed product", { 5, 5 }, 1, "FULLY_CONNECTED+ADD ",
      "RELU6 z -> u; FULLY_CONNECTED {} x z - -> y; ADD {} u y -> b" },
    { "a row of other shape", { 1, 1, 21 }, 0, NULL,
      "RELU6 z -> u; FULLY_CONNECTED {} x f32[21,21]=~1(-2..2) - -> y; ADD {} y u -> b" },
    /* A sum with -infinity is the lowest number, as ADD makes it, so that SOFTMAX is no NaN. */
    { "rows masked whole", { 4, 4 }, 1, "FULLY_CONNECTED+ADD ",
      MASKED_WHOLE "FULLY_CONNECTED {} x f32[4,4]=~1(-2..2) f32[4]=~2(-2..2) -> y; ADD {} y u -> t; "
      "SOFTMAX {beta=1} t -> p" },
    { "pixels masked whole", { 1, 3, 3, 8 }, 1, "CONV_2D+ADD ",
      MASKED_WHOLE CONV_SAME "x f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; "
      "ADD {} u y -> t; SOFTMAX {beta=1} t -> p" },
    { "kept dimensions", { 1, 2, 300 }, 1, "FULLY_CONNECTED+ADD ",
      "RELU6 z -> u; FULLY_CONNECTED {keep_num_dims=true} x f32[300,300]=~1(-2..2) - -> y; "
      "ADD {} y u -> b" },
    /* Two branches: the convolution that runs last adds the result of the other. */
    { "branches", { 1, 7, 3, 8 }, 1, "CONV_2D+ADD ",
      CONV_SAME "x f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; "
      CONV_VALID "z f32[8,1,1,8]=~3(-2..2) f32[8]=~4(-2..2) -> y2; ADD {} y y2 -> b" },
    /* The end of a branch adds the shortcut, which comes last in the model and depends on less. */
    { "shortcut", { 1, 5, 4, 7 }, 1, "CONV_2D+ADD node 1 'b'",
      CONV_SAME "x f32[7,3,3,7]=~1(-2..2) f32[7]=~2(-2..2) -> y; "
      CONV_VALID "y f32[7,1,1,7]=~3(-2..2) f32[7]=~4(-2..2) -> y2; "
      CONV_SAME "x f32[7,3,3,7]=~5(-2..2) f32[7]=~6(-2..2) -> y3; "
      "ADD {fused_activation_function=RELU} y3 y2 -> b" },
    /* The end of the branch cannot run later: t is overwritten by then. */
    { "overwritten branch", { 1, 4, 4, 8 }, 2, "CONV_2D+ADD node 4 'b2'",
      "RELU z -> u; "
      CONV_SAME "u f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; "
      CONV_SAME "x f32[8,3,3,8]=~3(-2..2) f32[8]=~4(-2..2) -> y2; ADD {} y2 u -> b; "
      CONV_SAME "x f32[8,3,3,8]=~5(-2..2) f32[8]=~6(-2..2) -> y3; ADD {} y3 y -> b2; "
      "outputs b2 b" },
    /* The end of the branch runs later, and reads t then: the second sum cannot overwrite it before. */
    { "read by what has moved", { 1, 4, 4, 8 }, 1, "CONV_2D+ADD node 1 'b'",
      "RELU z -> u; "
      CONV_SAME "u f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; "
      CONV_SAME "x f32[8,3,3,8]=~3(-2..2) f32[8]=~4(-2..2) -> y2; "
      CONV_SAME "x f32[8,3,3,8]=~5(-2..2) f32[8]=~6(-2..2) -> y3; ADD {} y y3 -> b; "
      "ADD {} y2 u -> b2" },
    /* The shortcut runs earlier, and has read t when the second sum overwrites it. */
    { "read before by what has moved", { 1, 4, 4, 8 }, 2, "CONV_2D+ADD node 2 'b'",
      "RELU z -> u; RELU x -> u2; "
      CONV_SAME "u2 f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; "
      CONV_SAME "x f32[8,3,3,8]=~3(-2..2) f32[8]=~4(-2..2) -> y2; "
      CONV_SAME "u f32[8,3,3,8]=~5(-2..2) f32[8]=~6(-2..2) -> y3; ADD {} y y3 -> b; "
      "ADD {} y2 u -> b2" },
    /* The other convolution, which cannot add, comes later in the model, but may run earlier ... */
    { "beside an activation", { 1, 4, 4, 8 }, 1, "CONV_2D+ADD node 1 'b'",
      "RELU z -> u; "
      CONV_SAME "x f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; "
      "CONV_2D {stride_w=1 stride_h=1 fused_activation_function=RELU} u f32[8,3,3,8]=~3(-2..2) "
      "f32[8]=~4(-2..2) -> y2; ADD {} y y2 -> b" },
    /* ... but not before what it reads ... */
    { "before a later activation", { 1, 4, 4, 8 }, 0, "ADD ",
      CONV_SAME "x f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; RELU z -> u; "
      "CONV_2D {stride_w=1 stride_h=1 fused_activation_function=RELU} u f32[8,3,3,8]=~3(-2..2) "
      "f32[8]=~4(-2..2) -> y2; ADD {} y y2 -> b" },
    /* ... and not before what it adds. */
    { "beside a sum", { 1, 4, 4, 8 }, 1, "CONV_2D+ADD node 2",
      CONV_SAME "x f32[8,3,3,8]=~1(-2..2) f32[8]=~2(-2..2) -> y; RELU z -> u; "
      CONV_SAME "x f32[8,3,3,8]=~3(-2..2) f32[8]=~4(-2..2) -> y2; ADD {} y2 u -> b; "
      "ADD {} b y -> b2" },
    /* Several sums in a row in one memory. */
    { "chain", { 1, 1, 1, 13 }, 3, "CONV_2D+ADD ",
      "RELU z -> u; RELU x -> u2; "
      CONV_VALID "u2 f32[13,1,1,13]=~1(-2..2) f32[13]=~2(-2..2) -> y; "
      "ADD {fused_activation_function=RELU6} y u -> b; RELU b -> u3; "
      CONV_VALID "u3 f32[13,1,1,13]=~3(-2..2) f32[13]=~4(-2..2) -> y2; "
      "ADD {fused_activation_function=RELU6} y2 b -> b2; RELU b2 -> u4; "
      CONV_VALID "u4 f32[13,1,1,13]=~5(-2..2) f32[13]=~6(-2..2) -> y3; "
      "ADD {fused_activation_function=RELU6} y3 b2 -> b3" },
    /* An input in the arena may be overwritten: the next inference loads it again. */
    { "onto an input", { 1, 3, 3, 4 }, 1, "CONV_2D+ADD ",
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y z -> b" },
    /* The convolution reads what it would overwrite; also a 1x1 one, which reads the same pixel. */
    { "reads it", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU x -> u; "
      CONV_VALID "u f32[4,1,1,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u -> b" },
    /* ... and through a PAD, which would become part of it. */
    { "reads it padded", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU x -> u; PAD u i32[4,2]=0,0,1,1,1,1,0,0 -> p; "
      CONV_VALID "p f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u -> b" },
    { "read later", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU z -> u; "
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u -> b; SUB {} b u -> b2" },
    /* A view of the operand is read later. */
    { "viewed later", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU z -> u; RESHAPE {} u i32[2]=9,4 -> r; "
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u -> b; RELU6 r -> u2" },
    { "graph output", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU z -> u; "
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u -> b; outputs b u" },
    { "convolution is a graph output", { 1, 3, 3, 4 }, 0, "ADD ",
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; "
      "RELU z -> u; ADD {} y u -> b; outputs b y" },
    { "second reader", { 1, 3, 3, 4 }, 0, "ADD ",
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y y -> b" },
    { "activation", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU z -> u; "
      "CONV_2D {stride_w=1 stride_h=1 fused_activation_function=RELU} x f32[4,3,3,4]=~1(-2..2) "
      "f32[4]=1,2,0,0 -> y; ADD {} y u -> b" },
    /* The other operand comes after the convolution. */
    { "too late", { 1, 3, 3, 4 }, 0, "ADD ",
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; RELU z -> u; ADD {} y u -> b" },
    { "broadcast", { 1, 4, 2, 4 }, 0, "ADD ",
      "RELU z -> u; MEAN {keep_dims=true} u i32[2]=1,2 -> u2; "
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u2 -> b" },
    { "constant", { 1, 3, 3, 4 }, 0, "ADD ",
      CONV_SAME "x f32[4,3,3,4]=~1(-2..2) f32[4]=1,2,0,0 -> y; "
      "ADD {} y f32[1,3,3,4]=~2(-2..2) -> b" },
    { "grouped", { 1, 3, 3, 4 }, 0, "ADD ",
      "RELU z -> u; "
      CONV_SAME "x f32[4,3,3,2]=~1(-2..2) f32[4]=1,2,0,0 -> y; ADD {} y u -> b" },
};
/* clang-format on */
TRANSFORM_TESTS(TRANSFORM_residual, cases)

#define COPY_AND_CONV                                                                              \
    "PAD z i32[4,2]=0 -> copy; " CONV_SAME "x f32[4,3,3,4]=~3(-2..2) f32[4]=~4(-2..2) -> c; "

static void look_backwards(struct graph *g, void *user)
{
    OPTIONS(o, "no_transform", "all");
    const struct device_limits limits = gpu_large_limits();
    const int *first = user; /* the transform after residual */
    int nodes[KIT_TENSORS];
    const struct transform_request r = transform_request_all(g, &o, &limits, nodes);
    bool changed = false;
    struct rewrite w CLOSED_BY(rewrite_close);

    KIT_OK(transform_partition(&w, &r, &err));
    KIT_OK(transform_apply(&w, TRANSFORM_residual, &changed));
    assert_true(changed);
    changed = false;
    KIT_OK(transform_apply(&w, (enum transform_id) * first, &changed));
    assert_false(changed);
}

TEST(any_order)
{
    static const struct {
        struct transform_case c;
        int then;
    } rows[] = {
        /* clang-format off */
        { { "reader", { 1, 3, 3, 4 }, 0, NULL,
            COPY_AND_CONV "ADD {} c z -> s; MUL {} s copy -> y" }, TRANSFORM_identity },
        { { "other tensor", { 1, 3, 3, 4 }, 0, NULL,
            COPY_AND_CONV "ADD {} c copy -> s; MUL {} s z -> y" }, TRANSFORM_identity },
        /* ... and through a PAD, which would become part of the convolution. */
        { { "padded", { 1, 3, 3, 4 }, 0, NULL,
            "RELU x -> t; PAD t i32[4,2]=0,0,1,1,1,1,0,0 -> p; "
            CONV_VALID "p f32[4,3,3,4]=~3(-2..2) "
            "f32[4]=~4(-2..2) -> c; ADD {} c t -> y" }, TRANSFORM_pad },
        /* clang-format on */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int then = rows[i].then;

        MODEL_BY(m, transform_model(&rows[i].c, &m));
        gpu_look(&m, look_backwards, &then);
    }
}

TEST_FILE(.before = transform_find_device);
