/* Starts with and without files of earlier starts: the same bits, whatever is in the directory. The
 * device is closed between two starts, as between two processes; some tests use other processes.
 * Skipped without a device. */
#include "delegate/tests/kit/cache_kit.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "assay_gpu.h"
#include "delegate/runtime/kernel.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* ---- one start ---- */

struct start {
    struct checksum outputs;
    struct assay_gpu_stats stats;
    char said[4096]; /* messages to the host's error reporter */
    int warnings;
};

static char said[4096];
static int warnings;

static void listen(void *user, const char *format, va_list args)
{
    const size_t used = strlen(said);

    (void)user;
    vsnprintf(said + used, sizeof said - used, format, args);
    warnings += strstr(said + used, "WARNING: serialization in ") == said + used;
}

static struct start start_with(const struct model *m, TfLiteDelegate *delegate)
{
    const struct interpreter_options options = { .report = listen };
    struct start s = { .stats = { .struct_size = sizeof s.stats } };
    struct interpreter *in;
    const int *outputs;
    size_t count;

    said[0] = '\0';
    warnings = 0;
    KIT_OK(interpreter_open(&in, m, &options, &err));
    KIT_OK(interpreter_apply_delegate(in, delegate, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 1);
    outputs = interpreter_outputs(in, &count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, outputs[i]);

        checksum_add(&s.outputs, t->data.raw, t->bytes);
    }
    assert_int_equal(assay_gpu_get_stats(delegate, &s.stats), 0);
    assert_true(s.stats.partitions > 0);
    interpreter_close(in);
    snprintf(s.said, sizeof s.said, "%s", said);
    s.warnings = warnings;
    return s;
}

static void print(const char *text)
{
    print_error("%s\n", text);
}

/* dir NULL: without serialization.  extra: one more option. */
static struct start start(const struct model *m, const char *dir, const char *key,
                          const char *value)
{
    const char *keys[3] = { "max_partitions" }, *values[3] = { "0" };
    struct start s;
    size_t n = 1;

    if (dir) {
        keys[n] = "serialization_dir";
        values[n++] = dir;
    }
    if (key) {
        keys[n] = key;
        values[n++] = value;
    }
    DELEGATE_BY(d, tflite_plugin_create_delegate(keys, values, n, print));
    assert_non_null(d);
    s = start_with(m, d);
    return s;
}

static void expect(const struct start *s, int found, int written, int warned)
{
    if (s->stats.serialized_found != found || s->stats.serialized_written != written ||
        s->warnings != warned)
        fail_msg("found %d, written %d, warnings %d: \"%s\"; %d, %d, %d wanted",
                 s->stats.serialized_found, s->stats.serialized_written, s->warnings, s->said,
                 found, written, warned);
}

static void same_bits(const struct start *a, const struct start *b)
{
    assert_memory_equal(&a->outputs, &b->outputs, sizeof a->outputs);
}

/* Convolutions and the addition of a constant, with numbers of channels that are not multiples of
 * 4; all constants depend on `seed`. */
static void make_model(struct model *m, int seed)
{
    kit_text(m,
             "CONV_2D {stride_h=1 stride_w=1} x:f32[1,6,7,5] f32[7,3,3,5]=~%d f32[7]=~%d -> y\n"
             "MUL {} y f32[7]=~%d -> z",
             seed, seed + 10, seed + 20);
}

/* ---- tests ---- */

