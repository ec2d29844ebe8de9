/* The files that `assay eval` reads: COCO's ground truth and detections, the ground truth of
 * classifiers, and the answers of a run so far.  Each refusal has a file that is otherwise fine. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/eval/coco_files.h"
#include "conformance/tools/eval/eval_log.h"
#include "conformance/tools/eval/imagenet_truth.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- files ---- */

static const char *first, *second, *third;

FIXTURE(name_files)
{
    first = scratch("first");
    second = scratch("second");
    third = scratch("third");
    return 0;
}

static void expect_text(const char *path, const char *expected)
{
    char text[256];
    FILE *const f = fopen(path, "rb");
    size_t count;

    assert_non_null(f);
    count = fread(text, 1, sizeof text - 1, f);
    text[count] = '\0';
    fclose(f);
    assert_string_equal(text, expected);
}

/* The message is the path, after `before` it, and then the text. */
static void expect_message(const struct diag *diag, const char *before, const char *path,
                           const char *text)
{
    char expected[512];

    snprintf(expected, sizeof expected, "%s%s: %s", before, path, text);
    assert_string_equal(diag->text, expected);
}

/* ---- COCO ---- */

#define IMAGES         "\"images\": [{\"id\": 1}]"
#define CATEGORIES     "\"categories\": [{\"id\": 3}]"
#define BOX(box)       "{\"image_id\": 1, \"category_id\": 3, \"bbox\": " box "}"
#define TRUTH(objects) "{" IMAGES ", " CATEGORIES ", \"annotations\": [" objects "]}"

TEST(coco_truth_that_is_wrong)
{
    static const struct {
        const char *file, *message;
    } wrong[] = {
        { "{\"images\": [{}], " CATEGORIES ", \"annotations\": [" BOX("[0, 0, 1, 1]") "]}",
          "image 0: \"id\": expected a whole number" },
        { "{\"images\": [{\"id\": 1}, {\"id\": 2.5}], " CATEGORIES
          ", \"annotations\": [" BOX("[0, 0, 1, 1]") "]}",
          "image 1: \"id\": expected a whole number" },
        { "{" IMAGES ", \"categories\": [{\"id\": 3}, {\"id\": 4}, {\"id\": 3}], "
          "\"annotations\": [" BOX("[0, 0, 1, 1]") "]}",
          "two categories have the id 3" },
        { TRUTH(BOX("[0, 0, \"1\", 1]")), "annotation 0: \"bbox\": expected four numbers" },
        { TRUTH(BOX("[0, 0, -1, 1]")),
          "annotation 0: \"bbox\": [0, 0, -1, 1], expected no negative width or height" },
        { TRUTH(BOX("[0, 0, 1, -0.5]")),
          "annotation 0: \"bbox\": [0, 0, 1, -0.5], expected no negative width or height" },
        { TRUTH(""), "no annotation is of one of its 1 images: nothing to find" },
        { TRUTH("{\"image_id\": 2, \"category_id\": 3, \"bbox\": [0, 0, 1, 1]}"),
          "no annotation is of one of its 1 images: nothing to find" },
    };
    struct coco_truth t CLOSED_BY(coco_truth_close);

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        scratch_text("first", wrong[i].file);
        assert_int_equal(coco_truth_read(&t, first, &err), STATUS_INVALID);
        expect_message(&err, "", first, wrong[i].message);
    }
    scratch_text("first", TRUTH(BOX("[0, 0, 1, 0]")));
    assert_int_equal(coco_truth_read(&t, first, NULL), STATUS_OK);
    assert_int_equal(t.object_count, 1);
}

