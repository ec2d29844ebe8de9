/* Runs the digit models, each with each subject, in a process of its own, which writes its answers
 * to memory that it shares with the parent: what a process has found before it crashes is kept. */
#include "conformance/suite/models/digits.h"

#include "conformance/suite/cases/select.h"
#include "conformance/suite/io/array.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/tensor_io.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/models/digits_judge.h"
#include "conformance/suite/models/digits_stored.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/process.h"
#include "conformance/util/program_path.h"
#include "conformance/util/progress.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/report.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct digits_model {
    const char *name;
    const char *answers; /* of LiteRT: the dataset of answers.h5 */
    bool integers;       /* activations of 8 bits */
} models[] = { { "digits_f32", "f32", false },
               { "digits_f16", "f16", false },
               { "digits_dynamic", NULL, false },
               { "digits_i8", "i8", true },
               { "digits_u8", "u8", true } };

enum {
    MODELS = sizeof models / sizeof models[0],
    CLASSES = 10,
    PIXELS = 32 * 32,
    IMAGES_MAX = 100000,
    JOBS_MAX = 64,
    MODEL_BYTES_MAX = 64 << 20
};

struct images {
    struct array pixels, labels;
    char sha256[SHA256_HEX_BYTES]; /* of the pixels of all */
    size_t count;                  /* how many are used */
    size_t *picks;                 /* their indices */
    uint8_t *picked_labels;
};

/* The results of a worker process, in shared memory. */
struct answers {
    enum status status;
    char reason[256];
    bool done;
    size_t nodes, taken;
    int partitions;
    double step; /* of the scores; 0: floats */
    char model_sha256[SHA256_HEX_BYTES];
    float scores[]; /* images.count * CLASSES */
};

struct task {
    const struct digits_model *model;
    struct subject *subject;            /* NULL: the reference */
    const struct digits_stored *stored; /* its answers; NULL: they are computed */
    struct answers *answers;            /* shared memory */
    bool ended;                         /* false: its run was cut */
    bool timed_out;
    int wait_status; /* of its process */
};

struct run {
    const struct digits_options *options;
    char directory[PATH_MAX];
    struct images images;
    struct digits_stored stored[MODELS];
    struct task *tasks;
    size_t count, started, ended;
    struct process_pool pool;
    size_t running[JOBS_MAX]; /* the task of each process of the pool */
    size_t answers_bytes;
    double timeout_s;
};

const char *digits_name(size_t index)
{
    return index < MODELS ? models[index].name : NULL;
}

/* ---- files ---- */

static bool is_there(const char *directory, const char *file)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/%s", directory, file) < PATH_MAX &&
           access(path, R_OK) == 0;
}

static bool holds_digits(const char *directory)
{
    return is_there(directory, "digits.h5");
}

/* In the working directory, beside the build directory, as installed, as carried by `make
 * portable`. */
static bool find_directory(char directory[PATH_MAX])
{
    static const char *const relative[] = { "../golden/digits", "../share/assay/golden/digits",
                                            "golden/digits" };

    snprintf(directory, PATH_MAX, "golden/digits");
    return holds_digits(directory) ||
           program_path_find(directory, relative, sizeof relative / sizeof relative[0],
                             holds_digits);
}

/* What a dataset has to be. */
struct wanted {
    TfLiteType type;
    size_t least, most; /* elements */
};

static enum status takes(const void *user, const struct array *a, struct diag *diag)
{
    const struct wanted *const w = user;

    if (a->type == w->type && a->elements >= w->least && a->elements <= w->most)
        return STATUS_OK;
    return diag_fail(diag, STATUS_INVALID, "%zu elements of type %s, expected %zu to %zu of %s",
                     a->elements, runtime_type_name(a->type), w->least, w->most,
                     runtime_type_name(w->type));
}

static enum status read_dataset(struct array *a, const char *path, const char *name,
                                struct wanted wanted, struct diag *diag)
{
    return hdf5_read(a, path, name, -1, &(struct array_check){ takes, &wanted }, diag);
}

static enum status read_images(struct run *run, size_t wanted, struct diag *diag)
{
    struct images *const im = &run->images;
    char path[PATH_MAX];
    size_t all;

