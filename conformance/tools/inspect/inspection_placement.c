/* assay inspect --plan: the partitions that the runtime offered, and what decided on each, from
 * libraries that export assay_gpu_get_placement and assay_gpu_get_partition. */
#include "conformance/tools/inspect/inspection.h"

#include "conformance/util/json_text.h"

#include <inttypes.h>

static bool get_placement(const struct inspection *n, struct assay_gpu_placement *placement)
{
    const struct subject_extras *const e = &n->session.subject.extras;

    *placement = (struct assay_gpu_placement){ .struct_size = sizeof *placement };
    return e->get_placement && e->get_partition &&
           e->get_placement(n->session.delegate, placement) == 0;
}

static bool get_partition(const struct inspection *n, int i, struct assay_gpu_partition *partition)
{
    *partition = (struct assay_gpu_partition){ .struct_size = sizeof *partition };
    return n->session.subject.extras.get_partition(n->session.delegate, i, partition) == 0;
}

static const char *text_of(const char *text)
{
    return text ? text : "?";
}

static void print_partition(FILE *f, const struct assay_gpu_partition *p)
{
    fprintf(f,
            "  from node %-5d %5d nodes  %10.3f M MACs  %10.3f M elements  %9" PRIu64
            " B in  %9" PRIu64 " B out  CPU %10.1f us  device %10.1f us  ",
            p->first_node, p->nodes, p->macs / 1e6, p->elements / 1e6, p->bytes_in, p->bytes_out,
            p->cpu_us, p->device_us);
    if (p->taken)
        fprintf(f, "taken\n");
    else
        fprintf(f, "left to the CPU: %s\n", text_of(p->rule));
}

void inspection_print_placement(FILE *f, const struct inspection *n)
{
    struct assay_gpu_placement placement;
    struct assay_gpu_partition p;

    if (!get_placement(n, &placement))
        return;
    fprintf(f, "\nPlacement: by %s, %d partition%s offered\n", text_of(placement.order),
            placement.partitions, placement.partitions == 1 ? "" : "s");
    if (placement.partitions == 0)
        return;
    fprintf(f,
            "  rates (%s): %.1f us an inference, %.2f us a node, %.0f MB/s of copies, %.0f million "
            "MACs/s; CPU %.0f million MACs/s\n",
            text_of(placement.rates), placement.submit_us, placement.step_us,
            placement.bytes_per_us, placement.macs_per_us, placement.cpu_macs_per_us);
    for (int i = 0; get_partition(n, i, &p); i++)
        print_partition(f, &p);
}

static json_t *json_partition(const struct assay_gpu_partition *p)
{
    json_t *const o = json_object();

    json_object_set_new(o, "first_node", json_integer(p->first_node));
    json_object_set_new(o, "nodes", json_integer(p->nodes));
    json_object_set_new(o, "macs", json_real(p->macs));
    json_object_set_new(o, "elements", json_real(p->elements));
    json_object_set_new(o, "bytes_in", json_integer((json_int_t)p->bytes_in));
    json_object_set_new(o, "bytes_out", json_integer((json_int_t)p->bytes_out));
    json_object_set_new(o, "cpu_us", json_real(p->cpu_us));
    json_object_set_new(o, "device_us", json_real(p->device_us));
    json_object_set_new(o, "taken", json_boolean(p->taken));
    json_object_set_new(o, "rule", json_text(p->taken ? NULL : p->rule));
    return o;
}

json_t *inspection_json_placement(const struct inspection *n)
{
    struct assay_gpu_placement placement;
    struct assay_gpu_partition p;
    json_t *o, *partitions;

    if (!get_placement(n, &placement))
        return json_null();
    o = json_object();
    partitions = json_array();
    for (int i = 0; get_partition(n, i, &p); i++)
        json_array_append_new(partitions, json_partition(&p));
    json_object_set_new(o, "order", json_text(placement.order));
    json_object_set_new(o, "rates", json_text(placement.rates));
    json_object_set_new(o, "submit_us", json_real(placement.submit_us));
    json_object_set_new(o, "step_us", json_real(placement.step_us));
    json_object_set_new(o, "bytes_per_us", json_real(placement.bytes_per_us));
    json_object_set_new(o, "macs_per_us", json_real(placement.macs_per_us));
    json_object_set_new(o, "cpu_macs_per_us", json_real(placement.cpu_macs_per_us));
    json_object_set_new(o, "partitions", partitions);
    return o;
}
