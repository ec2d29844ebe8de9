/* The size of the cache directory: what was used least recently goes, and nothing of others. */
/* Wrap: unlinkat fdopendir */
#include "delegate/tests/kit/cache_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/cache/trim.h"
#include "reference/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Calls that fail with this error where it is not 0. */
static int unlinkat_error, fdopendir_error;

int __real_unlinkat(int directory, const char *name, int flags);
int __wrap_unlinkat(int directory, const char *name, int flags);
int __wrap_unlinkat(int directory, const char *name, int flags)
{
    if (unlinkat_error == 0)
        return __real_unlinkat(directory, name, flags);
    errno = unlinkat_error;
    return -1;
}

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd)
{
    if (fdopendir_error == 0)
        return __real_fdopendir(fd);
    errno = fdopendir_error;
    return NULL;
}

enum { PIPELINES = 80, CONSTANTS = 1000 };

static const struct cache_identity identity = { .vendor_id = 1, .device_id = 2 };

static void save(const char *dir, const char *name)
{
    static uint8_t pipelines[PIPELINES], constants[CONSTANTS];
    const uint32_t words[] = { 32, 1, identity.vendor_id, identity.device_id };
    const struct cache_content content = { .pipelines = pipelines,
                                           .pipeline_bytes = sizeof pipelines,
                                           .constants = constants,
                                           .constant_bytes = sizeof constants };

    memcpy(pipelines, words, sizeof words);
    KIT_OK(cache_save(&content, dir, name, &identity, &err));
}

static uint64_t file_bytes(void)
{
    const struct cache_content c = { .pipeline_bytes = PIPELINES, .constant_bytes = CONSTANTS };

    return cache_file_bytes(&c);
}

/* The file was used so many seconds after 1970. */
static void set_used(const char *dir, const char *name, time_t when)
{
    const struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };
    char path[512];

    cache_path(path, dir, name);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool exists(const char *dir, const char *name)
{
    char path[512];

    cache_path(path, dir, name);
    return access(path, F_OK) == 0;
}

static bool load(const char *dir, const char *name)
{
    struct cache_content content CLOSED_BY(cache_content_close);
    bool found;

    KIT_OK(cache_load(&content, &found, dir, name, &identity, CONSTANTS, &err));
    return found;
}

/* Time of use in nanoseconds. */
static int64_t used(const char *dir, const char *name)
{
    char path[512];
    struct stat st;

    cache_path(path, dir, name);
    assert_int_equal(stat(path, &st), 0);
    return (int64_t)st.st_atim.tv_sec * 1000000000 + st.st_atim.tv_nsec;
}

/* The order of use is neither that of the names nor that in which the files were made, and
 * trimming, which reads the files, leaves it as it is. */
