/* What the cases of the suite exercise in the delegate: every case is planned for devices that need
 * not be here, with each precision, and what the plans have is counted.  A point of the map is a
 * shader, a specialization constant that changes its code, an edge of its tiles or of its tensors,
 * a rewrite of the graph, or the reason why a faster kernel or a rewrite was left out.
 *
 * reach.tsv keeps the counts, which may not get less, and says of a point with fewer than FIVE
 * cases why there are no more.  `make reach` prints the map, the names of cases (T), or writes the
 * file. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "delegate/ops/product/depthwise_tile.args.h"
#include "delegate/ops/product/gemm.args.h"
#include "delegate/ops/product/gemm_int8.args.h"
#include "delegate/ops/product/matrix.args.h"
#include "delegate/ops/product/matvec.args.h"
#include "delegate/ops/product/pointwise_depthwise.args.h"
#include "delegate/shaders/spirv.h"
#include "reference/format/read.h"

#include <ctype.h>
#include <fnmatch.h>

enum { FIVE = 5, POINTS_MAX = 4096, SLOTS = 2 * POINTS_MAX, NAME_BYTES = 160, VARIANTS = 1024 };

static const char file_name[] = "delegate/tests/reach.tsv";

/* ---- devices and modes ---- */

/* Limits as vulkaninfo tells them of lavapipe 22.3 and an H200; the others are those of a large
 * device, with the matrix units that drivers of the class offer. */
enum { MINIMUM, LAVAPIPE, PHONE, H200, AMD, INTEL, DEVICES };
static const char *const device_names[DEVICES] = { "minimum", "lavapipe", "phone",
                                                   "H200",    "AMD",      "Intel" };
static struct device_limits devices[DEVICES];

static void make_devices(void)
{
    for (int i = 0; i < DEVICES; i++) {
        devices[i] = i == MINIMUM ? device_limits_minimum : gpu_large_limits();
        devices[i].shader_float16 = i != MINIMUM;
        devices[i].max_shared_memory_bytes = i == MINIMUM ? 16384 : 32768;
    }
    devices[LAVAPIPE].device_class = DEVICE_SOFTWARE;
    devices[LAVAPIPE].max_storage_buffer_range = 1u << 27;
    devices[LAVAPIPE].host_pointer_alignment = 4096;
    devices[LAVAPIPE].zero_copy_inputs = devices[LAVAPIPE].zero_copy_outputs = true;
    devices[PHONE].device_class = DEVICE_INTEGRATED;
    devices[PHONE].max_workgroup_invocations = 512;
    devices[PHONE].zero_copy_inputs = devices[PHONE].zero_copy_outputs = true;
    devices[H200].device_class = DEVICE_NVIDIA;
    devices[H200].max_storage_buffer_range = UINT32_MAX;
    devices[H200].max_memory_allocation_bytes = 0xffe00000;
    devices[H200].max_workgroup_count[0] = INT32_MAX;
    devices[H200].max_shared_memory_bytes = 49152;
    devices[H200].host_pointer_alignment = 4096;
    devices[H200].matrix = (struct device_matrix){ .kind = MATRIX_NV,
                                                   .tile = 16,
                                                   .subgroup_size = 32,
                                                   .fragments = true,
                                                   .bytes = true,
                                                   .byte_fragments = true };
    devices[AMD].device_class = DEVICE_AMD;
    devices[AMD].matrix =
        (struct device_matrix){ .kind = MATRIX_KHR, .tile = 16, .subgroup_size = 64 };
    devices[INTEL].device_class = DEVICE_INTEL;
    devices[INTEL].matrix =
        (struct device_matrix){ .kind = MATRIX_KHR, .tile = 8, .subgroup_size = 8 };
}

/* Those of `assay conformance`, and the one that has kernels of its own. */
static const char *const modes[][3] = { { "precision", "fp32", NULL },
                                        { "precision", "fp16", NULL },
                                        { "precision", "fast", NULL },
                                        { "quantized", "float_view", NULL } };

/* ---- points ---- */

struct point {
    uint64_t key;
    char name[NAME_BYTES];
    int cases[DEVICES], kept[DEVICES];
    size_t last[DEVICES]; /* the case, from 1, that was counted last */
    char why[NAME_BYTES]; /* of the file: why there are fewer than FIVE */
};
static struct point points[POINTS_MAX];
static int point_count;
static uint16_t slots[SLOTS]; /* index of the point, from 1 */

