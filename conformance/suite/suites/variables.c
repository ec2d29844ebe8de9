/* State that the host keeps: VAR_HANDLE, ASSIGN_VARIABLE, READ_VARIABLE and CALL_ONCE between ops
 * that a delegate takes.  Each inference assigns what it reads, or reads what was assigned once, so
 * that results follow from its inputs. */
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"

enum from {
    FROM_INPUT,    /* the variable gets an activation */
    FROM_CONSTANT, /* a constant */
    FROM_ONCE      /* one that another subgraph assigns before the first inference */
};
struct row {
    struct op_case base;
    enum from from;
    bool steps; /* what was read is used, assigned, and read once more */
};

static const struct suite_member members[] = {
    { SUITE_OP("mul", MUL, 1), .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8),
      .sets = SET_BIT(SET_RANDOM) },
};

#define TYPES REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))
static const struct row rows[] = {
    { ROW("variable", "what is assigned is read again", TYPES) },
    { ROW("variable_constant", "a constant is assigned and read again", TYPES),
      .from = FROM_CONSTANT },
    { ROW("variable_once", "a constant that was assigned once is read", TYPES), .from = FROM_ONCE },
    { ROW("variable_steps", "two steps of a stream: the second reads what the first assigned last",
          TYPES),
      .steps = true },
    { ROW("variable_once_steps", "the first step reads what was assigned once", TYPES),
      .from = FROM_ONCE, .steps = true },
};

enum { ELEMENTS = 60 };
static const struct shape image = DIMS(1, 3, 4, 5);
static const float once_scale = 0.0625F;
static const int64_t once_zero = 3;

static int handle(struct case_builder *m)
{
    const int tensor = builder_tensor(&m->builder, TENSOR_RESOURCE, "handle", 0, NULL);
    struct options options;

    options_init(&options, OPTIONS_VarHandleOptions);
    options_set_text(&options, "shared_name", "v");
    builder_op(&m->builder, BUILTIN_VAR_HANDLE, 1, &options, 0, NULL, 1, &tensor);
    return tensor;
}

static void assign(struct case_builder *m, int variable, int value)
{
    const struct options options = { .tag = OPTIONS_AssignVariableOptions };

    builder_op(&m->builder, BUILTIN_ASSIGN_VARIABLE, 1, &options, 2,
               (const int[]){ variable, value }, 0, NULL);
}

/* The subgraph that CALL_ONCE runs. */
static void add_once(struct case_builder *m)
{
    struct builder *const b = &m->builder;
    float floats[ELEMENTS];
    int8_t bytes[ELEMENTS];
    int value;

    for (int i = 0; i < ELEMENTS; i++) {
        floats[i] = (float)(i % 13 - 6) / 4;
        bytes[i] = (int8_t)(4 * i - 120);
    }
    builder_subgraph(b);
    if (m->c->quantized) {
        value = builder_constant(b, m->c->type, "first", 4, image.d, bytes, sizeof bytes);
        builder_quantization(b, value, 1, &once_scale, &once_zero, 0);
    } else
        value = builder_constant(b, m->c->type, "first", 4, image.d, floats, sizeof floats);
    assign(m, handle(m), value);
}

/* Gives what is read the scale of what was assigned. */
static void scale_as(struct case_builder *m, int value, enum from from, int assigned)
{
    const struct case_scale *scale;

    if (!m->c->quantized)
        return;
    case_scale_of(m, value); /* allocates the entry, so that the pointer stays valid */
    scale = from == FROM_ONCE ? NULL : case_scale_of(m, assigned);
    if (from == FROM_ONCE)
        case_set_scale(m, value, m->c->type, once_scale, once_zero);
    else if (scale)
        case_set_scale(m, value, scale->type, scale->scale, scale->zero);
}

static struct value read_variable(struct case_builder *m, int variable, enum from from,
                                  int assigned)
{
    const struct options read = { .tag = OPTIONS_ReadVariableOptions };
    struct value y = { .shape = image };

    y.tensor = case_tensor(m, "value", &image);
    scale_as(m, y.tensor, from, assigned);
    y.op = builder_op(&m->builder, BUILTIN_READ_VARIABLE, 1, &read, 1, &variable, 1, &y.tensor);
    return y;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    struct options once;
    struct value x = graph_add_input(m, "x", &image), v = x, y;
    int variable;

    options_init(&once, OPTIONS_CallOnceOptions);
    options_set_int(&once, "init_subgraph_index", 1);
    if (r->from == FROM_ONCE && m->status == STATUS_OK) {
        m->more = add_once;
        builder_op(&m->builder, BUILTIN_CALL_ONCE, 1, &once, 0, NULL, 0, NULL);
    }
    x = graph_add_unary(m, BUILTIN_RELU, x);
    v = r->from == FROM_CONSTANT ? graph_add_constant(m, &image) : x;
    if (m->status != STATUS_OK)
        return;
    variable = handle(m);
    if (r->from != FROM_ONCE)
        assign(m, variable, v.tensor);
    y = read_variable(m, variable, r->from, v.tensor);
    if (r->steps) {
        v = graph_add_binary(m, BUILTIN_MUL, x, y, ACTIVATION_NONE);
        assign(m, variable, v.tensor);
        y = read_variable(m, variable, FROM_INPUT, v.tensor);
    }
    graph_add_judged_output(m, graph_add_binary(m, BUILTIN_MUL, x, y, ACTIVATION_NONE));
}

SUITE_UNDRAWN(variables, members, rows, build);
