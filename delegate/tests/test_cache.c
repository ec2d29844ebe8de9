/* Files of the cache: a complete private file is used, any other is refused with a reason. */
/* Wrap: fstat */
#include "delegate/tests/kit/cache_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"

#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/wait.h>

static const char name[] = "token_0123.assay";

/* fstat of libc, but the next call fails where a test says so. */
static bool fstat_fails;
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
    if (!fstat_fails)
        return __real_fstat(fd, st);
    fstat_fails = false;
    errno = EIO;
    return -1;
}

static struct cache_identity sample_identity(void)
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

/* Content whose constants are all `fill`; its parts are static. */
static struct cache_content sample_content(const struct cache_identity *id, uint8_t fill)
{
    static uint8_t pipelines[80], constants[300];
    static struct workgroup_tuning tuning[] = { { 11, 64, 0 }, { 22, 128, 0 } };
    const uint32_t words[] = { 32, 1, id->vendor_id, id->device_id };

    memset(pipelines, 0xaa, sizeof pipelines);
    memcpy(pipelines, words, sizeof words);
    memcpy(pipelines + 16, id->pipeline_uuid, 16);
    memset(constants, fill, sizeof constants);
    return (struct cache_content){ .pipelines = pipelines,
                                   .pipeline_bytes = sizeof pipelines,
                                   .tuning = tuning,
                                   .tuning_count = 2,
                                   .constants = constants,
                                   .constant_bytes = sizeof constants };
}

static void save(const char *dir)
{
    const struct cache_identity id = sample_identity();
    const struct cache_content content = sample_content(&id, 7);

    KIT_OK(cache_save(&content, dir, name, &id, &err));
}

/* Expects that the file is used, with all of its content. */
static void expect_found(const char *dir, uint8_t fill)
{
    const struct cache_identity id = sample_identity();
    struct cache_content content CLOSED_BY(cache_content_close), want;
    bool found;

    KIT_OK(cache_load(&content, &found, dir, name, &id, 300, &err));
    assert_true(found);
    want = sample_content(&id, fill);
    assert_int_equal(content.pipeline_bytes, want.pipeline_bytes);
    assert_int_equal(content.tuning_count, want.tuning_count);
    assert_int_equal(content.constant_bytes, want.constant_bytes);
    assert_memory_equal(content.pipelines, want.pipelines, want.pipeline_bytes);
    assert_memory_equal(content.tuning, want.tuning, 2 * sizeof *want.tuning);
    assert_memory_equal(content.constants, want.constants, want.constant_bytes);
}

/* Expects that it is not used, for a reason that contains `word`. */
static void expect_refused_as(const char *dir, const struct cache_identity *id, const char *word)
{
    struct cache_content content;
    struct diag diag = { 0 };
    bool found = true;

    if (cache_load(&content, &found, dir, name, id, 300, &diag) == STATUS_OK)
        fail_msg("no failure, '%s' wanted", word);
    assert_false(found);
    assert_null(content.pipelines);
    assert_null(content.constants);
    if (!strstr(diag.text, word))
        fail_msg("\"%s\", '%s' wanted", diag.text, word);
}

static void expect_refused(const char *dir, const char *word)
{
    const struct cache_identity id = sample_identity();

    expect_refused_as(dir, &id, word);
}