/* A shader as it is compiled. */
struct variant {
    const char *of, *specs; /* as a step has it; names of the specialization constants */
    uint32_t named, given;  /* constants: by `specs`, and by the step that has most of them */
    bool half;
    char name[48], dot[48]; /* with packed dot products: none, or its name */
    uint64_t key;
};
static struct variant variants[VARIANTS];

/* What is planned now. */
static struct {
    const char *name, *pattern; /* of the case; of points whose cases are printed */
    size_t number;              /* from 1 */
    int device;
    const struct graph *graph;
    const struct plan *plan;
    const struct plan_step *step;
    struct variant *shader;
} now;
#define NAME now.shader->name

static uint64_t mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
    for (; *text; text++)
        key = (key ^ (unsigned char)*text) * 0x100000001b3u;
    return mix(key, 0);
}

static struct point *point_of(uint64_t key)
{
    size_t at = key % SLOTS;

    while (slots[at] && points[slots[at] - 1].key != key)
        at = (at + 1) % SLOTS;
    if (!slots[at]) {
        assert_true(point_count < POINTS_MAX);
        points[point_count].key = key;
        slots[at] = (uint16_t)++point_count;
    }
    return &points[slots[at] - 1];
}

/* The case reaches the point, whose name is made when it is new. */
static void reach(uint64_t key, const char *format, ...) PRINTF_LIKE(2, 3);
static void reach(uint64_t key, const char *format, ...)
{
    struct point *const p = point_of(key);
    va_list args;

    if (p->last[now.device] == now.number)
        return;
    if (!p->name[0]) {
        va_start(args, format);
        vsnprintf(p->name, sizeof p->name, format, args);
        va_end(args);
    }
    p->last[now.device] = now.number;
    p->cases[now.device]++;
    if (now.pattern && fnmatch(now.pattern, p->name, 0) == 0)
        printf("%s\t%s\t%s\n", p->name, device_names[now.device], now.name);
}

/* ---- specialization constants ---- */

#define KERNEL "kernel_h# kernel_w# "
#define STRIDE "stride_h# stride_w# "
#define WINDOW KERNEL STRIDE "dilation_h# dilation_w# "

/* Names of the constants from id 3 on: counted by value; "name#" by 0, 1, 2 and more; "name|" by
 * bits; "name." by bytes; "-" are sizes, which only bound loops, and what is always 1. */
