#include "reference/tests/kit/subgraph_kit.h"

static const int32_t pair[] = { 2 }, row[] = { 1, 2 }, wide_row[] = { 1, 4 }, one[] = { 1 };

static int scalar_i32(struct builder *b, const char *name)
{
    return builder_tensor(b, TENSOR_INT32, name, 0, NULL);
}

static int constant_i32(struct builder *b, const char *name, size_t rank, int32_t value)
{
    return builder_constant(b, TENSOR_INT32, name, rank, one, &value, sizeof value);
}

static void add_op(struct builder *b, int x, int y, int z)
{
    struct options options;

    options_init(&options, OPTIONS_AddOptions);
    builder_op(b, BUILTIN_ADD, 1, &options, 2, (int[]){ x, y }, 1, &z);
}

static void join(struct builder *b, int x, int y, int axis)
{
    struct options options;

    options_init(&options, OPTIONS_ConcatenationOptions);
    options_set_int(&options, "axis", axis);
    builder_op(b, BUILTIN_CONCATENATION, 1, &options, 2, (int[]){ x, x }, 1, &y);
}

static void finish(struct builder *b, struct model *m)
{
    struct diag diag = { 0 };

    KIT_OK(builder_finish(b, m, &diag));
}

/* ---- WHILE ---- */

/* Whether i is below steps: element i of a table. */
static int below(struct builder *b, int i, int steps)
{
    const int32_t size[] = { steps + 1 };
    const int at = builder_tensor(b, TENSOR_INT32, "at", 1, one);
    const int end = builder_tensor(b, TENSOR_INT32, "end", 1, one);
    const int result = builder_tensor(b, TENSOR_BOOL, "more", 0, NULL);
    const int step = constant_i32(b, "one", 1, 1);
    uint8_t table[64];
    struct options options;
    int flags;

    assert_true(steps < (int)sizeof table);
    memset(table, 1, sizeof table);
    table[steps] = 0;
    flags = builder_constant(b, TENSOR_BOOL, "table", 1, size, table, (size_t)steps + 1);
    builder_op(b, BUILTIN_RESHAPE, 1, NULL, 2, (int[]){ i, step }, 1, &at);
    add_op(b, at, step, end);
    options_init(&options, OPTIONS_StridedSliceOptions);
    options_set_int(&options, "shrink_axis_mask", 1);
    builder_op(b, BUILTIN_STRIDED_SLICE, 4, &options, 4, (int[]){ flags, at, end, step }, 1,
               &result);
    return result;
}

static void begin_loop(struct builder *b)
{
    struct options options;
    int x, i, n, y;

    builder_init(b);
    x = builder_tensor(b, TENSOR_FLOAT32, "x", 1, pair);
    i = constant_i32(b, "zero", 0, 0);
    n = scalar_i32(b, "n");
    y = builder_tensor(b, TENSOR_FLOAT32, "y", 1, pair);
    options_init(&options, OPTIONS_WhileOptions);
    options_set_int(&options, "cond_subgraph_index", 1);
    options_set_int(&options, "body_subgraph_index", 2);
    builder_op(b, BUILTIN_WHILE, 1, &options, 2, (int[]){ i, x }, 2, (int[]){ n, y });
    builder_inputs(b, 1, &x);
    builder_outputs(b, 2, (int[]){ n, y });
}

static void add_body(struct builder *b, bool grows)
{
    int i, v, next, result;

    builder_subgraph(b);
    i = scalar_i32(b, "i");
    v = builder_tensor(b, TENSOR_FLOAT32, "v", 1, pair);
    next = scalar_i32(b, "next");
    result = builder_tensor(b, TENSOR_FLOAT32, "result", 1, pair);
    add_op(b, i, constant_i32(b, "one", 0, 1), next);
    if (grows)
        join(b, v, result, 0);
    else
        add_op(b, v, v, result);
    builder_inputs(b, 2, (int[]){ i, v });
    builder_outputs(b, 2, (int[]){ next, result });
}

void kit_loop(struct model *m, int steps, bool grows)
{
    struct builder b;
    int i, v, more;

    begin_loop(&b);
    builder_subgraph(&b);
    i = scalar_i32(&b, "i");
    v = builder_tensor(&b, TENSOR_FLOAT32, "v", 1, pair);
    more = below(&b, i, steps);
    builder_inputs(&b, 2, (int[]){ i, v });
    builder_outputs(&b, 1, &more);
    add_body(&b, grows);
    finish(&b, m);
}

void kit_endless_loop(struct model *m)
{
    const uint8_t yes = 1;
    struct builder b;
    int i, v, more;

    begin_loop(&b);
    builder_subgraph(&b);
    i = scalar_i32(&b, "i");
    v = builder_tensor(&b, TENSOR_FLOAT32, "v", 1, pair);
    more = builder_constant(&b, TENSOR_BOOL, "yes", 0, NULL, &yes, 1);
    builder_inputs(&b, 2, (int[]){ i, v });
    builder_outputs(&b, 1, &more);
    add_body(&b, false);
    finish(&b, m);
}

/* ---- IF ---- */

static void branch(struct builder *b, int condition, int x, int y, int then, int other)
{
    struct options options;

    options_init(&options, OPTIONS_IfOptions);
    options_set_int(&options, "then_subgraph_index", then);
    options_set_int(&options, "else_subgraph_index", other);
    builder_op(b, BUILTIN_IF, 1, &options, 2, (int[]){ condition, x }, 1, &y);
}