TEST(oldest_go)
{
    static const char *const names[] = { "a.assay", "b.assay", "c.assay", "d.assay" };
    static const int when[] = { 1000, 1003, 1001, 1002 };
    const struct cache_dir d = cache_dir_make();

    for (int i = 0; i < 4; i++) {
        save(d.path, names[i]);
        set_used(d.path, names[i], when[i]);
    }
    KIT_OK(cache_trim(d.path, "d.assay", 4 * file_bytes(), &err));
    assert_int_equal(cache_dir_count(d.path, NULL), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(used(d.path, names[i]), (int64_t)when[i] * 1000000000);
    assert_true(load(d.path, "a.assay")); /* now it is the one that was used last */
    KIT_OK(cache_trim(d.path, "d.assay", 3 * file_bytes() + 1, &err));
    assert_true(exists(d.path, "a.assay") && exists(d.path, "b.assay") &&
                exists(d.path, "d.assay"));
    assert_false(exists(d.path, "c.assay"));
    /* The file that was just written stays, however old it says it is and however small the limit.
     */
    set_used(d.path, "d.assay", 1);
    KIT_OK(cache_trim(d.path, "d.assay", 1, &err));
    assert_int_equal(cache_dir_count(d.path, NULL), 1);
    assert_true(load(d.path, "d.assay"));
    cache_dir_remove(d.path);
}

TEST(others_stay)
{
    static const char *const foreign[] = { "notes.txt", "copy.assay", "short.assay",
                                           ".x.assay.1.2" };
    const struct cache_dir d = cache_dir_make();
    char path[512], link[512];

    for (int i = 0; i < 4; i++) {
        cache_path(path, d.path, foreign[i]);
        cache_write_file(path, (const uint8_t *)"another program's file", i == 2 ? 3 : 22);
    }
    save(d.path, "shared.assay");
    cache_path(path, d.path, "shared.assay");
    assert_int_equal(chmod(path, 0644), 0); /* the cache would not read it */
    save(d.path, "mine.assay");
    cache_path(path, d.path, "mine.assay");
    cache_path(link, d.path, "link.assay");
    assert_int_equal(symlink(path, link), 0);
    KIT_OK(cache_trim(d.path, "none", 1, &err));
    assert_false(exists(d.path, "mine.assay"));
    assert_int_equal(cache_dir_count(d.path, NULL), 6);
    KIT_OK(cache_trim("/no/such/directory", "none", 1, &err));
    cache_dir_remove(d.path);
}

/* Files of one second: the order is that of the nanoseconds, then that of the names. */
TEST(order_within_a_second)
{
    static const char *const names[] = { "a.assay", "b.assay", "c.assay", "d.assay" };
    static const long when[] = { 900, 100, 500, 500 };
    const struct cache_dir d = cache_dir_make();
    char path[512];

    for (int i = 0; i < 4; i++) {
        const struct timespec times[2] = { { 1000, when[i] }, { 1000, when[i] } };

        save(d.path, names[i]);
        cache_path(path, d.path, names[i]);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    KIT_OK(cache_trim(d.path, "none", 3 * file_bytes(), &err));
    assert_false(exists(d.path, "b.assay"));
    KIT_OK(cache_trim(d.path, "none", 2 * file_bytes(), &err));
    assert_false(exists(d.path, "c.assay"));
    KIT_OK(cache_trim(d.path, "none", 1 * file_bytes(), &err));
    assert_true(exists(d.path, "a.assay"));
    assert_int_equal(cache_dir_count(d.path, NULL), 1);
    cache_dir_remove(d.path);
}

static void expect_fails(const char *dir, enum status status, const char *text)
{
    struct diag diag = { 0 };

    assert_int_equal(cache_trim(dir, "none", 1, &diag), status);
    if (!strstr(diag.text, text))
        fail_msg("expected '%s', found '%s'", text, diag.text);
}

/* What fails is said, and the files stay; one that another process has removed is no failure. */
TEST(failures)
{
    const struct cache_dir d = cache_dir_make();

    save(d.path, "a.assay");
    mem_fail_after(0);
    expect_fails(d.path, STATUS_NO_MEMORY, "no memory to list it");
    mem_fail_after(-1);
    unlinkat_error = EACCES;
    expect_fails(d.path, STATUS_IO, "a.assay: cannot be removed: Permission denied");
    unlinkat_error = ENOENT;
    KIT_OK(cache_trim(d.path, "none", 1, &err));
    unlinkat_error = 0;
    fdopendir_error = EMFILE;
    expect_fails(d.path, STATUS_IO, "Too many open files");
    fdopendir_error = 0;
    assert_int_equal(cache_dir_count(d.path, NULL), 1);
    KIT_OK(cache_trim(d.path, "none", 1, &err));
    assert_int_equal(cache_dir_count(d.path, NULL), 0);
    cache_dir_remove(d.path);
}

/* Writes files, reads those of the other process, and trims, all at once. */
static void take_part(const char *dir, int process)
{
    for (int i = 0; i < 150; i++) {
        char name[32];

        snprintf(name, sizeof name, "%d_%d.assay", process, i % 7);
        save(dir, name);
        if (cache_trim(dir, name, 3 * file_bytes(), &err) != STATUS_OK)
            _exit(1);
        snprintf(name, sizeof name, "%d_%d.assay", 1 - process, i % 7);
        (void)load(dir, name); /* fails the test when it is there and cannot be used */
    }
}

TEST(two_processes)
{
    const struct cache_dir d = cache_dir_make();
    pid_t child[2];

    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if ((child[i] = fork()) == 0) {
            take_part(d.path, i);
            _exit(0);
        }
    for (int i = 0; i < 2; i++) {
        int status;

        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    KIT_OK_DIAG(cache_trim(d.path, "none", 3 * file_bytes(), &err), err);
    assert_in_range(cache_dir_count(d.path, NULL), 1, 3);
    cache_dir_remove(d.path);
}