static const struct {
    const char *stem, *specs;
} specs[] = {
    { "arg_max", "over_channels least signed" },
    { "attention", "rows team parts# -" },
    { "batch_matmul", "adj_x adj_y" },
    { "batch_matmul_int8", "adj_x adj_y" },
    { "batch_matmul_int16", "adj_x adj_y y_bytes" },
    { "binary", "op broadcast_a broadcast_b activation constant rounded" },
    { "binary_i32", "op broadcast_a broadcast_b activation" },
    { "binary_int8", "op broadcast_a broadcast_b signed" },
    { "cast_int8", "from to" },
    { "chain", "groups# start# links - - - - - - - - bytes" },
    { "compare", "op broadcast_a broadcast_b constant signed scaled" },
    { "concatenation", "split" },
    { "conv_2d", WINDOW "rows dense activation residual rounded columns" },
    { "conv_2d_grouped", WINDOW "activation rounded" },
    { "conv_2d_grouped_int8", WINDOW "sign_flip# requantize" },
    { "conv_2d_int8", WINDOW "rows dense requantize sign_flip# sum_x quads tail" },
    { "cumsum", "over_channels exclusive reverse scan" },
    { "depthwise_conv_2d", WINDOW "multiplier# activation rounded" },
    { "depthwise_conv_2d_int8", WINDOW "multiplier# sign_flip# sum_x requantize" },
    { "depthwise_run_int8", KERNEL STRIDE "dilation_h# - sign_flip# sum_x requantize" },
    { "depthwise_tile", WINDOW "rows columns activation rounded" },
    { "dot_int16", WINDOW "tile grouped transposed in_double narrow" },
    { "dynamic_update_slice", "whole dims" },
    { "elementwise", "op" },
    { "embedding_lookup", "bits blocks" },
    { "fully_connected", "activation wide residual" },
    { "gather", "whole depth" },
    { "gemm", WINDOW "activation flags| rows columns - source# groups#" },
    { "gemm_int8", WINDOW "rows - requantize sign_flip# sum_x" },
    { "gemm_sum", "activation residual rounded parts" },
    { "l2_normalization_int8", "signed" },
    { "lstm_full", "cifg peephole projection activation" },
    { "lstm_full_int8", "cifg peephole projection" },
    { "lstm_state", "out" },
    { "lstm_state_int8", "out" },
    { "matrix", KERNEL "- - dilation_h# dilation_w# tile subgroups. - - - - flags|" },
    { "matvec", "activation residual rounded columns turns planes tail#" },
    { "move", "mode" },
    { "norm", "centered" },
    { "packed_product", "bits rows columns planes# activation blocks whole residual outputs" },
    { "pointwise_depthwise", KERNEL STRIDE "- - tile rows# shares - flags| -" },
    { "pool", "stride_h# stride_w# activation maximum zeros" },
    { "pool_int8", "stride_h# stride_w# signed maximum zeros" },
    { "quantize_int8", "half signed" },
    { "reduce", "over_channels op stage" },
    { "reduce_int8", "over_channels op stage signed average" },
    { "resize_int8", "signed" },
    { "select", "broadcast_c broadcast_a broadcast_b" },
    { "softmax", "op alone" },
    { "softmax_int8", "signed log wide alone" },
    { "svdf", "activation" },
    { "table", "bits" },
    { "take", "dims channels" },
    { "topk_v2", "signed" },
    { "transpose_conv", KERNEL STRIDE "- - activation" },
    { "transpose_conv_int8", KERNEL STRIDE "- - sign_flip# sum_x requantize" },
    { "unary", "op activation" },
};

static bool is_stem(const char *stem)
{
    const size_t n = strlen(stem);

    return strncmp(NAME, stem, n) == 0 && NAME[n] == '.';
}

/* The constant's value, which a plan that shares pipelines has among the push constants. */
static uint32_t spec_of(const struct plan_step *s, uint32_t id)
{
    uint32_t at = s->thawed_at, v;

    if (!(s->thawed >> id & 1))
        return s->spec[id];
    for (uint32_t i = 0; i < id; i++)
        at += s->thawed >> i & 1 ? (uint32_t)sizeof v : 0;
    memcpy(&v, s->push + at, sizeof v);
    return v;
}

static void reach_spec(uint32_t id, const char *word, int length)
{
    const uint64_t key = mix(now.shader->key, id);
    const char kind = word[length];
    uint32_t v = spec_of(now.step, id);

    if (word[0] == '-')
        return;
    if (kind == '#') {
        v = v < 3 ? v : 3;
        reach(mix(key, v), "%s %.*s=%u%s", NAME, length, word, v, v == 3 ? " or more" : "");
    } else if (kind == '.') {
        reach(mix(key, v), "%s %.*s=%u.%u.%u", NAME, length, word, v & 255, v >> 8 & 255,
              v >> 16 & 255);
    } else if (kind == '|') {
        for (uint32_t bit = 0; bit < 32; bit++)
            if (v >> bit & 1)
                reach(mix(key, bit), "%s %.*s bit %u", NAME, length, word, bit);
        if (v == 0)
            reach(mix(key, 32), "%s %.*s=0", NAME, length, word);
    } else {
        reach(mix(key, v), "%s %.*s=%u", NAME, length, word, v);
    }
}

static void reach_specs(void)
{
    const char *word = now.shader->specs ? now.shader->specs : "";
    uint32_t id = 3;

    for (; *word; id++) {
        const int length = (int)strcspn(word, "#|. ");
        const size_t all = strcspn(word, " ");

        if (id < now.step->spec_count || now.step->thawed >> id & 1)
            reach_spec(id, word, length);
        word += all + strspn(word + all, " ");
    }
    now.shader->named = id;
    if (now.shader->given < now.step->spec_count)
        now.shader->given = now.step->spec_count;
    if (id < now.step->spec_count)
        fail_msg("%s has %u specialization constants, `specs` names %u", NAME,
                 now.step->spec_count - 3, id - 3);
}

/* ---- edges ---- */