void kit_branches(struct model *m, bool wide)
{
    struct builder b;
    int c, x, y, z;

    builder_init(&b);
    c = builder_tensor(&b, TENSOR_BOOL, "c", 1, one);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, row);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, row);
    z = builder_tensor(&b, TENSOR_FLOAT32, "z", 2, row);
    branch(&b, c, x, y, 1, 2);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &y, 1, &z);
    builder_inputs(&b, 2, (int[]){ c, x });
    builder_outputs(&b, 1, &z);

    builder_subgraph(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, row);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, row);
    add_op(&b, x, x, y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);

    builder_subgraph(&b);
    x = y = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, row);
    if (wide) {
        y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, wide_row);
        join(&b, x, y, 1);
    }
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    finish(&b, m);
}

void kit_ring(struct model *m, int length, int to)
{
    const uint8_t yes = 1;
    struct builder b;

    builder_init(&b);
    for (int i = 0; i < length; i++) {
        const int next = i + 1 < length ? i + 1 : to;
        int x, y;

        if (i > 0)
            builder_subgraph(&b);
        x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, row);
        y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, row);
        if (next >= 0)
            branch(&b, builder_constant(&b, TENSOR_BOOL, "yes", 1, one, &yes, 1), x, y, next, next);
        else
            add_op(&b, x, x, y);
        builder_inputs(&b, 1, &x);
        builder_outputs(&b, 1, &y);
    }
    finish(&b, m);
}

void kit_chain(struct model *m, int length)
{
    kit_ring(m, length, -1);
}

/* ---- variables ---- */

static int handle(struct builder *b, const char *name)
{
    const int y = builder_tensor(b, TENSOR_RESOURCE, name, 0, NULL);
    struct options options;

    options_init(&options, OPTIONS_VarHandleOptions);
    options_set_text(&options, "shared_name", name);
    builder_op(b, BUILTIN_VAR_HANDLE, 1, &options, 0, NULL, 1, &y);
    return y;
}

static void assign(struct builder *b, int variable, int value)
{
    builder_op(b, BUILTIN_ASSIGN_VARIABLE, 1, NULL, 2, (int[]){ variable, value }, 0, NULL);
}

void kit_variables(struct model *m, bool assigns)
{
    static const float ten[] = { 10, 10 }, other[] = { 7, 7 };
    struct options options;
    struct builder b;
    int x, y, z, sum, h, value;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 1, pair);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 1, pair);
    sum = builder_tensor(&b, TENSOR_FLOAT32, "sum", 1, pair);
    z = builder_tensor(&b, TENSOR_FLOAT32, "z", 1, pair);
    options_init(&options, OPTIONS_CallOnceOptions);
    options_set_int(&options, "init_subgraph_index", 1);
    builder_op(&b, BUILTIN_CALL_ONCE, 1, &options, 0, NULL, 0, NULL);
    h = handle(&b, "total");
    builder_op(&b, BUILTIN_READ_VARIABLE, 1, NULL, 1, &h, 1, &y);
    add_op(&b, x, y, sum);
    assign(&b, h, sum);
    h = handle(&b, "total");
    builder_op(&b, BUILTIN_READ_VARIABLE, 1, NULL, 1, &h, 1, &z);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 2, (int[]){ y, z });

    builder_subgraph(&b);
    /* Compilers differ in the order of arguments, and tensors are numbered as they are made. */
    value = builder_constant(&b, TENSOR_FLOAT32, "seven", 1, pair, other, sizeof other);
    assign(&b, handle(&b, "other"), value);
    if (assigns) {
        value = builder_constant(&b, TENSOR_FLOAT32, "ten", 1, pair, ten, sizeof ten);
        assign(&b, handle(&b, "total"), value);
    }
    finish(&b, m);
}

/* ---- detection ---- */

void kit_detection_options(struct flex_writer *w)
{
    static const char *const scales[] = { "y_scale", "x_scale", "h_scale", "w_scale" };

    *w = (struct flex_writer){ 0 };
    flex_write_int(w, "max_detections", 3);
    flex_write_int(w, "max_classes_per_detection", 1);
    flex_write_int(w, "num_classes", 2);
    flex_write_float(w, "nms_score_threshold", 0.25f);
    flex_write_float(w, "nms_iou_threshold", 0.5f);
    for (size_t i = 0; i < 4; i++)
        flex_write_float(w, scales[i], 1);
}

void kit_detection(struct model *m, int boxes, int columns, int32_t type, const void *options,
                   size_t count)
{
    const int32_t dims[][3] = { { 1, boxes, 4 }, { 1, boxes, columns }, { boxes, 4 } };
    static const size_t ranks[] = { 3, 2, 2, 1 };
    static const int32_t result[] = { 1, 1, 4 };
    static const float quarter = 0.25f;
    static const int64_t zero = 0;
    struct builder b;
    int in[3], out[4];

    builder_init(&b);
    for (int i = 0; i < 3; i++) {
        in[i] = builder_tensor(&b, type, "in", i == 2 ? 2 : 3, dims[i]);
        if (type == TENSOR_UINT8)
            builder_quantization(&b, in[i], 1, &quarter, &zero, 0);
    }
    for (int i = 0; i < 4; i++)
        out[i] = builder_tensor(&b, TENSOR_FLOAT32, "out", ranks[i], result);
    builder_custom(&b, "TFLite_Detection_PostProcess", 1, options, count, 3, in, 4, out);
    builder_inputs(&b, 3, in);
    builder_outputs(&b, 4, out);
    finish(&b, m);
}
