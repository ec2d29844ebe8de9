#include "delegate/tests/kit/graph_edit.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/base/checked.h"

/* What is edited, and where in the text. */
struct place {
    struct graph *g;
    const char *text, *at;
    struct graph_node *node;
    bool output;
    int index;
};

static void wrong(const struct place *p)
{
    fail_msg("graph edit '%s': unexpected '%s'", p->text, p->at);
}

static bool take(struct place *p, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

static long long number(struct place *p)
{
    char *end;
    const long long value = strtoll(p->at, &end, 0);

    if (end == p->at)
        wrong(p);
    p->at = end;
    return value;
}

/* "node1.", or nothing. */
static void find_node(struct place *p)
{
    const int index = take(p, "node") ? (int)number(p) : 0;

    if (index < 0 || index >= p->g->node_count)
        wrong(p);
    p->node = &p->g->nodes[index];
    take(p, ".");
}

/* "in1" or "out0" of the node. */
static bool find_tensor(struct place *p)
{
    const char *const at = p->at;

    p->output = strncmp(at, "out", 3) == 0;
    if (!take(p, p->output ? "out" : "in"))
        return false;
    if (!strchr("0123456789", *p->at)) {
        p->at = at;
        return false;
    }
    p->index = (int)number(p);
    if (p->index >= (p->output ? p->node->output_count : p->node->input_count))
        wrong(p);
    return true;
}

static int *tensor_of(const struct place *p)
{
    return (int *)(uintptr_t) & (p->output ? p->node->outputs : p->node->inputs)[p->index];
}

static void set_rank(struct graph_tensor *t, int rank)
{
    int32_t dims[GRAPH_MAX_RANK];

    for (int i = 0; i < rank; i++) {
        const int from = i - (rank - t->rank);

        dims[i] = from < 0 ? 1 : t->dims[from];
    }
    if (rank > 0)
        memcpy(t->dims, dims, (size_t)rank * sizeof dims[0]);
    t->rank = rank;
}

/* "[2,3]", behind "dims=". */
static void read_dims(struct place *p, struct graph_tensor *t)
{
    if (!take(p, "["))
        wrong(p);
    for (t->rank = 0; !take(p, "]"); take(p, ",")) {
        if (t->rank == GRAPH_MAX_RANK)
            wrong(p);
        t->dims[t->rank++] = (int32_t)number(p);
    }
}

/* So many scales and zero points, all like the first; none are none that is valid. */
static void set_quant(const struct place *p, struct graph_tensor *t, size_t count, int32_t zero)
{
    float *const scale = ARENA_NEW(&p->g->arena, count, float);
    int32_t *const zeros = ARENA_NEW(&p->g->arena, count, int32_t);

    if (!t->quant.scale)
        wrong(p);
    for (size_t i = 0; i < count; i++) {
        scale[i] = t->quant.scale[0];
        zeros[i] = zero;
    }
    t->quant.scale = count > 0 ? scale : NULL;
    t->quant.zero_point = zeros;
    t->quant.count = count;
}

static void edit_tensor(struct place *p, struct graph_tensor *t)
{
    if (take(p, ".dims[")) {
        const long long d = number(p);

        if (d < 0 || d >= t->rank || !take(p, "]="))
            wrong(p);
        t->dims[d] = (int32_t)number(p);
    } else if (take(p, ".dims=")) {
        read_dims(p, t);
    } else if (take(p, ".scales=")) {
        set_quant(p, t, (size_t)number(p), t->quant.zero_point ? t->quant.zero_point[0] : 0);
    } else if (take(p, ".zero_point=")) {
        set_quant(p, t, t->quant.count, (int32_t)number(p));
    } else if (take(p, ".quantized_dimension=")) {
        t->quant.dimension = (int)number(p);
    } else if (take(p, ".rank=")) {
        set_rank(t, (int)number(p));
    } else if (take(p, ".type=")) {
        t->type = (TfLiteType)number(p);
    } else if (take(p, ".computed")) {
        t->data = NULL;
    } else if (take(p, ".dynamic")) {
        t->is_dynamic = true;
    } else if (take(p, ".prepared")) {
        t->is_prepared = true;
    } else if (take(p, ".sparse")) {
        t->is_sparse = true;
        t->data = NULL;
    } else if (take(p, ".bytes=")) {
        t->has_wrong_bytes = true;
        t->host_bytes = (size_t)number(p);
        t->data = NULL;
    } else if (take(p, ".producer=")) {
        t->producer = (int)number(p);
    } else
        wrong(p);
    if (t->rank < 0 || !checked_elements(t->dims, (size_t)t->rank, &t->elements))
        t->elements = 0;
}

/* Behind "in1=". */
static void edit_index(struct place *p)
{
    int *const tensor = tensor_of(p);
    struct place other = *p;

    if (take(p, "-")) {
        *tensor = -1;
        return;
    }
    other.at = p->at;
    if (strncmp(other.at, "node", 4) == 0)
        find_node(&other);
    if (!find_tensor(&other))
        wrong(&other);
    *tensor = *tensor_of(&other);
    p->at = other.at;
}

/* What is more than there was repeats the first. */
static const int *set_count(struct place *p, const int *tensors, int *count)
{
    const int wanted = (int)number(p);
    int *const out = ARENA_NEW(&p->g->arena, (size_t)wanted, int);

    for (int i = 0; i < wanted; i++)
        out[i] = tensors[i < *count ? i : 0];
    *count = wanted;
    return out;
}

static void edit_node(struct place *p)
{
    struct graph_node *const n = p->node;

    if (take(p, "inputs="))
        n->inputs = set_count(p, n->inputs, &n->input_count);
    else if (take(p, "outputs="))
        n->outputs = set_count(p, n->outputs, &n->output_count);
    else if (take(p, "params=-"))
        n->params = NULL;
    else if (take(p, "version="))
        n->version = (int)number(p);
    else if (take(p, "code=")) {
        n->code = (int32_t)number(p);
        n->op = gpu_op_find(n->code);
    } else
        wrong(p);
}

void graph_edit(struct graph *g, const char *text)
{
    struct place p = { .g = g, .text = text, .at = text };

    while (*p.at) {
        p.at += strspn(p.at, " ;");
        find_node(&p);
        if (!find_tensor(&p))
            edit_node(&p);
        else if (take(&p, "="))
            edit_index(&p);
        else if (*tensor_of(&p) < 0)
            wrong(&p);
        else
            edit_tensor(&p, &g->tensors[*tensor_of(&p)]);
        if (*p.at && *p.at != ';')
            wrong(&p);
    }
    graph_count_readers(g);
}