/* How `total` is cut into blocks: less than one, several, and several of which one is not full. */
static void reach_blocks(uint32_t id, const char *what, uint64_t total, uint64_t block)
{
    const uint64_t key = mix(now.shader->key, 1000 + 4 * id);

    if (block < 2)
        return;
    if (total < block)
        reach(key, "%s %s: part of a block", NAME, what);
    if (total > block)
        reach(key + 1, "%s %s: several blocks", NAME, what);
    if (total > block && total % block != 0)
        reach(key + 2, "%s %s: a last block in part", NAME, what);
}

static const struct plan_tensor *tensor_at(int binding)
{
    const struct plan_binding *const b = &now.step->bindings[binding];
    int t = -1;

    if (b->location == LOCATION_ARENA)
        t = b->index;
    else if (b->location == LOCATION_INPUT)
        t = now.plan->inputs[b->index].plan_tensor;
    else if (b->location == LOCATION_OUTPUT)
        t = now.plan->outputs[b->index].plan_tensor;
    return t < 0 ? NULL : &now.plan->tensors[t];
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

#define ARGS(type, name)                                                                           \
    struct type name;                                                                              \
    memcpy(&name, now.step->push, sizeof name)

static void reach_gemm(const uint32_t *x)
{
    ARGS(gemm_args, a);
    const struct window_args *const w = &a.window;
    const bool phases = x[GEMM_SPEC_FLAGS] & GEMM_PHASES;
    const uint32_t down = phases ? x[WINDOW_SPEC_STRIDE_H] : 1;
    const uint32_t across = phases ? x[WINDOW_SPEC_STRIDE_W] : 1;
    const uint64_t images = a.pixels / ((uint64_t)w->out_h * w->out_w);

    reach_blocks(10, "rows",
                 phases ? images * quotient_up(w->out_h, down) * quotient_up(w->out_w, across)
                        : a.pixels,
                 x[1] * x[GEMM_SPEC_ROWS]);
    reach_blocks(11, "columns", w->out_slices / x[GEMM_SPEC_GROUPS], x[0] * x[GEMM_SPEC_COLUMNS]);
    reach_blocks(12, "depth", a.depth, x[GEMM_SPEC_DEPTH]);
    reach_blocks(13, "planes of the depth", a.depth, x[2]);
    if (a.part_depth < a.depth)
        reach_blocks(14, "parts of the depth", a.depth, a.part_depth);
    if (phases) {
        reach_blocks(15, "phases down", w->out_h, down);
        reach_blocks(16, "phases across", w->out_w, across);
    }
}

static void reach_matrix(const uint32_t *x, const struct plan_tensor *src,
                         const struct plan_tensor *dst)
{
    const bool bytes = strstr(NAME, "bytes") != NULL;
    const uint32_t n = bytes || strstr(NAME, "11") ? 1 : 2, m = strstr(NAME, "22") ? 2 : 1;
    const uint32_t groups = x[MATRIX_SPEC_SUBGROUPS];
    const uint64_t depth = (uint64_t)x[3] * x[4] * src->slices * 4, tile = x[MATRIX_SPEC_TILE];
    const uint64_t deep = quotient_up(depth, bytes ? 2 * tile : tile);

    reach_blocks(10, "pixels",
                 now.step->groups[2] > 1 ? dst->rows / now.step->groups[2] : dst->rows,
                 tile * m * (groups & 255));
    reach_blocks(11, "outputs", dst->channels, tile * n * (groups >> 8 & 255));
    reach_blocks(12, "lanes of the sum", depth, bytes ? 2 * tile : tile);
    reach_blocks(13, "tiles of the sum", deep, x[MATRIX_SPEC_CHUNK]);
    reach_blocks(14, "shares of the sum", deep, groups >> 16);
    if (now.step->groups[2] > 1)
        reach_blocks(15, "parts of the sum", deep, x[MATRIX_SPEC_PART]);
}

/* Tiles of products and windows. */
static void reach_tiles(const struct plan_tensor *src, const struct plan_tensor *dst)
{
    uint32_t x[PLAN_SPEC_MAX];

    for (uint32_t i = 0; i < PLAN_SPEC_MAX; i++)
        x[i] = spec_of(now.step, i);
    if (is_stem("gemm"))
        reach_gemm(x);
    if (is_stem("matrix"))
        reach_matrix(x, src, dst);
    if (is_stem("gemm_int8")) {
        ARGS(gemm_int8_args, a);
        reach_blocks(10, "rows", a.pixels, x[1] * x[GEMM_INT8_SPEC_ROWS]);
        reach_blocks(11, "columns", dst->slices, x[0]);
        reach_blocks(12, "quads", quotient_up((uint64_t)x[3] * x[4] * src->slices, 4),
                     x[GEMM_INT8_SPEC_CHUNK]);
    }
    if (is_stem("conv_2d") || is_stem("conv_2d_int8")) {
        reach_blocks(10, "pixels of a run", dst->rows, x[9]);
        reach_blocks(11, "runs", quotient_up(dst->rows, x[9]), x[1]);
        reach_blocks(12, "columns", dst->slices, (is_stem("conv_2d") ? x[14] : 1) * x[0]);
        reach_blocks(13, "shares of the sum", src->slices, x[2]);
    }
    if (is_stem("matvec")) {
        reach_blocks(10, "columns", dst->slices, x[MATVEC_SPEC_COLUMNS]);
        reach_blocks(11, "planes", src->slices, x[MATVEC_SPEC_PLANES]);
        reach_blocks(12, "turns", src->slices, x[MATVEC_SPEC_PLANES] * x[MATVEC_SPEC_TURNS]);
        reach_blocks(13, "rows", dst->rows + 1, 2);
    }
    if (is_stem("fully_connected")) {
        reach_blocks(10, "columns", dst->slices, x[0]);
        reach_blocks(11, "shares of the sum", src->slices, x[1]);
    }
    if (is_stem("depthwise_tile")) {
        ARGS(depthwise_tile_args, a);
        reach_blocks(10, "runs", a.window.out_w, x[1] * x[DEPTHWISE_TILE_SPEC_COLUMNS]);
        reach_blocks(11, "pixels of a run", a.window.out_w, x[DEPTHWISE_TILE_SPEC_COLUMNS]);
        reach_blocks(12, "slices", a.window.out_slices, x[0]);
    }
    if (is_stem("pointwise_depthwise")) {
        ARGS(pointwise_depthwise_args, a);
        reach_blocks(10, "inputs", 4ull * src->slices, x[POINTWISE_DEPTHWISE_SPEC_TILE]);
        reach_blocks(11, "outputs", dst->channels,
                     POINTWISE_DEPTHWISE_BLOCK * x[POINTWISE_DEPTHWISE_SPEC_TILE]);
        if (x[POINTWISE_DEPTHWISE_SPEC_FLAGS] & POINTWISE_DEPTHWISE_TWO_ROWS)
            reach_blocks(12, "rows of a workgroup", a.window.out_h, 2);
    }
}

static void reach_edges(void)
{
    const struct plan_tensor *const dst = tensor_at(0), *const src = tensor_at(1);
    const struct plan_step *const s = now.step;
    const uint64_t key = mix(now.shader->key, 2000);
    const uint64_t groups = (uint64_t)s->groups[0] * s->groups[1] * s->groups[2];

    if (groups > 1)
        reach(key, "%s: several workgroups", NAME);
    if (s->items > 0 && s->items % ((uint64_t)s->spec[0] * s->spec[1] * s->spec[2]) != 0)
        reach(key + 1, "%s: a last workgroup in part", NAME);
    if (dst && dst->channels % 4 != 0)
        reach(key + 2, "%s: a last slice of the result in part", NAME);
    if (src && src->channels % 4 != 0)
        reach(key + 3, "%s: a last slice of the input in part", NAME);
    if (dst && dst->graph_tensor >= 0 && dst->graph_tensor < now.graph->tensor_count &&
        now.graph->tensors[dst->graph_tensor].rank > 2 &&
        now.graph->tensors[dst->graph_tensor].dims[0] > 1)
        reach(key + 4, "%s: a batch", NAME);
    /* Those that share a row among the invocations of a workgroup. */
    if (src && s->shared_bytes > 0 && s->spec[1] * s->spec[2] == 1)
        reach_blocks(300, "slices of a row", src->slices, s->spec[0]);
    if (src && dst)
        reach_tiles(src, dst);
}

/* ---- plans ---- */

/* The name of the shader's variant, as delegate/vulkan/pipeline.c finds it; names are static. */
static void name_shader(const struct plan_step *s)
{
    static const char *const endings[2][2] = { { ".f32", ".word" }, { ".f16", ".short" } };
    size_t at = mix((uintptr_t)s->shader, now.plan->half) % VARIANTS;

    while (variants[at].of && (variants[at].of != s->shader || variants[at].half != now.plan->half))
        at = (at + 1) % VARIANTS;
    now.shader = &variants[at];
    if (now.shader->of)
        return;
    *now.shader = (struct variant){ .of = s->shader, .half = now.plan->half };
    snprintf(NAME, sizeof NAME, "%s%s", s->shader, strchr(s->shader, '.') ? "" : ".int");
    for (int i = 1; i >= 0 && !strchr(s->shader, '.'); i--) {
        char full[sizeof NAME];

        snprintf(full, sizeof full, "%s%s", s->shader, endings[now.plan->half][i]);
        if (spirv_find(full))
            memcpy(NAME, full, sizeof full);
    }
    snprintf(now.shader->dot, sizeof now.shader->dot, "%s.dot", s->shader);
    if (!spirv_find(now.shader->dot))
        now.shader->dot[0] = '\0';
    now.shader->key = mix_text(1, NAME);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        if (is_stem(specs[i].stem))
            now.shader->specs = specs[i].specs;
}

/* A reason without its numbers and names, which are of the case. */
static void reach_reason(const struct reason *r)
{
    const char *const id = r->kind == REASON_TRANSFORM ? transform_name((enum transform_id)r->id)
                                                       : options_kernel_name((enum kernel_id)r->id);
    char text[NAME_BYTES];
    size_t n = 0;

    for (const char *t = r->text; *t && n + 2 < sizeof text;) {
        const bool word = t == r->text || (!isalnum((unsigned char)t[-1]) && t[-1] != '_');
        const size_t upper = strspn(t, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

        if (word && isdigit((unsigned char)*t)) {
            text[n++] = 'N';
            t += strspn(t, "0123456789.e+");
        } else if (word && upper > 1) {
            memcpy(text + n, "OP", 2);
            n += 2;
            t += upper;
        } else {
            text[n++] = *t++;
        }
    }
    text[n] = '\0';
    reach(mix_text((uint64_t)r->kind + 10 + (uint64_t)r->id * 100, text), "not %s %s: %s",
          r->kind == REASON_TRANSFORM ? "transform" : "kernel", id, text);
}

static void reach_plan(void)
{
    for (int i = 0; i < now.plan->step_count; i++) {
        now.step = now.plan->steps[i];
        name_shader(now.step);
        reach(now.shader->key, "%s", NAME);
        reach_specs();
        reach_edges();
        if (now.shader->dot[0] && now.step->packed_dot && now.device > LAVAPIPE)
            reach(mix(now.shader->key, 2999), "%s", now.shader->dot);
        if (now.step->frozen)
            reach(mix(now.shader->key, 3000), "%s frozen", NAME);
        if (now.step->thawed)
            reach(mix(now.shader->key, 3001), "%s thawed", NAME);
    }
    for (int i = 0; i < TRANSFORM_COUNT; i++)
        if (now.plan->applied[i] > 0)
            reach((uint64_t)i + 100000, "transform %s", transform_name((enum transform_id)i));
    if (now.plan->groups > 0)
        reach(200000, "steps side by side");
    if (now.plan->in_place > 0)
        reach(200001, "steps in place");
    for (int i = 0; i < now.plan->reasons.count; i++)
        reach_reason(&now.plan->reasons.list[i]);
}

/* All nodes that are taken as one partition. */
static void request_taken(struct plan_request *r, const struct graph *g, const bool *take,
                          int *lists)
{
    int *const inputs = lists + g->node_count, *const outputs = inputs + g->tensor_count;

    for (int i = 0; i < g->node_count; i++)
        if (take[i])
            lists[r->node_count++] = g->nodes[i].host_node;
    for (int t = 0; t < g->tensor_count; t++) {
        const int from = g->tensors[t].producer;
        const bool computed = from >= 0 && take[from];
        bool read = false, outside = false;

        for (int i = 0; i < g->node_count; i++)
            for (int j = 0; j < g->nodes[i].input_count; j++)
                if (g->nodes[i].inputs[j] == t) {
                    read |= take[i];
                    outside |= !take[i];
                }
        if (read && !computed)
            inputs[r->input_count++] = t;
        if (computed && (outside || !read))
            outputs[r->output_count++] = t;
    }
    r->nodes = lists;
    r->inputs = inputs;
    r->outputs = outputs;
}

static void plan_on(struct graph *g, const struct gpu_options *o, int *lists)
{
    struct plan_request r = {
        .graph = g, .options = o, .limits = &devices[now.device], .unpacked = true, .reasons = true
    };
    struct decision d;
    struct plan p;

    KIT_OK_DIAG(decision_make(&d, g, o, r.limits, &err), err);
    request_taken(&r, g, d.take, lists);
    decision_close(&d);
    if (r.node_count == 0)
        return;
    if (plan_make(&p, &r, &err) == STATUS_OK) {
        now.plan = &p;
        reach_plan();
    } else {
        reach(300000, "a plan beyond the limits of the device");
    }
    plan_close(&p);
}

static void look(struct graph *g, void *user)
{
    int *lists CLOSED_BY(kit_free) =
        calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count + 1, sizeof(int));

    (void)user;
    assert_non_null(lists);
    now.graph = g;
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(modes[m]);

        for (now.device = 0; now.device < DEVICES; now.device++)
            plan_on(g, &o, lists);
    }
}