    if (snprintf(path, sizeof path, "%s/digits.h5", run->directory) >= PATH_MAX)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", run->directory);
    TRY(read_dataset(&im->labels, path, "labels", (struct wanted){ kTfLiteUInt8, 1, IMAGES_MAX },
                     diag));
    all = im->labels.elements;
    TRY(read_dataset(&im->pixels, path, "images",
                     (struct wanted){ kTfLiteUInt8, all * PIXELS, all * PIXELS }, diag));
    sha256_hex(im->pixels.data, im->pixels.bytes, im->sha256);
    im->count = wanted == 0 || wanted > all ? all : wanted;
    im->picks = mem_alloc(im->count, sizeof *im->picks);
    im->picked_labels = mem_alloc(im->count, 1);
    if (!im->picks || !im->picked_labels)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu images", im->count);
    for (size_t i = 0; i < im->count; i++) {
        im->picks[i] = i * all / im->count;
        im->picked_labels[i] = ((const uint8_t *)im->labels.data)[im->picks[i]];
    }
    return STATUS_OK;
}

static void pick_scores(const struct images *im, const struct array *all, float *scores)
{
    for (size_t i = 0; i < im->count; i++)
        memcpy(scores + i * CLASSES, (const float *)all->data + im->picks[i] * CLASSES,
               CLASSES * sizeof *scores);
}

/* LiteRT's scores of the images that were picked; no memory (NULL) where there is no such file. */
static enum status read_answers(const struct run *run, const struct digits_model *model,
                                float **scores, struct diag *diag)
{
    const struct images *const im = &run->images;
    char path[PATH_MAX];
    struct array a;
    enum status s = STATUS_OK;

    *scores = NULL;
    if (!model->answers || !is_there(run->directory, "answers.h5"))
        return STATUS_OK;
    if (snprintf(path, sizeof path, "%s/answers.h5", run->directory) >= PATH_MAX)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", run->directory);
    TRY(read_dataset(&a, path, model->answers,
                     (struct wanted){ kTfLiteFloat32, im->labels.elements * CLASSES,
                                      im->labels.elements * CLASSES },
                     diag));
    if (!(*scores = mem_alloc(im->count * CLASSES, sizeof **scores)))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu images", im->count);
    else
        pick_scores(im, &a, *scores);
    array_close(&a);
    return s;
}

/* ---- the worker ---- */

static enum status answer(const struct run *run, const struct task *t, struct interpreter *in,
                          struct diag *diag)
{
    const struct pixel_scale scale = { 127.5, 127.5 };
    size_t inputs, outputs;
    const int *const input = interpreter_inputs(in, &inputs);
    const int *const output = interpreter_outputs(in, &outputs);
    struct answers *const a = t->answers;

    if (inputs != 1 || outputs != 1 || ref_elements(interpreter_tensor(in, output[0])) != CLASSES)
        return diag_fail(diag, STATUS_INVALID, "not a classifier of one image into %d", CLASSES);
    a->step = (double)interpreter_tensor(in, output[0])->params.scale;
    if (t->stored) {
        TRY(digits_stored_check(t->stored, a->model_sha256, run->images.sha256, diag));
        pick_scores(&run->images, &t->stored->scores, a->scores);
        return STATUS_OK;
    }
    for (size_t i = 0; i < run->images.count; i++) {
        const uint8_t *const pixels =
            (const uint8_t *)run->images.pixels.data + run->images.picks[i] * PIXELS;
        const struct image im = { 32, 32, 1, (uint8_t *)(uintptr_t)pixels };

        TRY(tensor_from_image(interpreter_tensor(in, input[0]), &im, scale, diag));
        TRY(diag_prefix(diag, interpreter_invoke(in, diag), "image %zu", run->images.picks[i]));
        TRY(interpreter_make_readable(in, output[0], diag));
        for (size_t c = 0; c < CLASSES; c++)
            a->scores[i * CLASSES + c] = (float)tensor_real(interpreter_tensor(in, output[0]), c);
    }
    return STATUS_OK;
}

static void note_nodes(struct answers *a, const struct interpreter *in)
{
    a->nodes = interpreter_node_count(in);
    a->partitions = interpreter_partition_count(in);
    for (size_t i = 0; i < a->nodes; i++)
        a->taken += interpreter_node_partition(in, (int)i) >= 0;
}

/* What it opens is freed by the end of the process. */
static enum status work(const struct run *run, struct task *t, struct diag *diag)
{
    const struct interpreter_options options = { .num_threads = -1, .report = report_nothing };
    /* Every partition, not only the largest. */
    const struct subject_option all = { "max_partitions", "0" };
    char path[PATH_MAX];
    TfLiteDelegate *delegate = NULL;
    struct interpreter *in;
    struct model m;
    uint8_t *bytes;
    size_t count;

