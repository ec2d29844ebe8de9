/* The nodes of attention become one. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/product/attention.args.h"
#include "delegate/runtime/kernel.h"

#include <stdio.h>

/* clang-format off */
/* Four heads of eight; z has keys and values of as many, or of the first two. */
#define HEADS(from, to) "TRANSPOSE " from " i32[4]=0,2,1,3 -> " to "; "
#define TWO   "SLICE z i32[4]=0,0,0,0 i32[4]=1,6,2,8 -> g; "
#define FOUR(from, to)                                                                             \
    "RESHAPE " from " i32[5]=1,2,1,6,8 -> " to "1; BROADCAST_TO:2 " to "1 i32[5]=1,2,2,6,8 -> "    \
    to "2; RESHAPE " to "2 i32[4]=1,4,6,8 -> " to "; "
#define LOGITS "BATCH_MATMUL {adj_y=true} x z -> l; "
#define SCALED LOGITS "MUL {} l f32[]=0.25 -> s; "
#define MIX    "SOFTMAX {beta=1} s -> p; BATCH_MATMUL {} p z -> y"

static const struct transform_case cases[] = {
    { "plain", { 2, 3, 5, 8 }, 1, "ATTENTION node 3 'y'", SCALED MIX },
    { "no factor", { 7, 9 }, 1, "ATTENTION ",
      LOGITS "SOFTMAX {beta=1} l -> p; BATCH_MATMUL {} p z -> y" },
    /* More slots than a workgroup, widths that leave lanes free, one slot. */
    { "many slots", { 1, 2, 301, 5 }, 1, "ATTENTION ",
      "SLICE x i32[4]=0,0,0,0 i32[4]=1,2,7,5 -> q; BATCH_MATMUL {adj_y=true} q z -> s; " MIX },
    { "wide", { 1, 1, 64, 250 }, 1, "ATTENTION ",
      LOGITS "MUL {} l f32[]=0.03125 -> s; " MIX },
    { "too wide", { 1, 1, 66, 250 }, 0, "BATCH_MATMUL ",
      LOGITS "MUL {} l f32[]=0.03125 -> s; " MIX },
    { "one slot", { 3, 1, 7 }, 1, "ATTENTION ", SCALED MIX },
    { "factor of q", { 2, 3, 5, 8 }, 1, "ATTENTION ",
      "MUL {} f32[1]=0.25 x -> q; BATCH_MATMUL {adj_y=true} q z -> s; " MIX },
    { "mask", { 2, 3, 6, 8 }, 1, "ATTENTION ",
      SCALED "ADD {} s f32[3,1,6]=~3(-4..4) -> t; SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p z -> y" },
    { "computed mask", { 2, 1, 8, 8 }, 1, "ATTENTION ",
      "ABS x -> m; " SCALED "ADD {} m s -> t; SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p z -> y" },
    { "masked slots", { 1, 2, 4, 8 }, 1, "ATTENTION ",
      SCALED "ADD {} s f32[4,4]=0,-1e9,-1e9,-1e9,0,0,-1e9,-1e9,0,0,0,-1e9,0,0,0,0 -> t; "
      "SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p z -> y" },
    { "cap", { 2, 3, 6, 8 }, 1, "ATTENTION ",
      SCALED "DIV {} s f32[]=4 -> c; TANH c -> t; MUL {} f32[]=4 t -> u; "
      "ADD {} u f32[6]=~3(-4..4) -> v; SOFTMAX {beta=1} v -> p; BATCH_MATMUL {} p z -> y" },
    /* Keys and values where they lie: behind TRANSPOSE, shared by heads, with slots last. */
    { "heads", { 2, 6, 4, 8 }, 1, "ATTENTION ",
      HEADS("x", "q") HEADS("z", "k") HEADS("z", "v")
      "BATCH_MATMUL {adj_y=true} q k -> s; SOFTMAX {beta=1} s -> p; BATCH_MATMUL {} p v -> y" },
    { "grouped heads", { 1, 6, 4, 8 }, 1, "ATTENTION ",
      TWO HEADS("x", "q") HEADS("g", "h") FOUR("h", "k") FOUR("h", "v")
      "BATCH_MATMUL {adj_y=true} q k -> l; MUL {} l f32[]=0.25 -> s; "
      "ADD {} s f32[1,1,6,6]=~3(-4..4) -> t; SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p v -> y" },
    { "folded queries", { 1, 6, 4, 8 }, 1, "ATTENTION ",
      TWO HEADS("x", "r") "RESHAPE r i32[4]=1,2,12,8 -> q; " HEADS("g", "k") HEADS("g", "v")
      "BATCH_MATMUL {adj_y=true} q k -> l; MUL {} l f32[]=0.25 -> s; "
      "RESHAPE s i32[4]=1,4,6,6 -> s4; ADD {} s4 f32[1,1,6,6]=~3(-4..4) -> t; "
      "SOFTMAX {beta=1} t -> p4; RESHAPE p4 i32[4]=1,2,12,6 -> p; BATCH_MATMUL {} p v -> y" },
    { "one key head", { 1, 6, 4, 8 }, 1, "ATTENTION ",
      "SLICE z i32[4]=0,0,3,0 i32[4]=1,6,1,8 -> g; " HEADS("x", "q") HEADS("g", "k") HEADS("g", "v")
      "BATCH_MATMUL {adj_y=true} q k -> s; SOFTMAX {beta=1} s -> p; BATCH_MATMUL {} p v -> y" },
    { "slots last", { 1, 2, 6, 8 }, 1, "ATTENTION ",
      "TRANSPOSE z i32[4]=0,1,3,2 -> k; BATCH_MATMUL {} x k -> s; SOFTMAX {beta=1} s -> p; "
      "BATCH_MATMUL {adj_y=true} p k -> y" },
    { "other values", { 2, 6, 4, 8 }, 1, "ATTENTION ", /* which lie in another order than keys */
      HEADS("x", "q") HEADS("z", "k") "RESHAPE z i32[4]=2,4,6,8 -> v; "
      "BATCH_MATMUL {adj_y=true} q k -> s; SOFTMAX {beta=1} s -> p; BATCH_MATMUL {} p v -> y" },
    { "merged heads", { 1, 6, 4, 8 }, 1, "ATTENTION ",
      "RESHAPE x i32[3]=1,6,32 -> xm; RESHAPE xm i32[4]=1,6,4,8 -> xs; " HEADS("xs", "q") HEADS("z", "k")
      "BATCH_MATMUL {adj_y=true} q k -> s; SOFTMAX {beta=1} s -> p; BATCH_MATMUL {} p k -> y" },
    /* Another node reads what lies between, or it is an output. */
    { "shares are read", { 2, 3, 5, 8 }, 0, "BATCH_MATMUL ", SCALED MIX "; ABS p -> y2" },
    { "logits are shown", { 2, 3, 5, 8 }, 0, "BATCH_MATMUL ", SCALED MIX "; outputs y l" },
    /* Nearly attention: another beta, SOFTMAX over other slots, a factor that is 0, computed, or of
     * each slot, a mask that makes more rows, other products, keys that are a constant. */
    { "beta", { 2, 3, 5, 8 }, 0, "BATCH_MATMUL ",
      SCALED "SOFTMAX {beta=2} s -> p; BATCH_MATMUL {} p z -> y" },
    { "other slots", { 1, 1, 4, 8 }, 0, "BATCH_MATMUL ",
      SCALED "RESHAPE s i32[4]=1,1,2,8 -> t; SOFTMAX {beta=1} t -> u; RESHAPE u i32[4]=1,1,4,4 -> p; "
      "BATCH_MATMUL {} p z -> y" },
    { "cap of 0", { 2, 3, 5, 8 }, 0, "BATCH_MATMUL ",
      LOGITS "TANH l -> t; MUL {} t f32[]=0 -> s; " MIX },
    { "factors", { 2, 3, 5, 8 }, 0, "BATCH_MATMUL ",
      LOGITS "MUL {} l f32[5]=~3(1..4) -> s; " MIX },
    { "computed factor", { 1, 1, 8, 8 }, 0, "BATCH_MATMUL ", LOGITS "MUL {} l x -> s; " MIX },
    { "more rows", { 1, 1, 5, 8 }, 0, "BATCH_MATMUL ",
      SCALED "ADD {} s f32[2,1,1,5]=~3(-4..4) -> t; SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p z -> y" },
    { "columns of q", { 2, 3, 8, 8 }, 0, "BATCH_MATMUL ",
      "BATCH_MATMUL {adj_x=true adj_y=true} x z -> s; " MIX },
    { "less a mask", { 2, 3, 5, 8 }, 0, "BATCH_MATMUL ",
      SCALED "SUB {} s f32[5]=~3(-4..4) -> t; SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p z -> y" },
    { "constant keys", { 1, 1, 5, 8 }, 0, "BATCH_MATMUL ",
      "BATCH_MATMUL {adj_y=true} x f32[1,1,5,8]=~3(-1..1) -> s; " MIX },
    { "other heads", { 1, 2, 8, 8 }, 0, "BATCH_MATMUL ",
      LOGITS "TRANSPOSE l i32[4]=0,2,1,3 -> s; SOFTMAX {beta=1} s -> u; "
      "TRANSPOSE u i32[4]=0,2,1,3 -> p; BATCH_MATMUL {} p z -> y" },
};
/* clang-format on */
enum { CASES = sizeof cases / sizeof cases[0] };