static void plan_all(void)
{
    size_t count;

    make_devices();
    struct test_case *cases CLOSED_BY(kit_mem_free);
    KIT_OK_DIAG(cases_list(&cases, &count, &err), err);
    for (size_t i = 0; i < count; i++) {
        const struct case_request request = { .seed = 1 };

        now.name = cases[i].name;
        now.number = i + 1;
        struct case_instance instance CLOSED_BY(case_instance_close);
        KIT_OK_DIAG(case_build(&cases[i], &request, &instance, &err), err);
        MODEL_BY(m,
                 KIT_OK_DIAG(tflite_read(&m, instance.file.bytes, instance.file.count, &err), err));
        gpu_look(&m, look, NULL);
    }
}

/* ---- the file ---- */

static int by_name(const void *a, const void *b)
{
    const struct point *const x = a, *const y = b;

    return strcmp(x->name, y->name);
}

static int most_cases(const struct point *p)
{
    int most = 0;

    for (int d = 0; d < DEVICES; d++)
        most = p->cases[d] > most ? p->cases[d] : most;
    return most;
}

/* One of the first `planned`, which are sorted, or a new one behind them that no case reaches. */
static struct point *point_named(const char *name, int length, int planned)
{
    struct point wanted = { .key = 0 }, *found;

    snprintf(wanted.name, sizeof wanted.name, "%.*s", length, name);
    if ((found = bsearch(&wanted, points, (size_t)planned, sizeof wanted, by_name)))
        return found;
    for (int i = planned; i < point_count; i++)
        if (strcmp(points[i].name, wanted.name) == 0)
            return &points[i];
    assert_true(point_count < POINTS_MAX);
    points[point_count] = wanted;
    return &points[point_count++];
}