TEST(same_bits_with_and_without)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    CACHE_DIR(d);
    for (int p = 0; p < 2; p++)
        for (uint64_t seed = 0; seed < 4; seed += KIT_EACH(2)) {
            struct start without, first, second;
            struct model m CLOSED_BY(model_close);

            if (seed == 0)
                make_model(&m, 1);
            else
                kit_random_graph(&m, seed, 25, 3);
            without = start(&m, NULL, "precision", precisions[p]);
            first = start(&m, d.path, "precision", precisions[p]);
            second = start(&m, d.path, "precision", precisions[p]);
            expect(&without, 0, 0, 0);
            expect(&first, 0, first.stats.partitions, 0);
            expect(&second, second.stats.partitions, 0, 0);
            assert_true(first.stats.serialized_bytes > 0);
            assert_int_equal(first.stats.serialized_bytes, second.stats.serialized_bytes);
            assert_int_equal(first.stats.constant_bytes, without.stats.constant_bytes);
            assert_int_equal(second.stats.constant_bytes, without.stats.constant_bytes);
            same_bits(&without, &first);
            same_bits(&without, &second);
        }
    /* One file for each model and precision. */
    assert_int_equal(cache_dir_count(d.path, NULL), 8 / KIT_EACH(2));
}

/* Options that change how constants are packed have files of their own. */
TEST(other_options)
{
    static const char *const options[][2] = { { "precision", "fp32" },
                                              { "precision", "fp16" },
                                              { "poison", "nan" },
                                              { "poison", "junk" },
                                              { "model_token", "net" } };
    enum { COUNT = sizeof options / sizeof options[0] };

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++) {
            const struct start s = start(&m, d.path, options[i][0], options[i][1]);
            const struct start without = start(&m, NULL, options[i][0], options[i][1]);

            expect(&s, round, 1 - round, 0);
            same_bits(&s, &without);
            assert_int_equal(cache_dir_count(d.path, NULL), round ? COUNT : i + 1);
        }
}

/* 16-bit storage is tested before a file is written, not at each start. */
TEST(tested_once)
{
    const char *const keys[] = { "precision", "serialization_dir" };

    CACHE_DIR(dir);
    MODEL_BY(m, make_model(&m, 1));
    for (int i = 0; i < 2; i++) {
        const char *const values[] = { "fp16", dir.path };
        DELEGATE_BY(d, tflite_plugin_create_delegate(keys, values, 2, print));
        struct start s;

        assert_non_null(d);
        s = start_with(&m, d);
        expect(&s, i, 1 - i, 0);
        assert_int_equal(((struct gpu_delegate *)d->data_)->device->half_passed, i == 0);
    }
}

/* Constants written by the host, or copied from a staging buffer: the same bits. */
TEST(staged_constants)
{
    const char *const key = "max_partitions", *const value = "0";
    struct start s[2];

    MODEL_BY(m, make_model(&m, 1));
    for (int i = 0; i < 2; i++) {
        DELEGATE_BY(d, tflite_plugin_create_delegate(&key, &value, 1, print));

        assert_non_null(d);
        if (i == 1) /* the device, with this change, is closed with its last user */
            ((struct gpu_delegate *)d->data_)->device->host_writes = false;
        s[i] = start_with(&m, d);
    }
    same_bits(&s[0], &s[1]);
}

/* Poison in packed constants alone. */
TEST(poisoned_constants)
{
    static const char *const poisons[] = { "off", "nan", "junk" };

    CACHE_DIR(d);
    MODEL(m, "MUL {} x:f32[1,4] f32[1]=3 -> y");
    for (int i = 0; i < 3; i++) {
        const struct start s = start(&m, d.path, "poison", poisons[i]);

        expect(&s, 0, 1, 0);
    }
    assert_int_equal(cache_dir_count(d.path, NULL), 3);
}

/* Two models under one token: each start has the weights of its own model. */
TEST(one_token_two_models)
{
    struct start plain[2], s;
    struct model m[2];

    CACHE_DIR(d);
    for (int i = 0; i < 2; i++) {
        make_model(&m[i], 1 + i);
        plain[i] = start(&m[i], NULL, NULL, NULL);
    }
    assert_memory_not_equal(&plain[0].outputs, &plain[1].outputs, sizeof plain[0].outputs);
    for (int i = 0; i < 4; i++) {
        s = start(&m[i % 2], d.path, "model_token", "net");
        expect(&s, 0, 1, i > 0);
        if (i > 0)
            assert_non_null(strstr(s.said, "another model"));
        same_bits(&plain[i % 2], &s);
    }
    s = start(&m[1], d.path, "model_token", "net");
    expect(&s, 1, 0, 0);
    same_bits(&plain[1], &s);
    assert_int_equal(cache_dir_count(d.path, NULL), 1);
    for (int i = 0; i < 2; i++)
        model_close(&m[i]);
}