TEST(fires)
{
    transform_all_fire(cases, CASES, TRANSFORM_attention);
}

/* Within 2^-15 of numbers up to 4: logits up to 2^7, whose roundings exp turns into relative errors
 * of each share.  In fp16 q, k and v alone are rounded, but the nodes one by one round logits. */
#define FLOAT_TOLERANCE 0x1p-15f
#define HALF_TOLERANCE  0x1p-7f

TEST(same_results)
{
    transform_results(cases, CASES, FLOAT_TOLERANCE, HALF_TOLERANCE);
}

/* clang-format off */
#define MASKED(op, mask)                                                                           \
    { 1, 2, 4, 8 }, 0, NULL,                                                                       \
    SCALED op " {} s f32[4,4]=" mask " -> t; SOFTMAX {beta=1} t -> p; BATCH_MATMUL {} p z -> y"
static const struct transform_case masked[] = {
    { "masked whole",
      MASKED("ADD", "0,0,-inf,0,-inf,-inf,-inf,-inf,1,0,2,0,-inf,-inf,-inf,-inf") },
    { "less infinity", MASKED("SUB", "0,0,inf,0,inf,inf,inf,inf,1,0,2,0,inf,inf,inf,inf") },
    { "infinity", MASKED("ADD", "0,0,inf,0,-inf,inf,-inf,inf,1,0,2,0,inf,inf,inf,inf") },
};
/* clang-format on */