/* Plans all cases and reads the file: points in the order of their names, among them those that
 * only the file has, and all shaders. */
static void make_map(void)
{
    FILE *const f = fopen(file_name, "r");
    char line[1024];
    int planned;

    plan_all();
    planned = point_count;
    qsort(points, (size_t)planned, sizeof points[0], by_name);
    for (size_t i = 0; i < spirv_shader_count; i++)
        point_named(spirv_shaders[i].name, NAME_BYTES, planned);
    while (f && fgets(line, sizeof line, f)) {
        char *at = line + strcspn(line, "\t");
        struct point *p;

        if (line[0] == '#' || *at != '\t')
            continue;
        p = point_named(line, (int)(at - line), planned);
        for (int d = 0; d < DEVICES; d++)
            p->kept[d] = (int)strtol(at, &at, 10);
        at += *at == '\t';
        snprintf(p->why, sizeof p->why, "%.*s", (int)strcspn(at, "\n"), at);
    }
    if (f)
        fclose(f);
    qsort(points, (size_t)point_count, sizeof points[0], by_name);
}

static void print_map(FILE *f)
{
    int few = 0;

    for (int i = 0; i < point_count; i++)
        few += most_cases(&points[i]) < FIVE;
    fprintf(f, "# %d points, of which %d have fewer than %d cases.\n", point_count, few, FIVE);
    fprintf(f,
            "# How many cases reach what, by device: `make reach ARGS=keep` writes it.\n# point");
    for (int d = 0; d < DEVICES; d++)
        fprintf(f, "\t%s", device_names[d]);
    fprintf(f, "\twhy fewer than %d\n", FIVE);
    for (int i = 0; i < point_count; i++) {
        /* Not one that is no more, unless it is a shader. */
        if (most_cases(&points[i]) == 0 && strchr(points[i].name, ' ') && !points[i].why[0])
            continue;
        fprintf(f, "%s", points[i].name);
        for (int d = 0; d < DEVICES; d++)
            fprintf(f, "\t%d", points[i].cases[d]);
        fprintf(f, "%s%s\n", points[i].why[0] ? "\t" : "", points[i].why);
    }
}