/* The one file of a directory. */
static void only_file(char path[512], const char *dir)
{
    char name[CACHE_NAME_BYTES] = "";

    assert_int_equal(cache_dir_count(dir, name), 1);
    cache_path(path, dir, name);
}

/* Starts with a file that was changed: one warning, the right bits, and a valid file afterwards. */
static void expect_recovery(const struct model *m, const char *dir, const struct start *plain,
                            const char *word)
{
    struct start s = start(m, dir, NULL, NULL);

    expect(&s, 0, 1, 1);
    if (!strstr(s.said, word))
        fail_msg("\"%s\", '%s' wanted", s.said, word);
    same_bits(plain, &s);
    s = start(m, dir, NULL, NULL);
    expect(&s, 1, 0, 0);
    same_bits(plain, &s);
}

/* ASSAY_TORTURE=1: hundreds of places instead of a dozen, or of four under sanitizers;
 * test_gpu_cache takes every byte and bit. */
static size_t stride_of(size_t bytes)
{
    const char *torture = getenv("ASSAY_TORTURE");

    return torture && strcmp(torture, "1") == 0 ? 7 : bytes / (12 / KIT_EACH(3)) + 1;
}

TEST(truncated)
{
    struct start plain;
    char path[512];
    size_t bytes;

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    plain = start(&m, d.path, NULL, NULL);
    only_file(path, d.path);
    uint8_t *data CLOSED_BY(kit_free) = cache_read_file(path, &bytes);
    for (size_t n = 0; n < bytes; n += stride_of(bytes)) {
        cache_write_file(path, data, n);
        expect_recovery(&m, d.path, &plain, "truncated");
    }
}

TEST(flipped)
{
    struct start plain;
    char path[512];
    size_t bytes;

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    plain = start(&m, d.path, NULL, NULL);
    only_file(path, d.path);
    uint8_t *data CLOSED_BY(kit_free) = cache_read_file(path, &bytes);
    for (size_t n = 0; n < bytes; n += stride_of(bytes)) {
        data[n] ^= (uint8_t)(1u << n % 8);
        cache_write_file(path, data, bytes);
        expect_recovery(&m, d.path, &plain, ".assay: ");
        data[n] ^= (uint8_t)(1u << n % 8);
    }
}

/* Complete files that were made for something else, as after an update of driver or library. */
TEST(stale)
{
    static const struct {
        size_t at;
        const char *word;
    } fields[] = {
        { offsetof(struct cache_identity, device_uuid), "another device" },
        { offsetof(struct cache_identity, driver_uuid), "another version of the driver" },
        { offsetof(struct cache_identity, pipeline_uuid), "another version of the driver" },
        { offsetof(struct cache_identity, vendor_id), "another device" },
        { offsetof(struct cache_identity, device_id), "another device" },
        { offsetof(struct cache_identity, driver_version), "another version of the driver" },
        { offsetof(struct cache_identity, api_version), "another version of the driver" },
        { offsetof(struct cache_identity, library), "another version of this library" },
        { offsetof(struct cache_identity, model), "another model" },
        { offsetof(struct cache_identity, plan), "another plan" },
    };
    struct start plain;
    char path[512];
    size_t bytes;

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    plain = start(&m, d.path, NULL, NULL);
    only_file(path, d.path);
    uint8_t *data CLOSED_BY(kit_free) = cache_read_file(path, &bytes);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint8_t *byte = data + CACHE_AT_IDENTITY + fields[i].at;

        *byte ^= 1;
        cache_sign(data);
        cache_write_file(path, data, bytes);
        expect_recovery(&m, d.path, &plain, fields[i].word);
        *byte ^= 1;
    }
}