/* TensorFlow Lite's ADD and SUB clamp infinities to the largest numbers, so that a row that is
 * masked whole is the mean of v: by nodes, too. */
TEST(rows_masked_whole)
{
    if (!transform_device)
        skip();
    for (size_t i = 0; i < sizeof masked / sizeof masked[0]; i++)
        for (int whole = 0; whole < 2; whole++) {
            const char *const without = whole ? NULL : "attention";

            transform_result(&masked[i], "fp32", "nan", without, FLOAT_TOLERANCE);
            transform_result(&masked[i], "fp16", "nan", without, HALF_TOLERANCE);
        }
}

/* clang-format off */
/* Of kernel attention_parts: the first rows of x attend to z. */
#define ROWS(heads, rows, width)                                                                   \
    "SLICE x i32[4]=0,0,0,0 i32[4]=" heads "," rows "," width " -> q; "
#define LOGITS_OF(k) "BATCH_MATMUL {adj_y=true} q " k " -> l; MUL {} l f32[]=0.03125 -> s; "
#define MIX_OF(v)    "SOFTMAX {beta=1} s -> p; BATCH_MATMUL {} p " v " -> y"
static const struct {
    struct transform_case c;
    uint32_t rows, parts;
} parted[] = {
    /* Slots that leave a part or a block in part, one part of one slot more than another. */
    { { "33 slots", { 1, 1, 33, 250 }, 1, NULL, ROWS("1,1", "5", "250") LOGITS_OF("z") MIX_OF("z") },
      4, 2 },
    { { "67 slots", { 1, 2, 67, 250 }, 1, NULL, ROWS("1,2", "7", "250") LOGITS_OF("z") MIX_OF("z") },
      4, 4 },
    { { "one slot", { 2, 2, 1, 70 }, 1, NULL, ROWS("2,2", "1", "70") LOGITS_OF("z") MIX_OF("z") },
      4, 1 },
    /* Keys of fewer slices than a team might have members. */
    { { "narrow keys", { 1, 2, 5, 16 }, 1, NULL, ROWS("1,2", "5", "16") LOGITS_OF("z") MIX_OF("z") },
      4, 1 },
    { { "three slots", { 2, 2, 3, 70 }, 1, NULL, ROWS("2,2", "2", "70") LOGITS_OF("z") MIX_OF("z") },
      4, 1 },
    { { "batch", { 2, 1, 67, 250 }, 1, NULL, ROWS("2,1", "9", "250") LOGITS_OF("z") MIX_OF("z") },
      4, 4 },
    /* Rows that share what is loaded, the last tile in part. */
    { { "16 rows", { 1, 1, 513, 65 }, 1, NULL, ROWS("1,1", "61", "65") LOGITS_OF("z") MIX_OF("z") },
      16, 4 },
    { { "16 rows of heads", { 1, 513, 2, 65 }, 1, NULL,
        "SLICE x i32[4]=0,0,0,0 i32[4]=1,30,2,65 -> r; " HEADS("r", "q") HEADS("z", "k") HEADS("z", "v")
        LOGITS_OF("k") MIX_OF("v") }, 16, 4 },
    { { "cap", { 1, 2, 66, 250 }, 1, NULL,
        ROWS("1,2", "5", "250") LOGITS_OF("z") "DIV {} s f32[]=4 -> c; TANH c -> t; MUL {} f32[]=4 t -> u; "
        "SOFTMAX {beta=1} u -> p; BATCH_MATMUL {} p z -> y" }, 4, 4 },
    /* Queries that shared memory does not hold. */
    { { "deep keys", { 1, 1, 9, 4096 }, 1, NULL,
        ROWS("1,1", "5", "4096") "SLICE z i32[4]=0,0,0,0 i32[4]=1,1,9,64 -> v; "
        LOGITS_OF("z") MIX_OF("v") }, 4, 3 },
    /* Either of keys and values behind TRANSPOSE: slots last, or heads. */
    { { "keys by slots", { 1, 2, 40, 250 }, 1, NULL,
        ROWS("1,2", "4", "250") "TRANSPOSE z i32[4]=0,1,3,2 -> k; BATCH_MATMUL {} q k -> l; "
        "MUL {} l f32[]=0.03125 -> s; " MIX_OF("z") }, 4, 2 },
    { { "values by slots", { 1, 2, 40, 250 }, 1, NULL,
        ROWS("1,2", "4", "250") "TRANSPOSE z i32[4]=0,1,3,2 -> v; " LOGITS_OF("z")
        "SOFTMAX {beta=1} s -> p; BATCH_MATMUL {adj_y=true} p v -> y" }, 4, 2 },
    { { "keys of heads", { 1, 2, 40, 250 }, 1, NULL,
        ROWS("1,2", "4", "250") HEADS("z", "h") "ABS h -> g; " HEADS("g", "k")
        LOGITS_OF("k") MIX_OF("z") }, 4, 2 },
    { { "values of heads", { 1, 2, 40, 250 }, 1, NULL,
        ROWS("1,2", "4", "250") HEADS("z", "h") "ABS h -> g; " HEADS("g", "v")
        LOGITS_OF("z") MIX_OF("v") }, 4, 2 },
    { { "grouped heads", { 1, 40, 4, 250 }, 1, NULL,
        "SLICE x i32[4]=0,0,0,0 i32[4]=1,1,4,250 -> r; SLICE z i32[4]=0,0,2,0 i32[4]=1,40,2,250 -> g; "
        HEADS("r", "q") HEADS("g", "h") "RESHAPE h i32[5]=1,2,1,40,250 -> h1; "
        "BROADCAST_TO:2 h1 i32[5]=1,2,2,40,250 -> h2; RESHAPE h2 i32[4]=1,4,40,250 -> k; "
        LOGITS_OF("k") MIX_OF("k") }, 4, 2 },
};
/* clang-format on */
enum { PARTED = sizeof parted / sizeof parted[0] };