TEST(round_trip)
{
    CACHE_DIR(d);
    char inner[80], path[512];
    struct stat st;

    snprintf(inner, sizeof inner, "%s/inner", d.path);
    save(inner); /* makes the directory */
    assert_int_equal(stat(inner, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    cache_path(path, inner, name);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    expect_found(inner, 7);
    save(inner);
    expect_found(inner, 7);
    assert_int_equal(cache_dir_count(inner, NULL), 1);
    cache_dir_remove(inner);
}

TEST(not_there)
{
    const struct cache_identity id = sample_identity();
    const struct cache_content sample = sample_content(&id, 7);
    struct cache_dir d = cache_dir_make();
    struct cache_content content;
    bool found = true;

    KIT_OK(cache_load(&content, &found, d.path, name, &id, 300, &err));
    assert_false(found);
    cache_dir_remove(d.path);
    KIT_OK(cache_load(&content, &found, d.path, name, &id, 300, &err));
    assert_false(found);
    KIT_OK(cache_load(&content, &found, "/no/such/directory", name, &id, 300, &err));
    assert_false(found);
    /* Parents of the directory are not made. */
    assert_int_equal(cache_save(&sample, "/no/such/directory", name, &id, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "/no/such/directory"));
}

TEST(truncated_at_every_byte)
{
    CACHE_DIR(d);
    uint8_t *data;
    char path[512];
    size_t bytes;

    save(d.path);
    cache_path(path, d.path, name);
    data = cache_read_file(path, &bytes);
    assert_int_equal(bytes, CACHE_HEADER_BYTES + 80 + 2 * 16 + 300);
    for (size_t n = 0; n < bytes; n++) {
        cache_write_file(path, data, n);
        expect_refused(d.path, "truncated");
    }
    uint8_t *longer CLOSED_BY(kit_free) = realloc(data, bytes + 1);
    longer[bytes] = 0;
    cache_write_file(path, longer, bytes + 1);
    expect_refused(d.path, "too long");
    cache_write_file(path, longer, bytes);
    expect_found(d.path, 7);
}

TEST(every_bit_flipped)
{
    CACHE_DIR(d);
    char path[512];
    size_t bytes;

    save(d.path);
    cache_path(path, d.path, name);
    uint8_t *data CLOSED_BY(kit_free) = cache_read_file(path, &bytes);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cache_write_file(path, data, bytes);
        expect_refused(d.path, bit / 8 < 8                         ? "not a cache file"
                               : bit / 8 < CACHE_AT_IDENTITY       ? "another version"
                               : bit / 8 < CACHE_HEADER_BYTES      ? "checksum mismatch: header"
                               : bit / 8 < CACHE_HEADER_BYTES + 80 ? "checksum mismatch: pipelines"
                               : bit / 8 < CACHE_HEADER_BYTES + 80 + 32
                                   ? "checksum mismatch: workgroup"
                                   : "checksum mismatch: constants");
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Each byte of the identity. */
TEST(of_another)
{
    static const struct {
        size_t at, bytes;
        const char *word;
    } parts[] = {
        { offsetof(struct cache_identity, device_uuid), 16, "another device" },
        { offsetof(struct cache_identity, driver_uuid), 16, "version of the driver" },
        { offsetof(struct cache_identity, pipeline_uuid), 16, "version of the driver" },
        { offsetof(struct cache_identity, vendor_id), 8, "another device" },
        { offsetof(struct cache_identity, driver_version), 8, "version of the driver" },
        { offsetof(struct cache_identity, library), 16, "version of this library" },
        { offsetof(struct cache_identity, model), 16, "another model" },
        { offsetof(struct cache_identity, plan), 16, "another plan" },
    };
    CACHE_DIR(d);
    size_t looked_at = 0;

    save(d.path);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (size_t j = 0; j < parts[i].bytes; j++, looked_at++) {
            struct cache_identity id = sample_identity();

            ((uint8_t *)&id)[parts[i].at + j] ^= 0x80;
            expect_refused_as(d.path, &id, parts[i].word);
        }
    assert_int_equal(looked_at, sizeof(struct cache_identity));
    expect_found(d.path, 7);
}

/* Sizes are checked even when the checksum matches. */
TEST(signed_but_wrong)
{
    const size_t sizes = CACHE_AT_IDENTITY + sizeof(struct cache_identity);
    const uint64_t values[] = { 0, 1, 79, 81, 1u << 20, UINT64_MAX, UINT64_MAX / 16, 1ull << 63 };
    static const struct {
        int field;
        uint64_t value;
        const char *text;
    } rows[] = {
        { 0, 81, "truncated, or too long" },
        { 0, 1 << 28, "truncated, or too long" },
        { 0, (1 << 28) + 1, "268435457 bytes of pipelines" },
        { 1, 1 << 16, "truncated, or too long" },
        { 1, (1 << 16) + 1, "65537 workgroup sizes" },
        { 2, 301, "expected 300 bytes of constants, found 301" },
    };
    CACHE_DIR(d);
    struct cache_identity id = sample_identity();
    struct cache_content content;
    char path[512];
    size_t bytes;
    bool found;

    save(d.path);
    cache_path(path, d.path, name);
    uint8_t *data CLOSED_BY(kit_free) = cache_read_file(path, &bytes);
    uint8_t *copy CLOSED_BY(kit_free) = malloc(bytes);
    for (size_t field = 0; field < 3; field++)
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            memcpy(copy, data, bytes);
            memcpy(copy + sizes + 8 * field, &values[i], 8);
            cache_sign(copy);
            cache_write_file(path, copy, bytes);
            expect_refused(d.path, name);
        }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(copy, data, bytes);
        memcpy(copy + sizes + 8 * rows[i].field, &rows[i].value, 8);
        cache_sign(copy);
        cache_write_file(path, copy, bytes);
        expect_refused(d.path, rows[i].text);
    }
    memcpy(copy, data, bytes);
    copy[CACHE_AT_FORMAT]++;
    cache_sign(copy);
    cache_write_file(path, copy, bytes);
    expect_refused(d.path, "another version");
    cache_write_file(path, data, bytes);
    expect_found(d.path, 7);
    assert_int_equal(cache_load(&content, &found, d.path, name, &id, 301, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "expected 301 bytes of constants, found 300"));
}

/* VkPipelineCacheHeaderVersionOne, with which the pipelines begin. */
TEST(pipelines_of_another)
{
    static const size_t at[] = { 0, 1, 4, 8, 12, 16, 31 }; /* size twice, version, ids, UUID */
    const struct cache_identity id = sample_identity();
    CACHE_DIR(d);
    struct cache_content c;

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        c = sample_content(&id, 7);
        c.pipelines[at[i]] ^= 0x80;
        KIT_OK(cache_save(&c, d.path, name, &id, &err));
        expect_refused(d.path, "pipelines: made for another");
    }
    c = sample_content(&id, 7);
    c.pipelines[0] = 31;
    KIT_OK(cache_save(&c, d.path, name, &id, &err));
    expect_refused(d.path, "pipelines: made for another");
    c = sample_content(&id, 7);
    c.pipeline_bytes = 31;
    KIT_OK(cache_save(&c, d.path, name, &id, &err));
    expect_refused(d.path, "32 bytes, found 31");
    c.pipeline_bytes = 32; /* an empty cache, such as lavapipe's */
    KIT_OK(cache_save(&c, d.path, name, &id, &err));
    KIT_OK(cache_load(&c, &(bool){ false }, d.path, name, &id, 300, &err));
    cache_content_close(&c);
    c = sample_content(&id, 7);
    c.pipeline_bytes = 0; /* of a driver that gives nothing */
    KIT_OK(cache_save(&c, d.path, name, &id, &err));
    KIT_OK(cache_load(&c, &(bool){ false }, d.path, name, &id, 300, &err));
    assert_int_equal(c.pipeline_bytes, 0);
    assert_int_equal(c.tuning_count, 2);
    assert_int_equal(c.constant_bytes, 300);
    cache_content_close(&c);
}