TEST(coco_detections_that_are_wrong)
{
    static const char *const scores[] = { "", ", \"score\": null", ", \"score\": \"0.5\"" };
    struct coco_detections d;
    struct coco_truth t CLOSED_BY(coco_truth_close);

    scratch_text("first", TRUTH(BOX("[0, 0, 1, 1]")));
    assert_int_equal(coco_truth_read(&t, first, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++) {
        char text[256];

        snprintf(text, sizeof text,
                 "[{\"image_id\": 1, \"category_id\": 3, \"bbox\": [0, 0, 1, 1]%s}]", scores[i]);
        scratch_text("second", text);
        assert_int_equal(coco_detections_read(&d, &t, second, &err), STATUS_INVALID);
        expect_message(&err, "", second, "detection 0: \"score\": expected a number");
    }
}

/* So many that each list is a block of the arena by itself. */
enum { MANY = 1100 };

static void write_many(const char *path)
{
    FILE *const f = fopen(path, "wb");

    assert_non_null(f);
    fputs("{\"images\": [{\"id\": 0}", f);
    for (int i = 1; i < MANY; i++)
        fprintf(f, ", {\"id\": %d}", i);
    fputs("], \"categories\": [{\"id\": 0}", f);
    for (int i = 1; i < MANY; i++)
        fprintf(f, ", {\"id\": %d}", i);
    fputs("], \"annotations\": [", f);
    for (int i = 0; i < MANY; i++)
        fprintf(f, "%s{\"image_id\": %d, \"category_id\": 0, \"bbox\": [0, 0, 1, 1]}",
                i ? ", " : "", i);
    fputs("]}", f);
    assert_int_equal(fclose(f), 0);
}

TEST(coco_without_memory)
{
    /* The bytes of the file come first. */
    static const char *const lists[] = { "1100 images: out of memory",
                                         "1100 categories: out of memory",
                                         "1100 annotations: out of memory" };
    const struct coco_detection one = { .score = 1 };
    const long long before = mem_live_bytes();
    struct coco_detections d = { .items = NULL };
    struct coco_truth t;
    enum status s;

    write_many(first);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        mem_fail_after((long)i + 1);
        s = coco_truth_read(&t, first, &err);
        mem_fail_after(-1);
        assert_int_equal(s, STATUS_NO_MEMORY);
        expect_message(&err, "", first, lists[i]);
        assert_true(mem_live_bytes() == before);
    }
    mem_fail_after(4);
    s = coco_truth_read(&t, first, NULL);
    mem_fail_after(-1);
    assert_int_equal(s, STATUS_OK);
    coco_truth_close(&t);

    for (size_t i = 0; i < 256; i++)
        assert_int_equal(coco_detections_add(&d, &one, NULL), STATUS_OK);
    mem_fail_after(0);
    s = coco_detections_add(&d, &one, &err);
    mem_fail_after(-1);
    assert_int_equal(s, STATUS_NO_MEMORY);
    assert_string_equal(err.text, "512 detections: out of memory");
    assert_int_equal(d.count, 256); /* those that there were */
    coco_detections_close(&d);
    assert_true(mem_live_bytes() == before);
}

/* ---- classes of images ---- */

/* The ground truth, labels and names; NULL: no such file is given. */
static struct imagenet_files write_truth(const char *truth, const char *labels, const char *names)
{
    scratch_text("first", truth);
    if (labels)
        scratch_text("second", labels);
    if (names)
        scratch_text("third", names);
    return (struct imagenet_files){ .images = scratch("."),
                                    .ground_truth = first,
                                    .labels = labels ? second : NULL,
                                    .names = names ? third : NULL };
}

static void expect_truth_refusal(const struct imagenet_files *files, const char *text)
{
    struct imagenet_truth t;

    assert_int_equal(imagenet_truth_open(&t, files, "model", 2, &err), STATUS_INVALID);
    expect_message(&err, "", first, text);
}

TEST(numbers_that_have_no_name)
{
    static const char *const numbers[] = { "2x", "x", "", "0", "-1", "3", "99999999999999999999" };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct imagenet_files files;
        char truth[64], expected[256];

        snprintf(truth, sizeof truth, "a.png 1\nb.png %s\n", numbers[i]);
        files = write_truth(truth, "one\ntwo\n", "one\ntwo\n");
        snprintf(expected, sizeof expected,
                 "line 2: \"%s\": expected a number from 1 to 2, the lines of %s", numbers[i],
                 third);
        expect_truth_refusal(&files, expected);
    }
}

/* A pipe of this process, as `<(zcat truth.gz)`, is read once: its hash is of what was read. */
static const char *pipe_of(const char *text, int ends[2], char path[32])
{
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    snprintf(path, 32, "/dev/fd/%d", ends[0]);
    return path;
}

TEST(truth_from_a_pipe)
{
    static const char coco[] = TRUTH(BOX("[0, 0, 1, 1]")), classes[] = "a.png 1\n";
    struct imagenet_files files = { .images = scratch(".") };
    char hex[SHA256_HEX_BYTES], path[32];
    struct imagenet_truth t CLOSED_BY(imagenet_truth_close);
    struct coco_truth c;
    int ends[2];

    assert_int_equal(coco_truth_read(&c, pipe_of(coco, ends, path), NULL), STATUS_OK);
    close(ends[0]);
    sha256_hex(coco, strlen(coco), hex);
    assert_string_equal(c.sha256, hex);
    coco_truth_close(&c);
    files.ground_truth = pipe_of(classes, ends, path);
    assert_int_equal(imagenet_truth_open(&t, &files, "model", 2, NULL), STATUS_OK);
    close(ends[0]);
    sha256_hex(classes, strlen(classes), hex);
    assert_string_equal(t.sha256, hex);
}

