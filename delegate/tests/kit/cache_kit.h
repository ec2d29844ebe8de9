/* A private directory of a test, and what can be done to the files in it. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_CACHE_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_CACHE_KIT_H

#include "reference/tests/kit/graph_kit.h"

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
    CACHE_AT_HEADER_HASH = 16 + sizeof(struct cache_identity) + 6 * sizeof(uint64_t),
    CACHE_HEADER_BYTES = CACHE_AT_HEADER_HASH + 8
};

struct cache_dir {
    char path[64];
};

struct cache_dir cache_dir_make(void);
/* One of this name, until the end of the block. */
#define CACHE_DIR(d) struct cache_dir d CLOSED_BY(kit_dir_end) = cache_dir_make()
void kit_dir_end(struct cache_dir *d);
/* The entries of a directory, "." and ".." not counted; the last one's name in name. */
int cache_dir_count(const char *path, char name[CACHE_NAME_BYTES]);
void cache_path(char path[512], const char *dir, const char *name);
void cache_dir_remove(const char *path);
uint8_t *cache_read_file(const char *path, size_t *bytes);
/* Written in place, mode 600. */
void cache_write_file(const char *path, const uint8_t *data, size_t bytes);
/* Makes the header's checksum right again. */
void cache_sign(uint8_t *file);

#endif
