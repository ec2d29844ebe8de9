#include "reference/runtime/resources.h"

#include "reference/base/memory.h"
#include "reference/runtime/int_array.h"

#include <string.h>

static enum status no_memory(struct diag *diag)
{
    return diag_fail(diag, STATUS_NO_MEMORY, "no memory for a resource variable");
}

static enum status too_many(struct diag *diag)
{
    return diag_fail(diag, STATUS_UNSUPPORTED, "more than %d resource variables", RESOURCES_MAX);
}

static int by_name(const void *list, const void *key, size_t item)
{
    const struct resource_name *const a = key, *const b =
                                                   &((const struct resource_name *)list)[item];
    const int c = strcmp(a->shared_name, b->shared_name);

    return c ? c : strcmp(a->container, b->container);
}

static int by_id(const void *list, const void *key, size_t item)
{
    const int32_t a = *(const int32_t *)key, b = ((const struct resource *)list)[item].id;

    return (a > b) - (a < b);
}

/* Room for one more item, by doubling: where an allocator copies at each growth, 65,536 variables
 * one by one would copy 34 GB.  NULL: no memory. */
static void *grow(void *items, size_t count, size_t size)
{
    return (count & (count - 1)) != 0 ? items : mem_resize(items, count ? 2 * count : 1, size);
}

enum status resource_id(struct resources *r, const char *container, const char *shared_name,
                        int32_t *id, struct diag *diag)
{
    const struct resource_name name = { container, shared_name };
    const size_t known = lookup_find(&r->by_name, by_name, r->names, &name);
    struct resource_name *grown;

    if (known != SIZE_MAX) {
        *id = (int32_t)known;
        return STATUS_OK;
    }
    if (r->name_count == RESOURCES_MAX)
        return too_many(diag);
    if (!(grown = grow(r->names, r->name_count, sizeof *grown)))
        return no_memory(diag);
    r->names = grown;
    if (!lookup_add(&r->by_name, by_name, grown, &name, r->name_count))
        return no_memory(diag);
    *id = (int32_t)r->name_count;
    grown[r->name_count++] = name;
    return STATUS_OK;
}

const char *resource_title(const struct resources *r, int32_t id)
{
    return id >= 0 && (size_t)id < r->name_count ? r->names[id].shared_name : "";
}

const struct resource *resource_find(const struct resources *r, int32_t id)
{
    const size_t at = lookup_find(&r->by_id, by_id, r->items, &id);

    return at == SIZE_MAX ? NULL : &r->items[at];
}

static enum status resource_create(struct resources *r, int32_t id, struct resource **out,
                                   struct diag *diag)
{
    const size_t known = lookup_find(&r->by_id, by_id, r->items, &id);
    struct resource *grown;

    if (known != SIZE_MAX) {
        *out = &r->items[known];
        return STATUS_OK;
    }
    if (r->count == RESOURCES_MAX)
        return too_many(diag);
    if (!(grown = grow(r->items, r->count, sizeof *grown)))
        return no_memory(diag);
    r->items = grown;
    if (!lookup_add(&r->by_id, by_id, grown, &id, r->count))
        return no_memory(diag);
    *out = &grown[r->count++];
    **out = (struct resource){ .id = id };
    return STATUS_OK;
}

enum status resource_assign(struct resources *r, int32_t id, const TfLiteTensor *t,
                            struct diag *diag)
{
    TfLiteIntArray *const dims =
        t->dims ? int_array_copy(t->dims->data, (size_t)t->dims->size) : int_array_new(0);
    void *const data = mem_alloc(t->bytes, 1);
    struct resource *resource = NULL;
    enum status s = dims && data ? STATUS_OK : no_memory(diag);

    if (s == STATUS_OK)
        s = resource_create(r, id, &resource, diag);
    if (s != STATUS_OK) {
        mem_free(dims);
        mem_free(data);
        return s;
    }
    if (t->bytes)
        memcpy(data, t->data.raw, t->bytes);
    mem_free(resource->dims);
    mem_free(resource->data);
    *resource = (struct resource){
        .id = id, .type = t->type, .dims = dims, .data = data, .bytes = t->bytes
    };
    return STATUS_OK;
}

void resources_forget(struct resources *r)
{
    for (size_t i = 0; i < r->count; i++) {
        mem_free(r->items[i].dims);
        mem_free(r->items[i].data);
    }
    mem_free(r->items);
    lookup_close(&r->by_id);
    r->items = NULL;
    r->count = 0;
}

void resources_close(struct resources *r)
{
    resources_forget(r);
    mem_free(r->names);
    lookup_close(&r->by_name);
    *r = (struct resources){ 0 };
}
