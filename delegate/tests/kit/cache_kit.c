#include "delegate/tests/kit/cache_kit.h"

struct cache_dir cache_dir_make(void)
{
    struct cache_dir d = { "/tmp/assay-cache-XXXXXX" };

    assert_non_null(mkdtemp(d.path));
    return d;
}

int cache_dir_count(const char *path, char name[CACHE_NAME_BYTES])
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

void cache_path(char path[512], const char *dir, const char *name)
{
    snprintf(path, 512, "%s/%s", dir, name);
}

void cache_dir_remove(const char *path)
{
    char name[CACHE_NAME_BYTES], file[512];

    while (cache_dir_count(path, name) > 0) {
        cache_path(file, path, name);
        if (unlink(file) != 0 && rmdir(file) != 0)
            fail_msg("%s stays", file);
    }
    rmdir(path);
}

void kit_dir_end(struct cache_dir *d)
{
    cache_dir_remove(d->path);
}

uint8_t *cache_read_file(const char *path, size_t *bytes)
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

void cache_write_file(const char *path, const uint8_t *data, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, bytes), bytes);
    close(fd);
}

void cache_sign(uint8_t *file)
{
    const uint64_t hash = checksum_of(file, CACHE_AT_HEADER_HASH);

    memcpy(file + CACHE_AT_HEADER_HASH, &hash, sizeof hash);
}