TEST(names_without_labels)
{
    const struct imagenet_files files = write_truth("a.png 1\n", NULL, "one\n");
    struct imagenet_truth t;

    assert_int_equal(imagenet_truth_open(&t, &files, "model", 2, &err), STATUS_USAGE);
    assert_string_equal(err.text, "--ground-truth-names needs --labels");
}

/* The smallest and the largest number that there is, too. */
TEST(classes_that_the_model_lacks)
{
    static const struct {
        const char *number;
        int64_t offset;
        const char *expected;
    } wrong[] = {
        { "-1", 0, "0 to 1" },
        { "2", 0, "0 to 1" },
        { "0", -1, "1 to 2" },
        { "3", -1, "1 to 2" },
        { "-2", 1, "-1 to 0" },
        { "1", 1, "-1 to 0" },
        { "9223372036854775807", 1, "-1 to 0" },
        { "-9223372036854775808", -1, "1 to 2" },
    };
    struct imagenet_files files;
    struct imagenet_truth t CLOSED_BY(imagenet_truth_close);

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char truth[64], expected[256];

        snprintf(truth, sizeof truth, "a.png %s\n", wrong[i].number);
        files = write_truth(truth, NULL, NULL);
        files.offset = wrong[i].offset;
        snprintf(expected, sizeof expected,
                 "line 1: class %s: expected %s, as the model has 2 classes and --label-offset "
                 "is %d",
                 wrong[i].number, wrong[i].expected, (int)wrong[i].offset);
        expect_truth_refusal(&files, expected);
    }
    files = write_truth("a.png -1\nb.png 0\n", NULL, NULL);
    files.offset = 1;
    assert_int_equal(imagenet_truth_open(&t, &files, "model", 2, NULL), STATUS_OK);
    assert_int_equal(t.expected[0], 0);
    assert_int_equal(t.expected[1], 1);
}

TEST(classes_without_memory)
{
    const struct imagenet_files files = write_truth("a.png one\nb.png two\n", "one\ntwo\n", NULL);
    const long long before = mem_live_bytes();
    int classes = 0, labels = 0;
    enum status s = STATUS_NO_MEMORY;

    for (long n = 0; s != STATUS_OK; n++) {
        struct diag diag = { .status = STATUS_OK };
        struct imagenet_truth t;

        mem_fail_after(n);
        s = imagenet_truth_open(&t, &files, "model", 2, &diag);
        mem_fail_after(-1);
        if (s == STATUS_OK)
            imagenet_truth_close(&t);
        else
            assert_int_equal(s, STATUS_NO_MEMORY);
        classes += strcmp(diag.text, "2 classes: out of memory") == 0;
        labels += strcmp(diag.text, "2 labels: out of memory") == 0;
        assert_true(mem_live_bytes() == before);
    }
    assert_int_equal(classes, 1);
    assert_int_equal(labels, 2); /* those that are there twice are joined, then they are found */
}

/* ---- answers ---- */

#define KEY "{\"assay_eval\":\"imagenet\",\"model\":\"m\"}\n"

struct taken {
    size_t lines;
    void (*meanwhile)(void); /* what another process does; NULL: nothing */
};

static enum status take(void *user, const json_t *line, struct diag *diag)
{
    struct taken *const x = user;

    (void)diag;
    assert_non_null(line);
    x->lines++;
    if (x->meanwhile)
        x->meanwhile();
    return STATUS_OK;
}

static enum status open_log(struct eval_log *log, const char *path, struct taken *x,
                            struct diag *diag)
{
    json_t *const key = json_pack("{s:s, s:s}", "assay_eval", "imagenet", "model", "m");
    enum status s;

    assert_non_null(key);
    *diag = (struct diag){ .status = STATUS_OK };
    s = eval_log_open(log, path, key, take, x, diag);
    json_decref(key);
    return s;
}

