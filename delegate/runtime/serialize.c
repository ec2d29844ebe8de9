#include "delegate/runtime/serialize.h"

#include "delegate/base/clock.h"
#include "delegate/cache/trim.h"
#include "delegate/plan/make.h"
#include "delegate/plan/workgroups.h"
#include "delegate/runtime/delegate.h"
#include "reference/base/memory.h"

#include <string.h>

/* Counts a failure, and warns once for each graph. */
static void warn(struct gpu_delegate *d, TfLiteContext *context, const struct diag *diag)
{
    bool said;

    lock_acquire(&d->lock);
    said = d->serialized.warned;
    d->serialized.warned = true;
    d->serialized.failed++;
    lock_release(&d->lock);
    if (!said)
        context->ReportError(context, "WARNING: serialization in %s: %s; started without",
                             d->options.serialization_dir, diag->text);
}

static void count(struct gpu_delegate *d, int *counter, uint64_t bytes)
{
    lock_acquire(&d->lock);
    (*counter)++;
    d->serialized.bytes += bytes;
    lock_release(&d->lock);
}

static struct cache_identity identify_device(const struct device *device)
{
    struct cache_identity id = { .vendor_id = device->info.vendor_id,
                                 .device_id = device->info.device_id,
                                 .driver_version = device->driver_version,
                                 .api_version = device->info.api_version,
                                 .library = cache_hash_library() };

    memcpy(id.device_uuid, device->device_uuid, sizeof id.device_uuid);
    memcpy(id.driver_uuid, device->driver_uuid, sizeof id.driver_uuid);
    memcpy(id.pipeline_uuid, device->pipeline_uuid, sizeof id.pipeline_uuid);
    return id;
}

static struct cache_identity identify(struct gpu_delegate *d, const struct plan_request *request,
                                      const struct plan *plan)
{
    struct cache_identity id = identify_device(d->device);

    id.plan = cache_hash_plan(plan);
    if (request->again) {
        id.model = cache_hash_graph(request->graph);
        return id;
    }
    if (!d->serialized.has_model) { /* once for each graph; the caller holds prepare_lock */
        d->serialized.model = cache_hash_graph(request->graph);
        d->serialized.has_model = true;
    }
    id.model = d->serialized.model;
    return id;
}

static bool find(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                 const struct plan_request *request, struct plan *plan)
{
    struct diag diag = { 0 };

    s->on = true;
    s->id = identify(d, request, plan);
    cache_name(s->name, d->options.model_token, &s->id);
    if (cache_load(&s->content, &s->found, d->options.serialization_dir, s->name, &s->id,
                   plan->constant_bytes, &diag) != STATUS_OK)
        warn(d, context, &diag);
    if (!s->found)
        return false;
    count(d, &d->serialized.found, cache_file_bytes(&s->content));
    plan->constants = s->content.constants;
    plan->unpacked = false;
    s->content.constants = NULL;
    workgroups_apply(plan, &d->device->limits, s->content.tuning, s->content.tuning_count);
    return true;
}

bool serialization_find(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                        const struct plan_request *request, struct plan *plan)
{
    const uint64_t before = clock_ns();
    const bool found = find(s, d, context, request, plan);

    delegate_add_part(d, &d->time.serialize_ns, before);
    return found;
}

struct pipeline_cache *serialization_open_pipelines(struct serialization *s, struct gpu_delegate *d,
                                                    TfLiteContext *context)
{
    struct diag diag = { 0 };

    if (!s->on)
        return NULL;
    if (pipeline_cache_open(&s->pipelines, d->device->handle, s->content.pipelines,
                            s->content.pipeline_bytes, !s->found || d->options.tune,
                            &diag) == STATUS_OK)
        return &s->pipelines;
    warn(d, context, &diag);
    s->on = false;
    return NULL;
}

/* Writes a file; false: with a warning, it was not written. */
static bool save(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                 struct cache_content *content)
{
    struct diag diag = { 0 };
    const uint64_t limit_bytes = (uint64_t)d->options.serialization_limit_mib << 20;
    const bool saved =
        pipeline_cache_read(&s->pipelines, &content->pipelines, &content->pipeline_bytes, &diag) ==
            STATUS_OK &&
        cache_save(content, d->options.serialization_dir, s->name, &s->id, &diag) == STATUS_OK;

    if (!saved || (limit_bytes > 0 && cache_trim(d->options.serialization_dir, s->name, limit_bytes,
                                                 &diag) != STATUS_OK))
        warn(d, context, &diag);
    mem_free(content->pipelines);
    return saved;
}

void serialization_write(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                         const struct plan *plan, bool changed)
{
    struct cache_content content = { .tuning = s->content.tuning,
                                     .tuning_count = s->content.tuning_count,
                                     .constants = plan->constants,
                                     .constant_bytes = plan->constant_bytes };
    const uint64_t before = clock_ns();

    if (!s->on || (s->found && !changed))
        return;
    if (save(s, d, context, &content))
        count(d, &d->serialized.written, cache_file_bytes(&content));
    delegate_add_part(d, &d->time.serialize_ns, before);
}

/* ---- rates ---- */

/* The file of the rates has the form of a partition's, without a model and a plan: its constants
 * are the rates. */
bool serialization_find_rates(struct serialization *s, struct gpu_delegate *d,
                              TfLiteContext *context, struct device_rates *rates)
{
    struct diag diag = { 0 };

    if (!d->options.serialization_dir)
        return false;
    s->on = true;
    s->id = identify_device(d->device);
    cache_name(s->name, "rates", &s->id);
    if (cache_load(&s->content, &s->found, d->options.serialization_dir, s->name, &s->id,
                   sizeof *rates, &diag) != STATUS_OK)
        warn(d, context, &diag);
    if (s->found)
        memcpy(rates, s->content.constants, sizeof *rates);
    if (s->found && !device_rates_are_valid(rates)) {
        s->found = false;
        diag_fail(&diag, STATUS_INVALID, "%s: expected rates above 0", s->name);
        warn(d, context, &diag);
    }
    return s->found;
}

void serialization_write_rates(struct serialization *s, struct gpu_delegate *d,
                               TfLiteContext *context, const struct device_rates *rates)
{
    struct device_rates copy = *rates;
    struct cache_content content = { .constants = (uint8_t *)&copy, .constant_bytes = sizeof copy };

    if (s->on)
        save(s, d, context, &content);
}

void serialization_close(struct serialization *s)
{
    pipeline_cache_close(&s->pipelines);
    cache_content_close(&s->content);
    s->on = false;
}