    if (snprintf(path, sizeof path, "%s/%s.tflite", run->directory, t->model->name) >= PATH_MAX)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", run->directory);
    TRY(file_read(path, MODEL_BYTES_MAX, &bytes, &count, diag));
    sha256_hex(bytes, count, t->answers->model_sha256);
    TRY(tflite_read(&m, bytes, count, diag));
    if (t->subject) {
        TRY(subject_load(t->subject, diag));
        TRY(subject_create(t->subject, &all, t->subject->extras.version ? 1 : 0, &delegate, diag));
    }
    TRY(interpreter_open(&in, &m, &options, diag));
    if (delegate)
        TRY(interpreter_apply_delegate(in, delegate, NULL, diag));
    TRY(interpreter_allocate(in, diag));
    note_nodes(t->answers, in);
    TRY(answer(run, t, in, diag));
    interpreter_close(in);
    if (t->subject)
        subject_destroy(t->subject, delegate);
    return STATUS_OK;
}

struct errand {
    const struct run *run;
    struct task *task;
};

/* The socket only tells the parent that the process is gone. */
static void serve(int socket, void *user)
{
    /* A signal handler of the parent, such as cmocka's, would hide the signal. */
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    const struct errand *const e = user;
    struct answers *const a = e->task->answers;
    struct diag diag = { .status = STATUS_OK };

    (void)socket;
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], SIG_DFL);
    if (e->run->pool.count > 1)
        setenv("LP_NUM_THREADS", "0", 0);
    a->status = work(e->run, e->task, &diag);
    snprintf(a->reason, sizeof a->reason, "%.*s", (int)sizeof a->reason - 1, diag.text);
    a->done = true;
    process_leave(0); /* the answers are there: destructors of libraries are not judged */
}

/* ---- the parent ---- */

static enum status start(struct run *run, size_t process, struct diag *diag)
{
    struct task *const t = &run->tasks[run->started];
    struct errand errand = { run, t };

    t->answers =
        mmap(NULL, run->answers_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->answers == MAP_FAILED) {
        t->answers = NULL;
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu bytes: %s", run->answers_bytes,
                         strerror(errno));
    }
    TRY(process_start(&run->pool.items[process], PROCESS_OUTPUT_STDERR, serve, &errand, diag));
    process_expect(&run->pool.items[process], run->timeout_s);
    run->running[process] = run->started++;
    return STATUS_OK;
}

static void end(struct run *run, size_t process)
{
    struct process *const p = &run->pool.items[process];
    struct task *const t = &run->tasks[run->running[process]];

    t->timed_out = p->event == PROCESS_LATE;
    t->wait_status = process_end(p, t->timed_out);
    t->ended = true;
    run->ended++;
}

static enum status run_tasks(struct run *run, uint64_t jobs, struct diag *diag)
{
    struct progress progress;
    enum status s;

    progress_begin(&progress, "models", (double)run->count, run->options->quiet);

    if (jobs == 0)
        jobs = process_count_processors();
    s = process_pool_open(&run->pool, jobs > JOBS_MAX ? JOBS_MAX : (size_t)jobs, diag);
    while (s == STATUS_OK && run->ended < run->count && !interrupt_signal()) {
        for (size_t i = 0; i < run->pool.count && s == STATUS_OK; i++) {
            if (run->pool.items[i].pid == 0 && run->started < run->count)
                s = start(run, i, diag);
        }
        progress_update(&progress, (double)run->ended, "%zu of %zu", run->ended, run->count);
        if (s == STATUS_OK)
            s = process_pool_wait(&run->pool, diag);
        for (size_t i = 0; i < run->pool.count && s == STATUS_OK; i++) {
            if (run->pool.items[i].event != PROCESS_NOTHING)
                end(run, i);
        }
    }
    process_pool_close(&run->pool);
    progress_end(&progress);
    return s;
}

/* ---- judging ---- */

static const struct task *reference_task(const struct run *run, const struct digits_model *model)
{
    for (size_t i = 0; i < run->count; i++) {
        if (!run->tasks[i].subject && run->tasks[i].model == model)
            return &run->tasks[i];
    }
    return NULL;
}

static bool answered(const struct task *t)
{
    return t->ended && t->answers->done && t->answers->status == STATUS_OK && !t->timed_out;
}