TEST(answers_that_are_none)
{
    static const struct {
        const char *file, *message;
    } wrong[] = {
        { "[1]\n", "it holds no answers of `assay eval`" },
        { "{\"model\": \"m\"}\n", "it holds no answers of `assay eval`" },
        { "{\"assay_eval\": \"imagenet\"}\n", "it is of another run: model: expected \"m\", found "
                                              "\"\"" },
        { "{\"assay_eval\": \"imagenet\", \"model\": 3}\n",
          "it is of another run: model: expected \"m\", found \"\"" },
        { "{\"assay_eval\": \"coco\", \"model\": \"m\"}\n",
          "it is of another run: assay_eval: expected \"imagenet\", found \"coco\"" },
        { "{\n}\n", "it holds no answers of `assay eval`: line 1: string or '}' expected near end "
                    "of file" },
        { KEY "{\n}\n", "line 2: string or '}' expected near end of file" },
        { "words", "it holds no answers of `assay eval`: no line ends" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct taken x = { .lines = 0 };
        struct eval_log log;

        scratch_text("first", wrong[i].file);
        assert_int_equal(open_log(&log, first, &x, &err), STATUS_USAGE);
        expect_message(&err, "--resume=", first, wrong[i].message);
        assert_int_equal(x.lines, 0);
        assert_null(log.file);
        expect_text(first, wrong[i].file); /* it survives the mistake */
    }
}

/* Files without a whole line of answers are begun, and cut lines are dropped. */
TEST(answers_go_on)
{
    static const char *const before[] = { "", KEY, KEY "{\"imag", KEY "[]\n[" };

    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        struct taken x = { .lines = 0 };
        struct eval_log log;

        scratch_text("first", before[i]);
        assert_int_equal(open_log(&log, first, &x, &err), STATUS_OK);
        eval_log_close(&log);
        assert_int_equal(x.lines, i == 3);
        expect_text(first, i == 3 ? KEY "[]\n" : KEY);
    }
}

static void remove_first(void)
{
    assert_int_equal(unlink(first), 0);
}

static struct rlimit files_before;

static void forbid_files(void)
{
    struct rlimit none;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files_before), 0);
    none = files_before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

TEST(answers_that_cannot_be_opened)
{
    struct taken x = { .meanwhile = remove_first };
    struct eval_log log;
    char path[128];
    enum status s;

    snprintf(path, sizeof path, "%s/none/answers", scratch("."));
    assert_int_equal(open_log(&log, path, &x, &err), STATUS_IO);
    expect_message(&err, "", path, strerror(ENOENT));
    assert_null(log.file);

    scratch_text("first", KEY "[]\n");
    assert_int_equal(open_log(&log, first, &x, &err), STATUS_IO);
    expect_message(&err, "", first, strerror(ENOENT));
    assert_null(log.file);
    assert_int_equal(access(first, F_OK), -1);

    scratch_text("first", KEY "[]\n");
    x.meanwhile = forbid_files;
    s = open_log(&log, first, &x, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files_before), 0);
    assert_int_equal(s, STATUS_IO);
    expect_message(&err, "", first, strerror(EMFILE));
    assert_null(log.file);
    expect_text(first, KEY "[]\n");
}

/* What is buffered before anything is written. */
enum { BUFFERED = 256 };

/* A line of so many bytes, of which the last is its end. */
static void expect_not_written(struct eval_log *log, size_t bytes, const char *why)
{
    struct diag diag = { .status = STATUS_OK };
    char text[BUFFERED], expected[128];
    json_t *line;

    assert_true(bytes > sizeof "[\"\"]" && bytes <= BUFFERED + 1);
    memset(text, 'a', sizeof text);
    line = json_pack("[s#]", text, (int)(bytes - sizeof "[\"\"]"));
    assert_non_null(line);
    snprintf(expected, sizeof expected, "--resume: an answer cannot be written: %s", why);
    assert_int_equal(eval_log_add(log, line, &diag), STATUS_IO);
    assert_string_equal(diag.text, expected);
    json_decref(line);
}

static void *no_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

/* No space on the device, as is seen after the line and, where it just fits what is buffered, at
 * its end; and no memory for what jansson needs. */
TEST(answers_that_cannot_be_written)
{
    struct eval_log log = { .file = fopen("/dev/full", "wb") };
    json_t *const line = json_array();
    static char room[BUFFERED];
    json_malloc_t give;
    json_free_t take_back;
    enum status s;

    if (!log.file)
        skip();
    assert_int_equal(setvbuf(log.file, room, _IOFBF, sizeof room), 0);
    expect_not_written(&log, BUFFERED / 2, strerror(ENOSPC));
    expect_not_written(&log, BUFFERED + 1, strerror(ENOSPC));
    eval_log_close(&log);

    log.file = fopen(first, "wb");
    assert_non_null(log.file);
    assert_non_null(line);
    json_get_alloc_funcs(&give, &take_back);
    json_set_alloc_funcs(no_memory, take_back);
    errno = 0;
    s = eval_log_add(&log, line, &err);
    json_set_alloc_funcs(give, take_back);
    assert_int_equal(s, STATUS_IO);
    expect_message(&err, "--resume: ", "an answer cannot be written", strerror(ENOMEM));
    json_decref(line);
    eval_log_close(&log);
    expect_text(first, "");
}

TEST_FILE(.setup = name_files, .leaves = "@(first|second|third)");
