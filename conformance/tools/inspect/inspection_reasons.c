/* assay inspect --plan: why rewrites were not applied and faster kernels are not used, from
 * libraries that export assay_gpu_keep_reasons, assay_gpu_reason_count and assay_gpu_get_reason. */
#include "conformance/tools/inspect/inspection.h"

#include "conformance/util/json_text.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct subject_extras *extras(const struct inspection *n)
{
    return &n->session.subject.extras;
}

void inspection_keep_reasons(const struct inspection *n)
{
    if (n->session.delegate && extras(n)->keep_reasons)
        extras(n)->keep_reasons(n->session.delegate);
}

/* How many there are; -1: the library does not tell. */
static int count_of(const struct inspection *n)
{
    return extras(n)->keep_reasons && extras(n)->reason_count && extras(n)->get_reason
               ? extras(n)->reason_count(n->session.delegate)
               : -1;
}

static bool get(const struct inspection *n, int i, struct assay_gpu_reason *reason)
{
    *reason = (struct assay_gpu_reason){ .struct_size = sizeof *reason };
    return extras(n)->get_reason(n->session.delegate, i, reason) == 0 && reason->name &&
           reason->op && reason->text;
}

/* ---- text ---- */

struct entry {
    struct assay_gpu_reason reason;
    int index;
};

static int compare_texts(const struct entry *a, const struct entry *b)
{
    const int by_name = strcmp(a->reason.name, b->reason.name);

    if (a->reason.is_kernel != b->reason.is_kernel)
        return a->reason.is_kernel - b->reason.is_kernel;
    return by_name ? by_name : strcmp(a->reason.text, b->reason.text);
}

static int by_text(const void *a, const void *b)
{
    const struct entry *const x = a, *const y = b;
    const int order = compare_texts(x, y);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* "CONV_2D 3", or ", 3" behind a node with the same ops. */
static void print_node(FILE *f, const struct assay_gpu_reason *r,
                       const struct assay_gpu_reason *before)
{
    if (r->node < 0)
        return;
    fputs(before ? ", " : "\n      ", f);
    if (!before || strcmp(before->op, r->op) != 0) {
        inspection_print_name(f, r->op);
        fputc(' ', f);
    }
    fprintf(f, "%d", r->node);
}

/* Entries of one text are a line with the text, and one with their nodes. */
static void print_entries(FILE *f, const struct entry *list, int count)
{
    for (int i = 0, first = 0; i < count; i++) {
        const struct assay_gpu_reason *const r = &list[i].reason;

        if (i == 0 || compare_texts(&list[i - 1], &list[i]) != 0) {
            first = i;
            fprintf(f, "  %s %s: ", r->is_kernel ? "kernel" : "rewrite", r->name);
            inspection_print_name(f, r->text);
        }
        print_node(f, r, i == first ? NULL : &list[i - 1].reason);
        if (i + 1 == count || compare_texts(&list[i], &list[i + 1]) != 0)
            fputc('\n', f);
    }
}

bool inspection_print_reasons(FILE *f, const struct inspection *n)
{
    const int count = count_of(n);
    struct entry *list;
    int kept = 0;

    if (count < 0)
        return true;
    if (!(list = mem_alloc((size_t)count + 1, sizeof *list)))
        return false;
    for (int i = 0; i < count; i++)
        if (get(n, i, &list[kept].reason)) {
            list[kept].index = i;
            kept++;
        }
    qsort(list, (size_t)kept, sizeof *list, by_text);
    fprintf(f, "\nNot done, and why: %d\n", kept);
    print_entries(f, list, kept);
    mem_free(list);
    return true;
}

/* ---- JSON ---- */

json_t *inspection_json_reasons(const struct inspection *n)
{
    const int count = count_of(n);
    json_t *const list = json_array();

    if (count < 0) {
        json_decref(list);
        return json_null();
    }
    for (int i = 0; i < count; i++) {
        struct assay_gpu_reason r;
        json_t *o;

        if (!get(n, i, &r))
            continue;
        o = json_object();
        json_object_set_new(o, "partition", json_integer(r.partition));
        json_object_set_new(o, "node", r.node >= 0 ? json_integer(r.node) : json_null());
        json_object_set_new(o, "op", json_text(r.op));
        json_object_set_new(o, "kind", json_text(r.is_kernel ? "kernel" : "transform"));
        json_object_set_new(o, "name", json_text(r.name));
        json_object_set_new(o, "reason", json_text(r.text));
        json_array_append_new(list, o);
    }
    return list;
}