/* How the step is cut. */
static void check_choice(const struct transform_case *c, const TfLiteDelegate *d, uint32_t rows,
                         uint32_t parts)
{
    const struct gpu_delegate *const inside = d->data_;
    uint32_t got_rows = 0, got_parts = 0;

    for (const struct kernel *k = inside->kernels; k; k = k->next)
        for (int i = 0; i < k->plan.step_count; i++) {
            const struct plan_step *const s = k->plan.steps[i];

            if (strcmp(s->shader, "attention") == 0) {
                const uint32_t team = s->spec[ATTENTION_SPEC_TEAM];
                struct attention_args args;

                memcpy(&args, s->push, sizeof args);
                got_rows = s->spec[ATTENTION_SPEC_ROWS];
                got_parts = s->spec[ATTENTION_SPEC_PARTS];
                /* In a team of more than the least four each has a slice of the key. */
                assert_true(team > 1 && (team <= 4 || team < 2 * args.q_slices));
            }
        }
    if (got_rows != rows || got_parts != parts)
        fail_msg("%s: expected tiles of %u rows in %u parts, found %u in %u", c->name, rows, parts,
                 got_rows, got_parts);
    assert_int_equal(gpu_steps_of(d, "attention_merge"), parts > 1);
}

/* The case by kernel attention_parts, with tiles of so many rows in so many parts. */
static void check_parts(const struct transform_case *c, const char *precision, const char *poison,
                        uint32_t rows, uint32_t parts)
{
    const bool half = strcmp(precision, "fp16") == 0;
    DELEGATE_BY(d, transform_delegate(precision, poison, NULL));
    struct gpu_delegate *const inside = d->data_;

    inside->options.kernel |= 1u << KERNEL_attention_parts;
    MODEL_BY(m, transform_model(c, &m));
    INTERPRETER_BY(truth, transform_run(&m, NULL));
    INTERPRETER_BY(got, transform_run(&m, d));
    check_choice(c, d, rows, parts);
    transform_near(c, precision, truth, got, half ? HALF_TOLERANCE : FLOAT_TOLERANCE);
}

