/* assay inspect --plan: the dispatches of each partition, and the memory of its tensors, from
 * libraries that export assay_gpu_get_step, assay_gpu_get_tensor and assay_gpu_get_transform. */
#include "conformance/tools/inspect/inspection.h"

#include "conformance/util/json_text.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_PUSH = 4 }; /* push constants are shown as words of so many bytes */

static const struct subject_extras *extras(const struct inspection *n)
{
    return &n->session.subject.extras;
}

/* Whether the library exports its plan. */
static bool inspection_has_plan(const struct inspection *n)
{
    return n->session.delegate && !n->why_not[0] && extras(n)->step_count && extras(n)->get_step &&
           extras(n)->tensor_count && extras(n)->get_tensor && extras(n)->get_transform;
}

static bool get_step(const struct inspection *n, int i, struct assay_gpu_step *step)
{
    *step = (struct assay_gpu_step){ .struct_size = sizeof *step };
    return extras(n)->get_step(n->session.delegate, i, step) == 0;
}

static bool get_tensor(const struct inspection *n, int i, struct assay_gpu_tensor *tensor)
{
    *tensor = (struct assay_gpu_tensor){ .struct_size = sizeof *tensor };
    return extras(n)->get_tensor(n->session.delegate, i, tensor) == 0;
}

static bool get_transform(const struct inspection *n, int i, struct assay_gpu_transform *transform)
{
    *transform = (struct assay_gpu_transform){ .struct_size = sizeof *transform };
    return extras(n)->get_transform(n->session.delegate, i, transform) == 0;
}

static uint32_t push_word(const struct assay_gpu_step *s, uint32_t i)
{
    uint32_t word;

    memcpy(&word, s->push + (size_t)i * SHOWN_PUSH, sizeof word);
    return word;
}

/* The name of a graph tensor, "" for none. */
static const char *name_of(const struct inspection *n, int graph_tensor)
{
    const struct model_subgraph *const g = &n->session.model.subgraphs[0];

    if (graph_tensor < 0 || (size_t)graph_tensor >= g->tensor_count)
        return "";
    return g->tensors[graph_tensor].name.text ? g->tensors[graph_tensor].name.text : "";
}

/* ---- text ---- */

static void print_binding(FILE *f, int index, const struct assay_gpu_binding *b)
{
    if (!b->location)
        return;
    fprintf(f, "          %d %s %s", index, b->writes ? "writes" : "reads ", b->location);
    if (b->tensor >= 0)
        fprintf(f, " t%d", b->tensor);
    fprintf(f, " +%" PRIu64 ", %" PRIu64 " B\n", b->offset, b->bytes);
}

static void print_step(FILE *f, const struct assay_gpu_step *s)
{
    fprintf(f, "%6d  ", s->step);
    inspection_print_name(f, s->label);
    fprintf(f,
            "\n          %s, workgroup %" PRIu32 "x%" PRIu32 "x%" PRIu32 "%s, grid %" PRIu32
            "x%" PRIu32 "x%" PRIu32 ", from %s\n",
            s->shader, s->workgroup[0], s->workgroup[1], s->workgroup[2],
            s->tuned ? " (measured)" : "", s->groups[0], s->groups[1], s->groups[2], s->source);
    if (s->idle)
        fprintf(f, "          not dispatched: another step copies, or the bytes already are where "
                   "it would put them\n");
    if (s->constant_count > 3) {
        fprintf(f, "          constants from 3:");
        for (uint32_t i = 3; i < s->constant_count; i++)
            fprintf(f, " %" PRIu32, s->constants[i]);
        fputc('\n', f);
    }
    if (s->push_bytes > 0) {
        fprintf(f, "          push:");
        for (uint32_t i = 0; i < s->push_bytes / SHOWN_PUSH; i++)
            fprintf(f, " %" PRId32, (int32_t)push_word(s, i));
        fputc('\n', f);
    }
    for (int b = 0; b < ASSAY_GPU_BINDINGS; b++)
        print_binding(f, b, &s->bindings[b]);
}

static void print_tensor(FILE *f, const struct inspection *n, const struct assay_gpu_tensor *t)
{
    fprintf(f, "    t%-4d ", t->tensor);
    if (t->offset < 0)
        fprintf(f, "not in memory       ");
    else
        fprintf(f, "+%-10" PRId64 " steps %d-%d", t->offset, t->first_step, t->last_step);
    fprintf(f, "  %" PRIu32 " x %" PRIu32 " channels of %" PRIu32 " B, %" PRIu64 " B", t->rows,
            t->channels, t->element_bytes, t->bytes);
    if (t->owner != t->tensor)
        fprintf(f, ", inside t%d", t->owner);
    if (t->graph_tensor >= 0) {
        fprintf(f, ", tensor %d ", t->graph_tensor);
        inspection_print_name(f, name_of(n, t->graph_tensor));
    }
    fputc('\n', f);
}

static void print_transforms(FILE *f, const struct inspection *n)
{
    struct assay_gpu_transform t;

    fprintf(f, "\nTransforms\n");
    for (int i = 0; get_transform(n, i, &t); i++)
        fprintf(f, "  %-12s %4d  %s%s\n", t.name, t.applied, t.meaning,
                t.enabled ? "" : " (switched off)");
}