static enum status try_save(const char *dir, struct diag *diag)
{
    const struct cache_identity id = sample_identity();
    const struct cache_content c = sample_content(&id, 9);

    *diag = (struct diag){ 0 };
    return cache_save(&c, dir, name, &id, diag);
}

static void expect_not_saved(const char *dir, const char *word)
{
    assert_int_equal(try_save(dir, &err), STATUS_IO);
    if (!strstr(err.text, word))
        fail_msg("\"%s\", '%s' wanted", err.text, word);
}

TEST(directory_not_private)
{
    static const mode_t modes[] = { 0755, 0770, 0701, 0710, 0720, 0777, 01777 };
    CACHE_DIR(d);
    char link[80], path[512];

    save(d.path);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(d.path, modes[i]), 0);
        expect_refused(d.path, "not private");
        expect_not_saved(d.path, "not private");
    }
    assert_int_equal(chmod(d.path, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(d.path, 65534, 65534), 0);
        expect_refused(d.path, "not private");
        expect_not_saved(d.path, "not private");
        assert_int_equal(chown(d.path, 0, 0), 0);
    }
    expect_found(d.path, 7);

    snprintf(link, sizeof link, "%s-link", d.path);
    assert_int_equal(symlink(d.path, link), 0);
    expect_refused(link, link);
    expect_not_saved(link, link);
    unlink(link);
    cache_path(path, d.path, name); /* a file as the directory */
    expect_refused(path, "Not a directory");
    expect_not_saved(path, "Not a directory");
}

/* Nobody makes a directory in /sys, whatever the words are. */
TEST(directory_not_made)
{
    static const char path[] = "/sys/assay-cache";
    struct statfs fs;

    /* Elsewhere, in a bare chroot say, /sys is a directory like any other. */
    if (statfs("/sys", &fs) != 0 || fs.f_type != SYSFS_MAGIC) {
        printf("skipped: no sysfs is mounted at /sys, where nobody can make a directory\n");
        skip();
    }
    assert_int_equal(mkdir(path, 0700), -1);
    expect_not_saved(path, strerror(errno));
}