static void judge_failure(struct digits_score *s, const struct task *t, double timeout_s)
{
    const size_t room = sizeof s->reason;

    if (!t->ended) {
        s->status = CASE_MISSING;
        snprintf(s->reason, room, "the run was cut before its end");
    } else if (t->timed_out) {
        s->status = CASE_TIMEOUT;
        snprintf(s->reason, room, "no answer within %g s", timeout_s);
    } else if (!t->answers->done) {
        s->status = CASE_CRASH;
        process_describe_end(t->wait_status, s->reason, room);
    } else {
        s->status = CASE_FAIL;
        snprintf(s->reason, room, "%s", t->answers->reason);
    }
}

static struct digits_answers answers_of(const struct run *run, const struct task *t)
{
    return (struct digits_answers){ t->answers->scores, run->images.count, CLASSES,
                                    t->answers->step };
}

static enum status judge_reference(const struct run *run, const struct task *t,
                                   struct digits_score *s, struct diag *diag)
{
    const struct digits_answers answers = answers_of(run, t);
    struct digits_answers litert = answers;
    float *scores;

    TRY(read_answers(run, t->model, &scores, diag));
    litert.scores = scores;
    digits_judge(s, &answers, scores ? &litert : NULL, run->images.picked_labels,
                 t->model->integers ? BOUNDS_EXACT : BOUNDS_FP32);
    mem_free(scores);
    return STATUS_OK;
}

static enum status judge(const struct run *run, const struct task *t, struct digits_score *s,
                         struct diag *diag)
{
    const struct task *const other = reference_task(run, t->model);

    if (t->ended) {
        s->nodes = t->answers->nodes;
        s->taken = t->answers->taken;
        s->partitions = t->answers->partitions;
    }
    if (!answered(t)) {
        judge_failure(s, t, run->timeout_s);
    } else if (!t->subject) {
        TRY(judge_reference(run, t, s, diag));
    } else if (!answered(other)) {
        s->status = other->ended ? CASE_FAIL : CASE_MISSING;
        snprintf(s->reason, sizeof s->reason, "the reference has no answer to compare with");
    } else {
        const struct digits_answers answers = answers_of(run, t);
        const struct digits_answers reference = answers_of(run, other);

        digits_judge(s, &answers, &reference, run->images.picked_labels,
                     t->model->integers ? t->subject->quantized : t->subject->bounds);
        if (t->subject->path && t->answers->taken == 0 && s->status == CASE_PASS) {
            s->status = CASE_DECLINED;
            snprintf(s->reason, sizeof s->reason, "no node was taken");
        }
    }
    return STATUS_OK;
}

/* The answers of reference.h5, where the file is there. */
static enum status find_stored(struct run *run, size_t model, struct diag *diag)
{
    char path[PATH_MAX];

    if (run->options->anew || !is_there(run->directory, "reference.h5"))
        return STATUS_OK;
    if (snprintf(path, sizeof path, "%s/reference.h5", run->directory) >= PATH_MAX)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", run->directory);
    TRY(digits_stored_read(&run->stored[model], path, models[model].name,
                           run->images.labels.elements * CLASSES, diag));
    run->tasks[run->count - 1].stored = &run->stored[model];
    return STATUS_OK;
}

static void add_task(struct run *run, const struct digits_model *model, struct subject *subjects,
                     int subject, struct digits_report *out)
{
    out->scores[run->count] = (struct digits_score){ .model = model->name, .subject = subject };
    run->tasks[run->count++] =
        (struct task){ .model = model,
                       .subject = subject == DIGITS_REFERENCE ? NULL : &subjects[subject] };
}

static enum status make_tasks(struct run *run, struct subject *subjects, size_t count,
                              struct digits_report *out, struct diag *diag)
{
    const size_t all = MODELS * (count + 1);

    run->tasks = mem_alloc(all, sizeof *run->tasks);
    out->scores = mem_alloc(all, sizeof *out->scores);
    if (!run->tasks || !out->scores)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu runs of models", all);
    for (size_t m = 0; m < MODELS; m++) {
        char file[64];

        snprintf(file, sizeof file, "%s.tflite", models[m].name);
        if (!is_there(run->directory, file) ||
            !select_matches(models[m].name, &run->options->filters))
            continue;
        add_task(run, &models[m], subjects, DIGITS_REFERENCE, out);
        TRY(find_stored(run, m, diag));
        for (size_t i = 0; i < count; i++) {
            if (!subjects[i].not_run[0] &&
                !(models[m].integers ? subjects[i].skips_quantized : subjects[i].skips_floats))
                add_task(run, &models[m], subjects, (int)i, out);
        }
    }
    run->answers_bytes = sizeof(struct answers) + run->images.count * CLASSES * sizeof(float);
    return STATUS_OK;
}

