/* State that the host keeps: VAR_HANDLE, ASSIGN_VARIABLE and READ_VARIABLE between ops that a
 * delegate takes.  Each inference assigns what it reads, so that results follow from its inputs. */
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"

struct row {
    struct op_case base;
    struct shape in;
    bool constant; /* the variable gets a constant */
};

static const struct suite_member members[] = {
    { .op = "mul",
      .code = BUILTIN_MUL,
      .version = 1,
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8),
      .sets = SET_BIT(SET_RANDOM) },
};

static const struct row rows[] = {
    { ROW("variable", "what is assigned is read again",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 3, 4, 5) },
    { ROW("variable_constant", "a constant is assigned and read again",
          REAL(TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8))),
      .in = DIMS(1, 3, 4, 5), .constant = true },
};

static int handle(struct case_builder *m)
{
    const struct shape scalar = SCALAR;
    const int tensor = case_tensor_of(m, "handle", &scalar, TENSOR_RESOURCE);
    struct options options;

    options_init(&options, OPTIONS_VarHandleOptions);
    options_set_text(&options, "shared_name", "v");
    if (m->status == STATUS_OK)
        builder_op(&m->builder, BUILTIN_VAR_HANDLE, 1, &options, 0, NULL, 1, &tensor);
    return tensor;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct options assign = { .tag = OPTIONS_AssignVariableOptions };
    const struct options read = { .tag = OPTIONS_ReadVariableOptions };
    const struct value x = graph_add_unary(m, BUILTIN_RELU, graph_add_input(m, "x", &r->in));
    const struct value v = r->constant ? graph_add_constant(m, &r->in) : x;
    const struct case_scale *scale;
    const int variable = handle(m);
    struct value y = { .shape = r->in, .tensor = case_tensor(m, "value", &r->in) };

    if (m->status != STATUS_OK)
        return;
    case_scale_of(m, y.tensor); /* allocates the entry, so that the pointer stays valid */
    scale = case_scale_of(m, v.tensor);
    if (m->c->quantized && scale)
        case_set_scale(m, y.tensor, scale->type, scale->scale, scale->zero);
    builder_op(&m->builder, BUILTIN_ASSIGN_VARIABLE, 1, &assign, 2,
               (const int[]){ variable, v.tensor }, 0, NULL);
    y.op = builder_op(&m->builder, BUILTIN_READ_VARIABLE, 1, &read, 1, &variable, 1, &y.tensor);
    graph_add_judged_output(m, graph_add_binary(m, BUILTIN_MUL, x, y, ACTIVATION_NONE));
}

SUITE_UNDRAWN(variables, members, rows, build);
