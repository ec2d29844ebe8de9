#include "delegate/cache/cache.h"

#include "delegate/cache/file.h"
#include "delegate/cache/magic.h"
#include "delegate/cache/section.h"
#include "delegate/cache/trim.h"
#include "reference/base/memory.h"

#include <string.h>
#include <unistd.h>

enum {
    FORMAT = 2,
    BYTE_ORDER_MARK = 0x01020304,
    TUNING_MAX = 1 << 16,         /* plans have at most some thousand steps */
    PIPELINE_BYTES_MAX = 1 << 28, /* a pipeline takes drivers some 10 KiB */
};

/* The start of a file.  Pipelines, tuning and constants follow. */
struct header {
    char magic[8];
    uint32_t byte_order, format;
    struct cache_identity identity;
    uint64_t pipeline_bytes, tuning_count, constant_bytes;
    uint64_t pipeline_hash, tuning_hash, constant_hash;
    uint64_t header_hash; /* of the members above */
};
_Static_assert(sizeof(struct header) == 16 + sizeof(struct cache_identity) + 7 * 8, "no padding");

void cache_content_close(struct cache_content *c)
{
    mem_free(c->pipelines);
    mem_free(c->tuning);
    mem_free(c->constants);
    *c = (struct cache_content){ 0 };
}

uint64_t cache_file_bytes(const struct cache_content *c)
{
    return sizeof(struct header) + c->pipeline_bytes + c->tuning_count * sizeof *c->tuning +
           c->constant_bytes;
}

static enum status check_identity(const struct cache_identity *theirs,
                                  const struct cache_identity *ours, const char *name,
                                  struct diag *diag)
{
    const char *other = NULL;

    if (memcmp(&theirs->library, &ours->library, sizeof ours->library) != 0)
        other = "version of this library";
    else if (memcmp(theirs->device_uuid, ours->device_uuid, sizeof ours->device_uuid) != 0 ||
             theirs->vendor_id != ours->vendor_id || theirs->device_id != ours->device_id)
        other = "device";
    else if (memcmp(theirs->driver_uuid, ours->driver_uuid, sizeof ours->driver_uuid) != 0 ||
             memcmp(theirs->pipeline_uuid, ours->pipeline_uuid, sizeof ours->pipeline_uuid) != 0 ||
             theirs->driver_version != ours->driver_version ||
             theirs->api_version != ours->api_version)
        other = "version of the driver";
    else if (memcmp(&theirs->model, &ours->model, sizeof ours->model) != 0)
        other = "model";
    else if (memcmp(&theirs->plan, &ours->plan, sizeof ours->plan) != 0)
        other = "plan";
    if (other)
        return diag_fail(diag, STATUS_INVALID, "%s: made for another %s", name, other);
    return STATUS_OK;
}

static enum status check_header(const struct header *h, const struct cache_identity *id,
                                uint64_t file_bytes, size_t constant_bytes, const char *name,
                                struct diag *diag)
{
    uint64_t bytes;

    if (memcmp(h->magic, cache_magic, sizeof cache_magic) != 0)
        return diag_fail(diag, STATUS_INVALID, "%s: not a cache file of this library", name);
    if (h->byte_order != BYTE_ORDER_MARK || h->format != FORMAT)
        return diag_fail(diag, STATUS_INVALID, "%s: made for another version of this library",
                         name);
    if (h->header_hash != checksum_of(h, offsetof(struct header, header_hash)))
        return diag_fail(diag, STATUS_INVALID, "%s: checksum mismatch: header", name);
    TRY(check_identity(&h->identity, id, name, diag));
    if (h->pipeline_bytes > PIPELINE_BYTES_MAX || h->tuning_count > TUNING_MAX ||
        h->constant_bytes != constant_bytes)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: expected %zu bytes of constants, found %llu (and %llu bytes of "
                         "pipelines, %llu workgroup sizes)",
                         name, constant_bytes, (unsigned long long)h->constant_bytes,
                         (unsigned long long)h->pipeline_bytes,
                         (unsigned long long)h->tuning_count);
    bytes = sizeof *h + h->pipeline_bytes + h->tuning_count * sizeof(struct workgroup_tuning);
    if (file_bytes != bytes + h->constant_bytes)
        return diag_fail(
            diag, STATUS_INVALID, "%s: truncated, or too long: expected %llu bytes, found %llu",
            name, (unsigned long long)(bytes + h->constant_bytes), (unsigned long long)file_bytes);
    return STATUS_OK;
}