TEST(parts)
{
    if (!transform_device)
        skip();
    for (int i = 0; i < PARTED; i++) {
        check_parts(&parted[i].c, "fp32", "nan", parted[i].rows, parted[i].parts);
        check_parts(&parted[i].c, "fp32", "inf", parted[i].rows, parted[i].parts);
        if (parted[i].rows == 4 &&
            parted[i].parts == 4) /* fewer pipelines, which take most of the time */
            check_parts(&parted[i].c, "fp16", "nan", parted[i].rows, parted[i].parts);
    }
}

/* Of a row no slot, some, all but the last part's, or all are masked. */
TEST(parts_masked_whole)
{
    enum { ROWS_OF_MASK = 5, SLOTS = 66 };
    char mask[6 * ROWS_OF_MASK * SLOTS] = "", text[sizeof mask + 512];
    size_t n = 0;

    if (!transform_device)
        skip();
    for (int row = 0; row < ROWS_OF_MASK; row++)
        for (int slot = 0; slot < SLOTS; slot++) {
            const bool hidden = row == 1   ? slot % 3 > 0
                                : row == 2 ? slot < SLOTS - 2
                                : row == 3 ? true
                                           : row == 4 && slot > 1;

            n += (size_t)snprintf(mask + n, sizeof mask - n, "%s%s", n ? "," : "",
                                  hidden ? "-inf" : "1");
        }
    snprintf(text, sizeof text,
             ROWS("1,1", "5", "250")
                 LOGITS_OF("z") "ADD {} s f32[5,66]=%s -> t; SOFTMAX {beta=1} t "
                                "-> p; BATCH_MATMUL {} p z -> y",
             mask);
    const struct transform_case c = { "masked parts", { 1, 1, SLOTS, 250 }, 1, NULL, text };
    check_parts(&c, "fp32", "nan", 4, 4);
    check_parts(&c, "fp16", "nan", 4, 4);
}

TEST_FILE(.before = transform_find_device);