static void run_close(struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->tasks[i].answers)
            munmap(run->tasks[i].answers, run->answers_bytes);
    }
    for (size_t m = 0; m < MODELS; m++)
        digits_stored_close(&run->stored[m]);
    mem_free(run->tasks);
    mem_free(run->images.picks);
    mem_free(run->images.picked_labels);
    array_close(&run->images.pixels);
    array_close(&run->images.labels);
}

/* Finds the files and runs all tasks; run->count stays 0 where there are no files. */
static enum status run_all(struct run *run, struct subject *subjects, size_t count,
                           struct digits_report *out, struct diag *diag)
{
    const char *const directory = run->options->directory;

    if (directory)
        snprintf(run->directory, sizeof run->directory, "%s", directory);
    if (directory ? !holds_digits(run->directory) : !find_directory(run->directory)) {
        snprintf(out->skipped, sizeof out->skipped, "no digits.h5 in %s",
                 directory
                     ? directory
                     : "golden/digits here or beside the program, or ../share/assay/golden/digits");
        return STATUS_OK;
    }
    TRY(read_images(run, run->options->images, diag));
    TRY(make_tasks(run, subjects, count, out, diag));
    return run_tasks(run, run->options->jobs, diag);
}

enum status digits_run(struct digits_report *out, struct subject *subjects, size_t count,
                       const struct digits_options *options, struct diag *diag)
{
    struct run run = { .options = options,
                       .timeout_s = options->timeout_s > 0 ? options->timeout_s : 300 };
    enum status s;

    *out = (struct digits_report){ .scores = NULL };
    s = run_all(&run, subjects, count, out, diag);
    out->count = s == STATUS_OK ? run.count : 0;
    for (size_t i = 0; i < out->count && s == STATUS_OK; i++)
        s = judge(&run, &run.tasks[i], &out->scores[i], diag);
    run_close(&run);
    if (s != STATUS_OK)
        digits_close(out);
    return s;
}

/* ---- the reference's answers ---- */

/* Borrows the scores of a task, and allocates their hash. */
static enum status store(const struct run *run, const struct task *t, struct digits_stored *s,
                         struct diag *diag)
{
    struct array *const scores = &s->scores, *const sha256 = &s->sha256;
    struct digits_score failure;

    if (!answered(t)) {
        judge_failure(&failure, t, run->timeout_s);
        return diag_fail(diag, STATUS_MISMATCH, "%s: %s", t->model->name, failure.reason);
    }
    *scores = (struct array){ .type = kTfLiteFloat32,
                              .rank = 2,
                              .dims = { (int32_t)run->images.count, CLASSES },
                              .data = t->answers->scores };
    *sha256 = (struct array){ .type = kTfLiteUInt8, .rank = 1, .dims = { SHA256_HEX_BYTES - 1 } };
    if (!array_measure(scores) || !array_measure(sha256) ||
        !(sha256->data = mem_alloc(SHA256_HEX_BYTES, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: %zu images", t->model->name,
                         run->images.count);
    digits_stored_hash(scores, t->answers->model_sha256, run->images.sha256, sha256->data);
    return STATUS_OK;
}

enum status digits_export(const char *path, const struct digits_options *options, struct diag *diag)
{
    struct digits_options all = *options;
    struct run run = { .options = &all, .timeout_s = 600 };
    struct digits_report report = { .scores = NULL };
    struct digits_stored stored[MODELS] = { 0 };
    const char *names[MODELS];
    enum status s;

    all.images = 0;
    all.anew = true;
    s = run_all(&run, NULL, 0, &report, diag);
    if (s == STATUS_OK && run.count == 0)
        s = diag_fail(diag, STATUS_IO, "%s", report.skipped);
    for (size_t i = 0; i < run.count && s == STATUS_OK; i++) {
        names[i] = run.tasks[i].model->name;
        s = store(&run, &run.tasks[i], &stored[i], diag);
    }
    if (s == STATUS_OK)
        s = digits_stored_write(stored, names, run.count, path, diag);
    for (size_t i = 0; i < run.count; i++)
        mem_free(stored[i].sha256.data);
    run_close(&run);
    digits_close(&report);
    return s;
}

void digits_close(struct digits_report *r)
{
    mem_free(r->scores);
    *r = (struct digits_report){ .scores = NULL };
}
