/* A private directory of a test, and what can be done to the files in it. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_CACHE_KIT_H
#define ASSAY_CONFORMANCE_UNIT_KIT_CACHE_KIT_H

#include "conformance/unit/kit/graph_kit.h"

#include "delegate/cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offsets in a file: magic, byte order, format, identity, sizes, hashes. */
enum {
    CACHE_AT_FORMAT = 12,
    CACHE_AT_IDENTITY = 16,
    CACHE_AT_HEADER_HASH = 16 + sizeof(struct cache_identity) + 6 * 8,
    CACHE_HEADER_BYTES = CACHE_AT_HEADER_HASH + 8
};

struct cache_dir {
    char path[64];
};

static inline struct cache_dir cache_dir_make(void)
{
    struct cache_dir d = { "/tmp/assay-cache-XXXXXX" };

    assert_non_null(mkdtemp(d.path));
    return d;
}

/* The entries of a directory, "." and ".." not counted; the last one's name in name. */
static inline int cache_dir_count(const char *path, char name[CACHE_NAME_BYTES])
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int count = 0;

    if (!dir)
        return 0;
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (name)
            snprintf(name, CACHE_NAME_BYTES, "%.127s", entry->d_name);
        count++;
    }
    closedir(dir);
    return count;
}

static inline void cache_path(char path[512], const char *dir, const char *name)
{
    snprintf(path, 512, "%s/%s", dir, name);
}

static inline void cache_dir_remove(const char *path)
{
    char name[CACHE_NAME_BYTES], file[512];

    while (cache_dir_count(path, name) > 0) {
        cache_path(file, path, name);
        if (unlink(file) != 0 && rmdir(file) != 0)
            fail_msg("%s stays", file);
    }
    rmdir(path);
}

static inline uint8_t *cache_read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;
    long size;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);
    data = malloc((size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, f), size);
    fclose(f);
    *bytes = (size_t)size;
    return data;
}

/* Written in place, mode 600. */
static inline void cache_write_file(const char *path, const uint8_t *data, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, bytes), bytes);
    close(fd);
}

/* Makes the header's checksum right again. */
static inline void cache_sign(uint8_t *file)
{
    const uint64_t hash = hash_of(file, CACHE_AT_HEADER_HASH);

    memcpy(file + CACHE_AT_HEADER_HASH, &hash, sizeof hash);
}

#endif
