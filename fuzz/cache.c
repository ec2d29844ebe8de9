/* Fuzz target: files of serialization_dir.  The first byte says what the rest is: a file as it is,
 * or one whose identity, checksums and sizes are made right, so that what lies behind them is read.
 *
 * A run that aborts is a bug: a crash or overread, a file that is used and cannot be written, a
 * refusal without a message, memory that is not given back. */
#include "delegate/cache/cache.h"
#include "delegate/base/device_rates.h"
#include "delegate/cache/section.h"
#include "delegate/cache/trim.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/kit/folder.h"
#include "reference/base/memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* struct header of cache.c. */
enum {
    AT_IDENTITY = 16,
    AT_SIZES = AT_IDENTITY + sizeof(struct cache_identity),
    AT_HASHES = AT_SIZES + 3 * 8,
    AT_HEADER_HASH = AT_HASHES + 3 * 8,
    HEADER_BYTES = AT_HEADER_HASH + 8
};
enum { MAKE_RIGHT = 1, KEEP_HASHES = 2, RATES = 4 };

static const char file_name[] = "fuzz.assay";

static struct cache_identity identity(void)
{
    struct cache_identity id = { .vendor_id = 0x10de,
                                 .device_id = 0x2335,
                                 .driver_version = 580,
                                 .api_version = 0x403000,
                                 .library = { { 1, 2 } },
                                 .model = { { 3, 4 } },
                                 .plan = { { 5, 6 } } };

    memset(id.device_uuid, 0xd1, sizeof id.device_uuid);
    memset(id.driver_uuid, 0xd2, sizeof id.driver_uuid);
    memset(id.pipeline_uuid, 0xd3, sizeof id.pipeline_uuid);
    return id;
}

/* Bytes of the section that begins at `at` and has so many by the header, at most what there is. */
static size_t section_bytes(size_t size, size_t at, uint64_t wanted)
{
    const size_t left = at < size ? size - at : 0;

    return wanted < left ? (size_t)wanted : left;
}

static void make_right(uint8_t *bytes, size_t size, bool hashes)
{
    const struct cache_identity id = identity();
    uint64_t sizes[3], hash[3], header;
    size_t at = HEADER_BYTES;

    if (size < HEADER_BYTES)
        return;
    memcpy(bytes + AT_IDENTITY, &id, sizeof id);
    memcpy(sizes, bytes + AT_SIZES, sizeof sizes);
    for (int i = 0; i < 3 && hashes; i++) {
        const uint64_t wanted =
            i == 1 ? (sizes[i] & 0xffff) * sizeof(struct workgroup_tuning) : sizes[i];
        const size_t count = section_bytes(size, at, wanted);

        hash[i] = section_hash(count > 0 ? bytes + at : bytes, count);
        at += count;
    }
    if (hashes)
        memcpy(bytes + AT_HASHES, hash, sizeof hash);
    header = checksum_of(bytes, AT_HEADER_HASH);
    memcpy(bytes + AT_HEADER_HASH, &header, sizeof header);
}

/* What is used is written, and read again. */
static void write_and_read(const struct cache_content *c, const struct cache_identity *id)
{
    struct cache_content again;
    struct diag diag = { 0 };
    bool found;

    if (cache_save(c, fuzz_folder(), file_name, id, &diag) != STATUS_OK)
        return; /* a full disk */
    fuzz_expect(cache_load(&again, &found, fuzz_folder(), file_name, id, c->constant_bytes,
                           &diag) == STATUS_OK &&
                    found,
                "cache: expected to use what was written", diag.text);
    fuzz_expect(again.pipeline_bytes == c->pipeline_bytes &&
                    again.tuning_count == c->tuning_count &&
                    memcmp(again.pipelines, c->pipelines, c->pipeline_bytes) == 0 &&
                    memcmp(again.constants, c->constants, c->constant_bytes) == 0,
                "cache: expected the same content", "another");
    cache_content_close(&again);
}

static void load(uint8_t *bytes, size_t size, unsigned kind)
{
    const struct cache_identity id = identity();
    const long long live = mem_live_bytes();
    size_t constant_bytes = kind & RATES ? sizeof(struct device_rates) : 300;
    struct cache_content c;
    struct device_rates rates;
    struct diag diag = { 0 };
    bool found;
    enum status s;

    if (kind & MAKE_RIGHT)
        make_right(bytes, size, !(kind & KEEP_HASHES));
    /* A plan may have as many bytes of constants as the file says. */
    if (kind & MAKE_RIGHT && !(kind & RATES) && size >= HEADER_BYTES) {
        uint64_t wanted;

        memcpy(&wanted, bytes + AT_SIZES + 16, sizeof wanted);
        constant_bytes = wanted <= size ? (size_t)wanted : constant_bytes;
    }
    fuzz_folder_write(file_name, bytes, size);
    s = cache_load(&c, &found, fuzz_folder(), file_name, &id, constant_bytes, &diag);
    fuzz_expect((s == STATUS_OK) == found, "cache: expected a status that agrees", diag.text);
    fuzz_expect(found || diag.text[0], "cache: expected a message", "none");
    fuzz_expect(found || (!c.pipelines && !c.tuning && !c.constants),
                "cache: expected no content of a file that is refused", diag.text);
    if (found && kind & RATES) {
        memcpy(&rates, c.constants, sizeof rates);
        device_rates_are_valid(&rates);
    }
    if (found)
        write_and_read(&c, &id);
    cache_content_close(&c);
    cache_trim(fuzz_folder(), "other.assay", 64, &diag);
    fuzz_expect(mem_live_bytes() == live, "cache: expected all memory back", "less");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact;

    if (size < 1 || !(exact = malloc(size)))
        return 0;
    memcpy(exact, data + 1, size - 1);
    load(exact, size - 1, data[0]);
    free(exact);
    return 0;
}