bool inspection_print_plan(FILE *f, const struct inspection *n)
{
    const struct session *const s = &n->session;
    int steps, tensors, partition = -1;

    if (!inspection_has_plan(n)) {
        fprintf(f, "\nPlan: %s\n",
                n->why_not[0] || !n->session.delegate ? "no delegate ran here"
                                                      : "this library does not export it");
        return true;
    }
    steps = extras(n)->step_count(s->delegate);
    tensors = extras(n)->tensor_count(s->delegate);
    inspection_print_placement(f, n);
    print_transforms(f, n);
    if (!inspection_print_reasons(f, n))
        return false;
    fprintf(f, "\nPlan: %d steps\n", steps);
    for (int i = 0; i < steps; i++) {
        struct assay_gpu_step step;

        if (!get_step(n, i, &step))
            break;
        if (step.partition != partition)
            fprintf(f, "  partition %d\n", partition = step.partition);
        print_step(f, &step);
    }
    fprintf(f, "\nMemory: %d tensors\n", tensors);
    partition = -1;
    for (int i = 0; i < tensors; i++) {
        struct assay_gpu_tensor t;

        if (!get_tensor(n, i, &t))
            break;
        if (t.partition != partition)
            fprintf(f, "  partition %d\n", partition = t.partition);
        print_tensor(f, n, &t);
    }
    return true;
}

/* ---- JSON ---- */

static json_t *numbers(const uint32_t *list, size_t count)
{
    json_t *const a = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(a, json_integer(list[i]));
    return a;
}

static json_t *json_binding(int index, const struct assay_gpu_binding *b)
{
    json_t *const o = json_object();

    json_object_set_new(o, "binding", json_integer(index));
    json_object_set_new(o, "space", json_text(b->location));
    json_object_set_new(o, "tensor", b->tensor >= 0 ? json_integer(b->tensor) : json_null());
    json_object_set_new(o, "offset", json_integer((json_int_t)b->offset));
    json_object_set_new(o, "bytes", json_integer((json_int_t)b->bytes));
    json_object_set_new(o, "writes", json_boolean(b->writes));
    return o;
}

static json_t *json_step(const struct assay_gpu_step *s)
{
    json_t *const o = json_object(), *const push = json_array(), *const bindings = json_array();

    for (uint32_t i = 0; i < s->push_bytes / SHOWN_PUSH; i++)
        json_array_append_new(push, json_integer(push_word(s, i)));
    for (int b = 0; b < ASSAY_GPU_BINDINGS; b++)
        if (s->bindings[b].location)
            json_array_append_new(bindings, json_binding(b, &s->bindings[b]));
    json_object_set_new(o, "partition", json_integer(s->partition));
    json_object_set_new(o, "step", json_integer(s->step));
    json_object_set_new(o, "node", s->node >= 0 ? json_integer(s->node) : json_null());
    json_object_set_new(o, "label", json_text(s->label));
    json_object_set_new(o, "shader", json_text(s->shader));
    json_object_set_new(o, "source", json_text(s->source));
    json_object_set_new(o, "workgroup", numbers(s->workgroup, 3));
    json_object_set_new(o, "tuned", json_boolean(s->tuned));
    json_object_set_new(o, "idle", json_boolean(s->idle));
    json_object_set_new(o, "grid", numbers(s->groups, 3));
    json_object_set_new(o, "constants", numbers(s->constants, s->constant_count));
    json_object_set_new(o, "push", push);
    json_object_set_new(o, "bindings", bindings);
    return o;
}

static json_t *json_plan_tensor(const struct assay_gpu_tensor *t)
{
    json_t *const o = json_object();

    json_object_set_new(o, "partition", json_integer(t->partition));
    json_object_set_new(o, "tensor", json_integer(t->tensor));
    json_object_set_new(o, "graph_tensor",
                        t->graph_tensor >= 0 ? json_integer(t->graph_tensor) : json_null());
    json_object_set_new(o, "owner", json_integer(t->owner));
    json_object_set_new(o, "rows", json_integer(t->rows));
    json_object_set_new(o, "channels", json_integer(t->channels));
    json_object_set_new(o, "element_bytes", json_integer(t->element_bytes));
    json_object_set_new(o, "bytes", json_integer((json_int_t)t->bytes));
    json_object_set_new(o, "offset", t->offset >= 0 ? json_integer(t->offset) : json_null());
    json_object_set_new(o, "first_step",
                        t->first_step >= 0 ? json_integer(t->first_step) : json_null());
    json_object_set_new(o, "last_step",
                        t->last_step >= 0 ? json_integer(t->last_step) : json_null());
    return o;
}

json_t *inspection_json_plan(const struct inspection *n)
{
    json_t *plan, *transforms, *steps, *tensors;
    struct assay_gpu_transform transform;
    struct assay_gpu_tensor tensor;
    struct assay_gpu_step step;

    if (!inspection_has_plan(n))
        return json_null();
    plan = json_object();
    transforms = json_object();
    steps = json_array();
    tensors = json_array();
    for (int i = 0; get_transform(n, i, &transform); i++)
        json_object_set_new(transforms, transform.name, json_integer(transform.applied));
    for (int i = 0; get_step(n, i, &step); i++)
        json_array_append_new(steps, json_step(&step));
    for (int i = 0; get_tensor(n, i, &tensor); i++)
        json_array_append_new(tensors, json_plan_tensor(&tensor));
    json_object_set_new(plan, "placement", inspection_json_placement(n));
    json_object_set_new(plan, "transforms", transforms);
    json_object_set_new(plan, "not_done", inspection_json_reasons(n));
    json_object_set_new(plan, "steps", steps);
    json_object_set_new(plan, "tensors", tensors);
    return plan;
}