/* What the directory is cannot be found out. */
TEST(directory_not_known)
{
    CACHE_DIR(d);

    save(d.path);
    fstat_fails = true;
    expect_refused(d.path, strerror(EIO));
    assert_false(fstat_fails);
    fstat_fails = true;
    expect_not_saved(d.path, strerror(EIO));
    expect_found(d.path, 7);
}

TEST(file_not_private)
{
    static const mode_t modes[] = { 0644, 0660, 0602 };
    CACHE_DIR(d);
    char path[512];

    save(d.path);
    cache_path(path, d.path, name);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        expect_refused(d.path, "not private");
    }
    save(d.path); /* replaces it */
    expect_found(d.path, 7);
}

TEST(not_a_file)
{
    struct cache_dir d = cache_dir_make(), other = cache_dir_make();
    char path[512], target[512];
    uint8_t *before, *after;
    size_t bytes, bytes_after;

    cache_path(path, d.path, name);
    cache_path(target, other.path, name);
    save(other.path);
    before = cache_read_file(target, &bytes);

    /* A symbolic link to a valid file is followed neither when reading nor when writing. */
    assert_int_equal(symlink(target, path), 0);
    expect_refused(d.path, "symbolic link");
    assert_int_equal(try_save(d.path, &(struct diag){ 0 }), STATUS_OK);
    expect_found(d.path, 9);
    after = cache_read_file(target, &bytes_after);
    assert_int_equal(bytes, bytes_after);
    assert_memory_equal(before, after, bytes);
    free(before);
    free(after);

    alarm(10); /* opening a FIFO could wait for its other end */
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(d.path, "not a regular file");
    assert_int_equal(try_save(d.path, &(struct diag){ 0 }), STATUS_OK);
    expect_found(d.path, 9);
    alarm(0);

    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_refused(d.path, "not a regular file");
    expect_not_saved(d.path, name);
    assert_int_equal(cache_dir_count(d.path, NULL), 1); /* no temporary file is left */
    cache_dir_remove(d.path);
    cache_dir_remove(other.path);
}

