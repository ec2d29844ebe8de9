#include "delegate/cache/section.h"

#include "delegate/base/checksum.h"
#include "delegate/base/parallel.h"
#include "delegate/cache/file.h"
#include "reference/base/memory.h"

enum { PORTION_MIN = 1 << 19, PORTIONS_MAX = 64 };

struct portions {
    uint8_t *data;
    size_t bytes, size; /* of all, and of each but the last */
    int fd;             /* -1: the data is in memory */
    uint64_t at;
    struct {
        uint64_t hash;
        int error; /* of cache_file_read_at */
    } each[PORTIONS_MAX];
};

static void sum_portion(void *user, size_t i)
{
    struct portions *const p = user;
    const size_t from = i * p->size, left = p->bytes - from;
    const size_t bytes = left < p->size ? left : p->size;

    if (p->fd >= 0)
        p->each[i].error = cache_file_read_at(p->fd, p->data + from, bytes, p->at + from);
    if (p->each[i].error == 0)
        p->each[i].hash = checksum_of(p->data + from, bytes);
}

/* Portions depend on the size alone, not on the machine. */
static size_t sum_all(struct portions *p, uint64_t *hash)
{
    uint64_t sums[PORTIONS_MAX];
    size_t count;

    p->size = p->bytes / PORTIONS_MAX + 1;
    if (p->size < PORTION_MIN)
        p->size = PORTION_MIN;
    count = p->bytes / p->size + (p->bytes % p->size != 0);
    parallel_run(count, count / 2, sum_portion, p);
    for (size_t i = 0; i < count; i++)
        sums[i] = p->each[i].hash;
    *hash = checksum_of(sums, count * sizeof sums[0]);
    return count;
}

uint64_t section_hash(const void *data, size_t bytes)
{
    struct portions p = { .data = (uint8_t *)data, .bytes = bytes, .fd = -1 };
    uint64_t hash;

    sum_all(&p, &hash);
    return hash;
}

enum status section_read(void **to, int fd, uint64_t at, size_t bytes, uint64_t hash,
                         const char *what, const char *name, struct diag *diag)
{
    struct portions p = { .bytes = bytes, .fd = fd, .at = at };
    uint64_t found;
    size_t count;

    if (!(*to = mem_alloc(bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for %zu bytes", name, bytes);
    p.data = *to;
    count = sum_all(&p, &found);
    for (size_t i = 0; i < count; i++)
        if (p.each[i].error != 0)
            return cache_file_failed(p.each[i].error, name, diag);
    if (found != hash)
        return diag_fail(diag, STATUS_INVALID, "%s: checksum mismatch: %s", name, what);
    return STATUS_OK;
}