static enum status read_sections(struct cache_content *c, int fd, const struct header *h,
                                 const char *name, struct diag *diag)
{
    uint64_t at = sizeof *h;
    void *data = NULL;
    enum status s;

    c->pipeline_bytes = (size_t)h->pipeline_bytes;
    s = section_read(&data, fd, at, c->pipeline_bytes, h->pipeline_hash, "pipelines", name, diag);
    c->pipelines = data;
    if (s != STATUS_OK)
        return s;
    at += c->pipeline_bytes;
    data = NULL;
    c->tuning_count = (size_t)h->tuning_count;
    s = section_read(&data, fd, at, c->tuning_count * sizeof *c->tuning, h->tuning_hash,
                     "workgroup sizes", name, diag);
    c->tuning = data;
    if (s != STATUS_OK)
        return s;
    at += c->tuning_count * sizeof *c->tuning;
    data = NULL;
    c->constant_bytes = (size_t)h->constant_bytes;
    s = section_read(&data, fd, at, c->constant_bytes, h->constant_hash, "constants", name, diag);
    c->constants = data;
    return s;
}

/* Checks VkPipelineCacheHeaderVersionOne, since not every driver does. */
static enum status check_pipelines(const struct cache_content *c, const struct cache_identity *id,
                                   const char *name, struct diag *diag)
{
    uint32_t word[4];

    if (c->pipeline_bytes == 0)
        return STATUS_OK;
    if (c->pipeline_bytes < sizeof word + sizeof id->pipeline_uuid)
        return diag_fail(diag, STATUS_INVALID,
                         "%s: pipelines: expected a header of %zu bytes, found %zu", name,
                         sizeof word + sizeof id->pipeline_uuid, c->pipeline_bytes);
    memcpy(word, c->pipelines, sizeof word);
    if (word[0] < sizeof word + sizeof id->pipeline_uuid || word[0] > c->pipeline_bytes ||
        word[1] != 1 || word[2] != id->vendor_id || word[3] != id->device_id ||
        memcmp(c->pipelines + sizeof word, id->pipeline_uuid, sizeof id->pipeline_uuid) != 0)
        return diag_fail(diag, STATUS_INVALID, "%s: pipelines: made for another device or driver",
                         name);
    return STATUS_OK;
}

static enum status load(struct cache_content *c, int fd, uint64_t file_bytes, const char *name,
                        const struct cache_identity *id, size_t constant_bytes, struct diag *diag)
{
    struct header h;

    TRY(cache_file_read(fd, &h, sizeof h, name, diag));
    TRY(check_header(&h, id, file_bytes, constant_bytes, name, diag));
    TRY(read_sections(c, fd, &h, name, diag));
    return check_pipelines(c, id, name, diag);
}

enum status cache_load(struct cache_content *content, bool *found, const char *dir,
                       const char *name, const struct cache_identity *id, size_t constant_bytes,
                       struct diag *diag)
{
    int directory, fd;
    uint64_t bytes;
    enum status s;

    *content = (struct cache_content){ 0 };
    *found = false;
    TRY(cache_directory_open(&directory, dir, false, diag));
    if (directory < 0)
        return STATUS_OK;
    s = cache_file_open(&fd, &bytes, directory, name, diag);
    close(directory);
    if (s != STATUS_OK || fd < 0)
        return s;
    s = load(content, fd, bytes, name, id, constant_bytes, diag);
    if (s == STATUS_OK)
        cache_mark_used(fd);
    close(fd);
    if (s != STATUS_OK)
        cache_content_close(content);
    *found = s == STATUS_OK;
    return s;
}

enum status cache_save(const struct cache_content *c, const char *dir, const char *name,
                       const struct cache_identity *id, struct diag *diag)
{
    const size_t tuning_bytes = c->tuning_count * sizeof *c->tuning;
    struct header h = { .byte_order = BYTE_ORDER_MARK,
                        .format = FORMAT,
                        .identity = *id,
                        .pipeline_bytes = c->pipeline_bytes,
                        .tuning_count = c->tuning_count,
                        .constant_bytes = c->constant_bytes,
                        .pipeline_hash = section_hash(c->pipelines, c->pipeline_bytes),
                        .tuning_hash = section_hash(c->tuning, tuning_bytes),
                        .constant_hash = section_hash(c->constants, c->constant_bytes) };
    const struct cache_part parts[] = { { &h, sizeof h },
                                        { c->pipelines, c->pipeline_bytes },
                                        { c->tuning, tuning_bytes },
                                        { c->constants, c->constant_bytes } };
    enum status s;
    int directory;

    memcpy(h.magic, cache_magic, sizeof cache_magic);
    h.header_hash = checksum_of(&h, offsetof(struct header, header_hash));
    TRY(cache_directory_open(&directory, dir, true, diag));
    s = cache_file_replace(directory, name, parts, sizeof parts / sizeof parts[0], diag);
    close(directory);
    return s;
}