/* A start that can neither read nor write a file. */
static void expect_without(const struct model *m, const char *dir, const struct start *plain,
                           const char *word)
{
    const struct start s = start(m, dir, NULL, NULL);

    expect(&s, 0, 0, 1);
    if (!strstr(s.said, word))
        fail_msg("\"%s\", '%s' wanted", s.said, word);
    same_bits(plain, &s);
}

TEST(bad_directories)
{
    struct start plain;
    char path[512];

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    plain = start(&m, NULL, NULL, NULL);
    expect_without(&m, "/no/such/directory", &plain, "/no/such/directory");
    expect_without(&m, "/proc/self/fd", &plain, "cannot be written"); /* read-only for root, too */
    assert_int_equal(chmod(d.path, 0755), 0);
    expect_without(&m, d.path, &plain, "not private");
    assert_int_equal(chmod(d.path, 0700), 0);
    assert_int_equal(cache_dir_count(d.path, NULL), 0);

    /* A symbolic link or FIFO in place of the file is replaced; a directory cannot be. */
    start(&m, d.path, NULL, NULL);
    only_file(path, d.path);
    alarm(60);
    unlink(path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    expect_recovery(&m, d.path, &plain, "symbolic link");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_recovery(&m, d.path, &plain, "not a regular file");
    alarm(0);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_without(&m, d.path, &plain, "not a regular file");
}

/* Several partitions with invalid files: one warning. */
TEST(one_warning_a_graph)
{
    struct start plain, s;
    int partitions;

    CACHE_DIR(d);
    MODEL_BY(m, kit_random_graph(&m, 77, 40, 2));
    plain = start(&m, d.path, "exclude", "MUL,MEAN");
    partitions = plain.stats.partitions;
    assert_true(partitions > 1);
    expect(&plain, 0, partitions, 0);
    s = start(&m, d.path, "exclude", "MUL,MEAN");
    expect(&s, partitions, 0, 0);
    same_bits(&plain, &s);
    assert_int_equal(cache_dir_count(d.path, NULL), partitions);
    {
        DIR *dir = opendir(d.path);
        const struct dirent *entry;

        while ((entry = readdir(dir)) != NULL)
            if (entry->d_name[0] != '.') {
                char path[512];

                cache_path(path, d.path, entry->d_name);
                assert_int_equal(truncate(path, 100), 0);
            }
        closedir(dir);
    }
    s = start(&m, d.path, "exclude", "MUL,MEAN");
    assert_int_equal(s.stats.serialized_failed, s.stats.serialized_written);
    assert_int_equal(s.stats.serialized_failed, partitions);
    assert_int_equal(s.warnings, 1);
    same_bits(&plain, &s);
}

/* ---- other processes ---- */

/* Runs this program again for one start, which prints its figures on standard output. */
static int child(char **argv)
{
    const bool full = strcmp(argv[2], "full") == 0 || strcmp(argv[2], "driver") == 0;
    const char *const dir = strcmp(argv[2], "driver") == 0 ? NULL : argv[3];
    struct rlimit before, small;
    struct model m;
    struct start s;

    if (getrlimit(RLIMIT_FSIZE, &before) != 0)
        return 1;
    small = before;
    small.rlim_cur = 1000;
    unsetenv("ASSAY_SHADER_LOG"); /* of make coverage: longer than that */
    if (full) {
        setenv("MESA_SHADER_CACHE_DISABLE", "true", 1); /* which the limit would end, too */
        if (setrlimit(RLIMIT_FSIZE, &small) != 0)
            return 1;
    }
    make_model(&m, 1);
    s = start(&m, dir, "precision", argv[4]);
    model_close(&m);
    /* With --coverage the process writes more files when it exits. */
    if (setrlimit(RLIMIT_FSIZE, &before) != 0)
        return 1;
    printf("child %016llx%016llx %d %d %d\n", (unsigned long long)s.outputs.word[0],
           (unsigned long long)s.outputs.word[1], s.stats.serialized_found,
           s.stats.serialized_written, s.warnings);
    return 0;
}

struct child_process {
    FILE *from;
    pid_t pid;
};

static struct child_process spawn(const char *what, const char *dir, const char *precision)
{
    struct child_process c;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    fflush(NULL);
    if ((c.pid = fork()) == 0) {
        dup2(fds[1], 1);
        close(fds[0]);
        close(fds[1]);
        execl("/proc/self/exe", "tests", "test_serialize", "child", what, dir, precision,
              (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    assert_true(c.pid > 0);
    assert_non_null(c.from = fdopen(fds[0], "r"));
    return c;
}

static struct start finish(struct child_process c)
{
    struct start s = { .warnings = -1 };
    unsigned long long a = 0, b = 0;
    int status;

    if (fscanf(c.from, "child %16llx%16llx %d %d %d", &a, &b, &s.stats.serialized_found,
               &s.stats.serialized_written, &s.warnings) != 5)
        s.warnings = -1;
    fclose(c.from);
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the child ended with status 0x%x", status);
    s.outputs = (struct checksum){ { a, b } };
    return s;
}

TEST(second_process)
{
    static const char *const precisions[] = { "fp32", "fp16" };

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    for (int p = 0; p < 2; p++) {
        const struct start plain = start(&m, NULL, "precision", precisions[p]);
        const struct start first = finish(spawn("plain", d.path, precisions[p]));
        const struct start second = finish(spawn("plain", d.path, precisions[p]));

        expect(&first, 0, 1, 0);
        expect(&second, 1, 0, 0);
        same_bits(&plain, &first);
        same_bits(&plain, &second);
    }
}

/* A driver whose memory is a file (the llvmpipe of Mesa 26) does not start within RLIMIT_FSIZE. */
static bool driver_lives_without_files(void)
{
    struct child_process c = spawn("driver", "", "fp32");
    int status;

    fclose(c.from);
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    return !WIFSIGNALED(status) || WTERMSIG(status) != SIGXFSZ;
}

/* RLIMIT_FSIZE as a full disk: the file does not fit. */
TEST(disk_full)
{
    struct start plain, s;

    if (!driver_lives_without_files()) {
        printf("skipped: the driver's own memory is a file\n");
        skip();
    }
    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    plain = start(&m, NULL, NULL, NULL);
    s = finish(spawn("full", d.path, "fp32"));
    expect(&s, 0, 0, 1);
    same_bits(&plain, &s);
    assert_int_equal(cache_dir_count(d.path, NULL), 0);
}

TEST(two_processes_at_once)
{
    const char *torture = getenv("ASSAY_TORTURE");
    const int rounds = torture && strcmp(torture, "1") == 0 ? 50 : 3;
    struct start plain;
    char path[512];

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    plain = start(&m, NULL, NULL, NULL);
    for (int round = 0; round < rounds; round++) {
        struct child_process c[3];

        for (int i = 0; i < 3; i++)
            c[i] = spawn("plain", d.path, "fp32");
        for (int i = 0; i < 3; i++) {
            const struct start s = finish(c[i]);

            assert_int_equal(s.stats.serialized_found + s.stats.serialized_written, 1);
            assert_int_equal(s.warnings, 0);
            same_bits(&plain, &s);
        }
        only_file(path, d.path); /* no temporary file is left */
        assert_int_equal(unlink(path), 0);
    }
}

/* Serialization by TfLiteGpuDelegateOptionsV2. */
TEST(options_v2)
{
    TfLiteGpuDelegateOptionsV2 o = TfLiteGpuDelegateOptionsV2Default();
    char name[CACHE_NAME_BYTES];
    struct start s;

    CACHE_DIR(d);
    MODEL_BY(m, make_model(&m, 1));
    o.serialization_dir = d.path;
    o.model_token = "net";
    for (int i = 0; i < 4; i++) {
        if (i == 1)
            o.experimental_flags |= TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION;
        if (i == 3)
            o.model_token = NULL;
        DELEGATE_BY(delegate, TfLiteGpuDelegateV2Create(&o));
        assert_non_null(delegate);
        s = start_with(&m, delegate);
        expect(&s, i == 2, i == 1 || i == 3, 0); /* without the flag nothing is written */
        assert_int_equal(cache_dir_count(d.path, name), i == 0 ? 0 : i < 3 ? 1 : 2);
        if (i == 1)
            assert_int_equal(strncmp(name, "net_", 4), 0);
        TfLiteGpuDelegateV2Delete(delegate);
    }
}

/* Two delegates of one process.  The second shares the pipelines of the first, but its file must
 * have them, too. */
TEST(shared_pipelines)
{
    struct cache_dir d, e;
    const char *const key = "serialization_dir", *const one = d.path, *const two = e.path;
    TfLiteDelegate *a, *b;
    struct start s, t;
    struct model m;

    d = cache_dir_make();
    e = cache_dir_make();
    make_model(&m, 1);
    assert_non_null(a = tflite_plugin_create_delegate(&key, &one, 1, print));
    s = start_with(&m, a);
    assert_non_null(b = tflite_plugin_create_delegate(&key, &two, 1, print));
    t = start_with(&m, b);
    expect(&s, 0, 1, 0);
    expect(&t, 0, 1, 0);
    assert_int_equal(s.stats.serialized_bytes, t.stats.serialized_bytes);
    /* Each pipeline is made once more, for the second cache. */
    assert_true(t.stats.pipelines_created >= s.stats.pipelines_created + 4);
    t = start_with(&m, b); /* from the file: no pipeline is made */
    expect(&t, 1, 1, 0);
    same_bits(&s, &t);
    assay_gpu_delegate_destroy(a);
    assay_gpu_delegate_destroy(b);
    model_close(&m);
    cache_dir_remove(d.path);
    cache_dir_remove(e.path);
}

/* Each allocation fails once: an error, or a start without the file; no leak, no wrong bit. */
TEST(no_memory)
{
    struct cache_dir d;
    const char *const key = "serialization_dir", *const value = d.path;
    TfLiteDelegate *delegate;
    struct model m;

    d = cache_dir_make();
    make_model(&m, 1);
    for (int round = 0; round < 2; round++) { /* writing, then reading */
        assert_non_null(delegate = tflite_plugin_create_delegate(&key, &value, 1, print));
        for (long n = 0;; n += KIT_EACH(8)) {
            const struct interpreter_options options = { .report = listen };
            struct interpreter *in;
            enum status s;

            if (round == 0) {
                char name[CACHE_NAME_BYTES], path[512];

                if (cache_dir_count(d.path, name) > 0) {
                    cache_path(path, d.path, name);
                    unlink(path);
                }
            }
            KIT_OK(interpreter_open(&in, &m, &options, &err));
            said[0] = '\0';
            mem_fail_after(n);
            s = interpreter_apply_delegate(in, delegate, NULL, &err);
            if (s == STATUS_OK)
                s = interpreter_allocate(in, &err);
            if (mem_fail_after(-1) <= n && s == STATUS_OK) {
                interpreter_close(in);
                break;
            }
            interpreter_close(in);
            assert_true(n < 1000);
        }
        assay_gpu_delegate_destroy(delegate);
    }
    model_close(&m);
    cache_dir_remove(d.path);
}

static int run_child(int argc, char **argv)
{
    return argc == 5 && strcmp(argv[1], "child") == 0 ? child(argv) : -1;
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device, .main = run_child);