/* map, keep, or cases PATTERN: which cases reach points, on which device. */
static int print(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    FILE *f;

    if (strcmp(what, "cases") == 0 && argc == 3) {
        now.pattern = argv[2];
        plan_all();
        return 0;
    }
    if (argc != 2 || (strcmp(what, "map") != 0 && strcmp(what, "keep") != 0))
        return -1;
    make_map();
    if (strcmp(what, "map") == 0) {
        print_map(stdout);
        return 0;
    }
    if (!(f = fopen(file_name, "w"))) {
        perror(file_name);
        return 1;
    }
    print_map(f);
    return fclose(f) == 0 ? 0 : 1;
}

FIXTURE(make_once)
{
    if (!KIT_SANITIZED) /* it takes seconds, without a device */
        make_map();
    return 0;
}

/* A name behind the last constant would be one that the shader has no more. */
TEST(all_names_have_constants)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (variants[i].specs && variants[i].named > variants[i].given)
            fail_msg("%s has at most %u specialization constants, `specs` names %u",
                     variants[i].name, variants[i].given - 3, variants[i].named - 3);
}

TEST(no_point_is_lost)
{
    int lost = 0;

    for (int i = 0; i < point_count; i++)
        for (int d = 0; d < DEVICES; d++)
            if (points[i].cases[d] < points[i].kept[d]) {
                print_error("%s, %s: expected at least %d cases, found %d\n", points[i].name,
                            device_names[d], points[i].kept[d], points[i].cases[d]);
                lost++;
            }
    assert_int_equal(lost, 0);
}