/* Runs f in a child process, which must exit with status 0. */
static void in_a_child(void (*f)(const char *), const char *argument)
{
    int status;
    pid_t pid;

    fflush(NULL);
    if ((pid = fork()) == 0) {
        f(argument);
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the child ended with status 0x%x", status);
}

static void save_below_limit(const char *dir)
{
    const struct rlimit small = { 200, 200 };
    sigset_t set;

    if (setrlimit(RLIMIT_FSIZE, &small) != 0 || try_save(dir, &err) != STATUS_IO ||
        !strstr(err.text, name))
        _exit(1);
    /* SIGXFSZ was consumed, and the signal mask is as before. */
    if (sigpending(&set) != 0 || sigismember(&set, SIGXFSZ) ||
        pthread_sigmask(SIG_BLOCK, NULL, &set) != 0 || sigismember(&set, SIGXFSZ))
        _exit(2);
}

/* Like a full disk: writing fails in the middle of the file. */
TEST(disk_full)
{
    CACHE_DIR(d);

    save(d.path);
    in_a_child(save_below_limit, d.path);
    expect_found(d.path, 7); /* the old file is still there */
    assert_int_equal(cache_dir_count(d.path, NULL), 1);
}

static void save_as_nobody(const char *dir)
{
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        _exit(1);
    if (try_save(dir, &err) != STATUS_IO || !strstr(err.text, strerror(EACCES)))
        _exit(2);
}

TEST(read_only)
{
    struct cache_dir d = cache_dir_make();

    if (geteuid() == 0)
        assert_int_equal(chown(d.path, 65534, 65534), 0);
    assert_int_equal(chmod(d.path, 0500), 0);
    in_a_child(save_as_nobody, d.path);
    assert_int_equal(cache_dir_count(d.path, NULL), 0);
    assert_int_equal(chmod(d.path, 0700), 0);
    if (geteuid() == 0)
        assert_int_equal(chown(d.path, 0, 0), 0);
    cache_dir_remove(d.path);
    /* A directory in which not even root can write. */
    expect_not_saved("/proc/self/fd", name);
}

static void save_often(const char *dir)
{
    const struct cache_identity id = sample_identity();

    for (int i = 0; i < 300; i++) {
        const struct cache_content c = sample_content(&id, (uint8_t)(7 + 2 * (i % 2)));

        if (cache_save(&c, dir, name, &id, &err) != STATUS_OK)
            _exit(1);
    }
}

/* A reader sees the whole old file or the whole new one. */
TEST(two_writers_and_a_reader)
{
    const struct cache_identity id = sample_identity();
    CACHE_DIR(d);
    pid_t writers[2];
    int running = 2, found_count = 0;

    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if ((writers[i] = fork()) == 0) {
            save_often(d.path);
            _exit(0);
        }
    while (running > 0) {
        struct cache_content c;
        bool found;
        int status;

        KIT_OK_DIAG(cache_load(&c, &found, d.path, name, &id, 300, &err), err);
        if (found) {
            found_count++;
            assert_true(c.constants[0] == 7 || c.constants[0] == 9);
            for (size_t i = 0; i < c.constant_bytes; i++)
                assert_int_equal(c.constants[i], c.constants[0]);
            cache_content_close(&c);
        }
        if (waitpid(-1, &status, WNOHANG) > 0) {
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            running--;
        }
    }
    assert_true(found_count > 0);
    assert_int_equal(cache_dir_count(d.path, NULL), 1);
}

TEST(names)
{
    struct cache_identity a = sample_identity(), b;
    char one[CACHE_NAME_BYTES], two[CACHE_NAME_BYTES], text[300];

    /* What may change under one name: the file is then stale, and replaced. */
    b = a;
    b.driver_version++;
    b.library.word[0]++;
    b.driver_uuid[0]++;
    b.pipeline_uuid[0]++;
    cache_name(one, NULL, &a);
    cache_name(two, NULL, &b);
    assert_string_equal(one, two);
    cache_name(one, "net", &a);
    b.model.word[0]++;
    cache_name(two, "net", &b);
    assert_string_equal(one, two);
    assert_int_equal(strncmp(one, "net_", 4), 0);
    /* What must have a file of its own has another name. */
    cache_name(two, "net2", &a);
    assert_string_not_equal(one, two);
    b = a;
    b.device_uuid[15]++;
    cache_name(two, "net", &b);
    assert_string_not_equal(one, two);
    b = a;
    b.plan.word[1]++;
    cache_name(two, "net", &b);
    assert_string_not_equal(one, two);
    cache_name(one, NULL, &a);
    b = a;
    b.model.word[1]++;
    cache_name(two, NULL, &b);
    assert_string_not_equal(one, two);
    /* No token leads out of the directory; long tokens that differ only at the end have different
     * names. */
    cache_name(one, "../../etc/passwd", &a);
    assert_null(strchr(one, '/'));
    assert_true(one[0] != '.');
    memset(text, 'x', sizeof text);
    text[299] = '\0';
    cache_name(one, text, &a);
    text[298] = 'y';
    cache_name(two, text, &a);
    assert_string_not_equal(one, two);
}

TEST(no_memory)
{
    const struct cache_identity id = sample_identity();
    CACHE_DIR(d);
    struct cache_content c CLOSED_BY(cache_content_close);
    bool found;

    save(d.path);
    for (long n = 0;; n++) {
        enum status s;

        mem_fail_after(n);
        s = cache_load(&c, &found, d.path, name, &id, 300, &err);
        mem_fail_after(-1);
        assert_int_equal(found, s == STATUS_OK);
        if (s == STATUS_OK)
            break;
        assert_int_equal(s, STATUS_NO_MEMORY);
        assert_true(n < 10);
    }
}

TEST(hashes)
{
    static const char text[] = "abcdefgh";
    struct checksum a = { { 0 } }, b = { { 0 } }, c = { { 0 } };

    checksum_add(&a, text, 8);
    checksum_add(&b, text, 4);
    checksum_add(&b, text + 4, 4);
    assert_memory_not_equal(&a, &b, sizeof a);
    checksum_add_text(&c, "abcdefg");
    assert_memory_not_equal(&a, &c, sizeof a);
    c = (struct checksum){ { 0 } };
    checksum_add(&c, text, 8);
    assert_memory_equal(&a, &c, sizeof a);
    checksum_add(&c, NULL, 0);
    assert_memory_not_equal(&a, &c, sizeof a);
    assert_true(checksum_of(text, 7) != checksum_of(text, 8));
}
