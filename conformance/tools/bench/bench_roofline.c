#include "conformance/tools/bench/bench_roofline.h"

const char *roofline_bound_name(enum roofline_bound bound)
{
    static const char *const names[] = { [BOUND_FLOOR] = "floor",
                                         [BOUND_MEMORY] = "memory",
                                         [BOUND_HOST] = "host",
                                         [BOUND_COMPUTE] = "compute" };

    return names[bound];
}

double roofline_memory_rate(const struct assay_gpu_peaks *peaks, double bytes)
{
    double best = 0, last = 0;

    for (int i = 0; i < ASSAY_GPU_PEAK_SIZES; i++) {
        const double rate = peaks->memory_bytes_per_us[i];

        last = rate > 0 ? rate : last;
        if ((double)peaks->memory_bytes[i] >= bytes && rate > best)
            best = rate;
    }
    return best > 0 ? best : last;
}

static double ops_rate(const struct assay_gpu_peaks *peaks, int arithmetic)
{
    switch (arithmetic) {
    case ASSAY_GPU_I8: return peaks->i8_ops_per_us;
    case ASSAY_GPU_F16: return peaks->f16_ops_per_us;
    default: return peaks->f32_ops_per_us;
    }
}

static double time_of(double amount, double per_us)
{
    return amount > 0 && per_us > 0 ? amount / per_us : 0;
}

struct roofline_limit roofline_limit_of(const struct assay_gpu_peaks *peaks,
                                        const struct bench_step *step)
{
    struct roofline_limit l = { .bound = BOUND_FLOOR };

    if (step->idle)
        return l;
    l.us[BOUND_FLOOR] = peaks->floor_us;
    l.us[BOUND_MEMORY] =
        time_of(step->device_bytes, roofline_memory_rate(peaks, step->device_bytes));
    l.us[BOUND_HOST] = time_of(step->host_read_bytes, peaks->host_read_bytes_per_us) +
                       time_of(step->host_written_bytes, peaks->host_write_bytes_per_us);
    l.us[BOUND_COMPUTE] = time_of(step->operations, ops_rate(peaks, step->arithmetic));
    for (int i = 0; i < BOUND_COUNT; i++)
        if (l.us[i] > l.us[l.bound])
            l.bound = (enum roofline_bound)i;
    l.least_us = l.us[l.bound];
    return l;
}

struct total {
    double us, least_us, by_bound_us[BOUND_COUNT];
};

static struct total total_of(const struct bench_result *r)
{
    struct total t = { .us = 0 };

    for (size_t i = 0; i < r->step_count; i++) {
        const struct roofline_limit l = roofline_limit_of(&r->peaks, &r->steps[i]);

        t.us += r->steps[i].mean_us;
        t.least_us += l.least_us;
        t.by_bound_us[l.bound] += r->steps[i].mean_us;
    }
    return t;
}

static double share(double least_us, double us)
{
    return us > 0 ? least_us / us : 0;
}

/* ---- text ---- */

void roofline_print_peaks(FILE *f, const struct assay_gpu_peaks *p)
{
    fprintf(f, "\nroofline    measured: floor %.2f us; copies", p->floor_us);
    for (int i = 0; i < ASSAY_GPU_PEAK_SIZES && p->memory_bytes_per_us[i] > 0; i++)
        fprintf(f, "%s %.3g GB/s (%.0f MiB)", i ? "," : "", p->memory_bytes_per_us[i] / 1e3,
                (double)p->memory_bytes[i] / (1 << 20));
    fprintf(f,
            ";\n            host reads %.3g GB/s, writes %.3g; sums of f32 %.3g, f16 %.3g, i8 %.3g "
            "Gops/s\n",
            p->host_read_bytes_per_us / 1e3, p->host_write_bytes_per_us / 1e3,
            p->f32_ops_per_us / 1e3, p->f16_ops_per_us / 1e3, p->i8_ops_per_us / 1e3);
}

void roofline_print_text(FILE *f, const struct bench_result *r)
{
    const struct total t = total_of(r);

    if (!r->has_peaks)
        return;
    roofline_print_peaks(f, &r->peaks);
    fprintf(f,
            "       us  limit us  share  bound       MiB      Mops  shader               step\n");
    for (size_t i = 0; i < r->step_count; i++) {
        const struct bench_step *const s = &r->steps[i];
        const struct roofline_limit l = roofline_limit_of(&r->peaks, s);

        fprintf(f, "%9.1f %9.2f %5.0f%%  %-7s %7.2f %9.2f  %-20s %.30s\n", s->mean_us, l.least_us,
                100 * share(l.least_us, s->mean_us), roofline_bound_name(l.bound),
                (s->device_bytes + s->host_read_bytes + s->host_written_bytes) / (1 << 20),
                s->operations / 1e6, s->shader, s->label);
    }
    fprintf(f, "%9.1f %9.2f %5.0f%%  total; of it bound by:", t.us, t.least_us,
            100 * share(t.least_us, t.us));
    for (int i = 0; i < BOUND_COUNT; i++)
        fprintf(f, "%s %s %.1f", i ? "," : "", roofline_bound_name((enum roofline_bound)i),
                t.by_bound_us[i]);
    fprintf(f, "\n");
}

/* ---- JSON ---- */

json_t *roofline_peaks_json(const struct assay_gpu_peaks *p)
{
    json_t *const memory = json_array();

    for (int i = 0; i < ASSAY_GPU_PEAK_SIZES && p->memory_bytes_per_us[i] > 0; i++)
        json_array_append_new(memory,
                              json_pack("{s:I, s:f}", "bytes", (json_int_t)p->memory_bytes[i],
                                        "bytes_per_us", p->memory_bytes_per_us[i]));
    return json_pack("{s:f, s:o, s:f, s:f, s:{s:f, s:f, s:f}}", "floor_us", p->floor_us, "memory",
                     memory, "host_read_bytes_per_us", p->host_read_bytes_per_us,
                     "host_write_bytes_per_us", p->host_write_bytes_per_us, "ops_per_us", "f32",
                     p->f32_ops_per_us, "f16", p->f16_ops_per_us, "i8", p->i8_ops_per_us);
}

static json_t *json_step(const struct bench_step *s, const struct roofline_limit *l)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}", "device_us", s->mean_us,
                     "device_bytes", s->device_bytes, "host_read_bytes", s->host_read_bytes,
                     "host_written_bytes", s->host_written_bytes, "operations", s->operations,
                     "limit_us", l->least_us, "share", share(l->least_us, s->mean_us), "bound",
                     roofline_bound_name(l->bound));
}

json_t *roofline_json(const struct bench_result *r)
{
    const struct total t = total_of(r);
    json_t *steps;

    if (!r->has_peaks)
        return json_null();
    steps = json_array();
    for (size_t i = 0; i < r->step_count; i++) {
        const struct roofline_limit l = roofline_limit_of(&r->peaks, &r->steps[i]);

        json_array_append_new(steps, json_step(&r->steps[i], &l));
    }
    return json_pack("{s:o, s:o, s:{s:f, s:f, s:f}}", "peaks", roofline_peaks_json(&r->peaks),
                     "steps", steps, "total", "device_us", t.us, "limit_us", t.least_us, "share",
                     share(t.least_us, t.us));
}