TEST(each_shader_has_cases)
{
    for (int i = 0; i < point_count; i++)
        if (!strpbrk(points[i].name, " :") && most_cases(&points[i]) < FIVE && !points[i].why[0])
            fail_msg("%s: expected %d cases, or in %s why not, found %d", points[i].name, FIVE,
                     file_name, most_cases(&points[i]));
}

/* Whether another point has the same constant of the same shader, in any variant, at another value.
 */
static bool has_other_value(const char *point, size_t constant)
{
    const size_t stem = strcspn(point, "."), value = constant + strcspn(point + constant, "=");

    for (int i = 0; i < point_count; i++) {
        const char *const other = points[i].name, *const space = strchr(other, ' ');

        if (space && most_cases(&points[i]) > 0 && strncmp(other, point, stem + 1) == 0 &&
            strncmp(space + 1, point + constant, value - constant) == 0 &&
            strchr("= ", space[1 + value - constant]) &&
            strcmp(space + 1 + value - constant, point + value) != 0)
            return true;
    }
    return false;
}

/* A constant that has one value in all cases hides the code of the others. */
TEST(constants_vary)
{
    int fixed = 0;

    for (int i = 0; i < point_count; i++) {
        const char *const name = points[i].name;
        const size_t constant = strcspn(name, " ") + 1;

        if (strpbrk(name, ":") || !strchr(name, '=') || points[i].why[0] ||
            most_cases(&points[i]) == 0 || has_other_value(name, constant))
            continue;
        print_error("%s: expected cases of another value, or in %s why not\n", name, file_name);
        fixed++;
    }
    assert_int_equal(fixed, 0);
}

TEST_FILE(.setup = make_once, .main = print);
