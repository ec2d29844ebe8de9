/* The verdict on whole models, and runs against delegates that go
 * wrong in one known way. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: libassay_delegate.so */
#include "conformance/suite/models/digits.h"
#include "conformance/suite/models/digits_judge.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/interrupt.h"
#include "reference/format/file.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 40, CLASSES = 4 };

struct fixture {
    float reference[ROWS * CLASSES], answers[ROWS * CLASSES];
    uint8_t labels[ROWS];
    double step;
    int subject;
};

/* Row i has class i % CLASSES with a large margin. */
static struct fixture make(void)
{
    struct fixture f = { .step = 0 };

    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < CLASSES; c++)
            f.reference[i * CLASSES + c] = c == i % CLASSES ? 0.97f : 0.01f;
        f.labels[i] = (uint8_t)(i % CLASSES);
    }
    memcpy(f.answers, f.reference, sizeof f.answers);
    return f;
}

static struct digits_score judge(const struct fixture *f, bool compare, enum bounds bounds)
{
    const struct digits_answers answers = { f->answers, ROWS, CLASSES, f->step };
    const struct digits_answers reference = { f->reference, ROWS, CLASSES, f->step };
    struct digits_score s = { .status = CASE_STATUS_COUNT, .subject = f->subject };

    digits_judge(&s, &answers, compare ? &reference : NULL, f->labels, bounds);
    return s;
}

TEST(equal_answers_pass)
{
    struct fixture f = make();
    struct digits_score s = judge(&f, true, BOUNDS_FP32);

    assert_int_equal(s.status, CASE_PASS);
    assert_int_equal(s.images, ROWS);
    assert_int_equal(s.right, ROWS);
    assert_true(s.compared);
    assert_int_equal(s.same, ROWS);
    assert_int_equal(s.differ, 0);
    assert_true(isinf(s.snr_db) && s.snr_db > 0 && s.max_abs == 0);
    assert_string_equal(s.reason, "");
}

/* The SNR of each class of bounds: an error of 1e-4 in each score is 77 dB. */
TEST(snr_is_held_to_the_bounds)
{
    struct fixture f = make();
    struct digits_score s;

    for (int i = 0; i < ROWS * CLASSES; i++)
        f.answers[i] += i % 2 ? 7e-5f : -7e-5f;
    s = judge(&f, true, BOUNDS_FP32);
    assert_int_equal(s.status, CASE_FAIL);
    assert_true(s.snr_db > 76 && s.snr_db < 77);
    assert_string_equal(s.reason, "SNR 76.8 dB, expected at least 90");
    s = judge(&f, true, BOUNDS_FP16);
    assert_int_equal(s.status, CASE_PASS);
    for (int i = 0; i < ROWS * CLASSES; i++)
        f.answers[i] = 0.25f; /* knows nothing */
    s = judge(&f, true, BOUNDS_FP16);
    assert_int_equal(s.status, CASE_FAIL);
    f.answers[7] = NAN;
    s = judge(&f, true, BOUNDS_FLOAT_VIEW);
    assert_int_equal(s.status, CASE_FAIL);
}

TEST(another_class)
{
    struct fixture f = make();
    struct digits_score s;

    /* A near tie of the reference, which an error of 6e-5 turns: excused. */
    f.reference[0] = f.answers[0] = 0.5f;
    f.reference[1] = f.answers[1] = 0.49995f;
    f.answers[1] += 6e-5f;
    s = judge(&f, true, BOUNDS_FP16);
    assert_int_equal(s.status, CASE_PASS);
    assert_int_equal(s.differ, 1);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.right, ROWS - 1);
    /* The margin is 1e-3, and no error is above 6e-4: not excused. */
    f.reference[0] = 0.5f;
    f.reference[1] = 0.499f;
    f.answers[0] = 0.5f - 6e-4f;
    f.answers[1] = 0.499f + 6e-4f;
    s = judge(&f, true, BOUNDS_FP16);
    assert_int_equal(s.status, CASE_FAIL);
    assert_int_equal(s.wrong, 1);
    assert_non_null(strstr(s.reason, "1 images have another class"));
}

TEST(reference_has_its_own_limit)
{
    struct fixture f = make();
    struct digits_score s;

    f.subject = DIGITS_REFERENCE;
    s = judge(&f, false, BOUNDS_FP32);
    assert_int_equal(s.status, CASE_PASS);
    assert_false(s.compared);
    f.labels[0] = 3;
    f.labels[1] = 3; /* 38 of 40 */
    s = judge(&f, false, BOUNDS_FP32);
    assert_int_equal(s.status, CASE_FAIL);
    assert_string_equal(s.reason, "top-1 0.9500, expected at least 0.97");
    f.subject = 0; /* a delegate's are the same: that it is the reference's fault is said once */
    s = judge(&f, true, BOUNDS_FP32);
    assert_int_equal(s.status, CASE_PASS);
    /* The reference is also compared, with LiteRT's answers. */
    f = make();
    f.subject = DIGITS_REFERENCE;
    f.answers[1] += 1e-3f;
    s = judge(&f, true, BOUNDS_FP32);
    assert_int_equal(s.status, CASE_FAIL);
    assert_non_null(strstr(s.reason, "SNR "));
}

/* Scores in 8 bits: exact means every one, else one step on average and 25 dB. */
TEST(eight_bits)
{
    const float step = 1 / 256.0f;
    struct fixture f = make();
    struct digits_score s;

    f.step = (double)step;
    for (int i = 0; i < ROWS * CLASSES; i++)
        f.reference[i] = f.answers[i] = f.reference[i] > 0.5f ? 220 * step : 12 * step;
    s = judge(&f, true, BOUNDS_EXACT);
    assert_int_equal(s.status, CASE_PASS);
    assert_int_equal(s.same, ROWS);
    f.answers[9] += 2 * step; /* no other class, hardly an error */
    s = judge(&f, true, BOUNDS_EXACT);
    assert_int_equal(s.status, CASE_FAIL);
    assert_string_equal(
        s.reason, "expected the reference's scores, found 1 of 40 images off by up to 2 steps");
    s = judge(&f, true, BOUNDS_FLOAT_VIEW);
    assert_int_equal(s.status, CASE_PASS);
    assert_int_equal(s.same, ROWS - 1);
    assert_true(fabs(s.mean_steps - 2.0 / (ROWS * CLASSES)) < 1e-9);
    /* 1.2 steps on average, in few places so that the limit is not the SNR's. */
    for (int i = 0; i < ROWS * CLASSES; i++)
        f.answers[i] = f.reference[i] + (i % 5 ? 1 : 2) * step;
    s = judge(&f, true, BOUNDS_FLOAT_VIEW);
    assert_int_equal(s.status, CASE_FAIL);
    assert_string_equal(s.reason, "off by 1.20 steps on average, expected at most 1");
    assert_true(s.snr_db > 25);
    s = judge(&f, true, BOUNDS_FP32); /* a delegate that nothing is known of: the same policy */
    assert_int_equal(s.status, CASE_FAIL);
    memcpy(f.answers, f.reference, sizeof f.answers);
    f.reference[0] = 120 * step; /* 20 above the second, and no error above 12 */
    f.reference[1] = 100 * step;
    f.answers[0] = 108 * step;
    f.answers[1] = 112 * step;
    s = judge(&f, true, BOUNDS_FLOAT_VIEW);
    assert_int_equal(s.status, CASE_FAIL);
    assert_int_equal(s.wrong, 1);
    f = make();
    f.step = (double)step;
    for (int i = 0; i < ROWS * CLASSES; i++)
        f.answers[i] = f.reference[i] + (i % 40 ? 0 : -0.5f);
    s = judge(&f, true, BOUNDS_FLOAT_VIEW);
    assert_int_equal(s.status, CASE_FAIL);
    assert_non_null(strstr(s.reason, "dB, expected at least 25"));
}

/* ---- runs ---- */

static bool have_models(void)
{
    FILE *const f = fopen("golden/digits/digits.h5", "rb");

    if (f)
        fclose(f);
    else
        printf("skipped: no golden/digits here\n");
    return f != NULL;
}

enum { MODELS = 5, FLOATS = 3, IMAGES = 4 / KIT_EACH(2) };

/* All models on a delegate, or the float ones; the score of the first. */
static struct digits_score run_on(const char *delegate, const char *option, bool floats_only,
                                  double timeout_s, bool *failed)
{
    const struct string_list options = { &option, option ? 1 : 0 };
    const struct digits_options o = { .images = IMAGES, .timeout_s = timeout_s, .quiet = true };
    struct subject subject CLOSED_BY(subject_close);
    struct digits_report r CLOSED_BY(digits_close);
    struct digits_score s;
    size_t model = 0;

    KIT_OK(subject_init(&subject, delegate, &options, &err));
    subject.skips_quantized = floats_only;
    KIT_OK(digits_run(&r, &subject, 1, &o, &err));
    assert_null(subject.library); /* the caller never loads it */
    assert_int_equal(r.count, floats_only ? MODELS + FLOATS : 2 * MODELS);
    for (size_t i = 0; i < r.count; i++) {
        const struct digits_score *const reference = &r.scores[i];

        if (reference->subject != DIGITS_REFERENCE)
            continue;
        if (reference->status != CASE_PASS)
            fail_msg("%s: %s", reference->model, reference->reason);
        assert_int_equal(reference->right, IMAGES);
        assert_int_equal(reference->compared, model != 2); /* dynamic range has no answers */
        if (model >= FLOATS)
            assert_int_equal(reference->same, IMAGES); /* LiteRT's, to the last bit */
        model++;
    }
    assert_int_equal(model, MODELS);
    s = r.scores[1];
    assert_int_equal(s.subject, 0);
    *failed = digits_failed(&r);
    return s;
}

/* The third image of the first model on the mock: the reference's answers to it are judged. */
TEST(signal_keeps_what_is_done)
{
    char interrupt[48];
    const char *options[] = { interrupt, "node=3" };
    const struct digits_options o = { .images = 4, .jobs = 1, .quiet = true };
    struct subject subject;
    struct digits_report r;

    if (!have_models())
        skip();
    snprintf(interrupt, sizeof interrupt, "interrupt=%ld", (long)getpid());
    if (subject_init(&subject, mock_path("delegate.so"), &(struct string_list){ options, 2 },
                     &err) != STATUS_OK)
        fail_msg("%s", err.text);
    interrupt_begin();
    KIT_OK(digits_run(&r, &subject, 1, &o, &err));
    interrupt_end();
    assert_int_equal(interrupt_signal(), SIGTERM);
    assert_int_equal(r.count, 2 * MODELS);
    assert_int_equal(r.scores[0].status, CASE_PASS);
    for (size_t i = 1; i < r.count; i++) {
        assert_int_equal(r.scores[i].status, CASE_MISSING);
        assert_true(r.scores[i].reason[0] != '\0');
    }
    assert_true(digits_failed(&r));
    digits_close(&r);
    subject_close(&subject);
    interrupt_begin(); /* forgets the signal */
    interrupt_end();
}

TEST(runs_on_delegates)
{
    static const struct {
        const char *option;
        enum case_status status;
        const char *reason;
    } rows[] = {
        { "fault=none", CASE_PASS, "" },
        { "fault=decline", CASE_DECLINED, "no node was taken" },
        { "fault=nan", CASE_FAIL, "" },
        { "fault=swap", CASE_FAIL, "" },
        { "fault=crash", CASE_CRASH, "SIGSEGV" },
        { "fault=crash_prepare", CASE_CRASH, "SIGSEGV" },
        { "fault=crash_destroy", CASE_CRASH, "SIGSEGV" },
        { "fault=abort", CASE_CRASH, "SIGABRT" },
        { "fault=exit", CASE_CRASH, "exit status 0" },
        { "fault=invoke", CASE_FAIL, "image 0: " },
        { "fault=prepare", CASE_FAIL, "" },
        { "fault=no_device", CASE_FAIL, "" },
        { "fault=hang", CASE_TIMEOUT, "no answer within 6 s" },
    };

    if (!have_models())
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool hangs = rows[i].status == CASE_TIMEOUT;
        bool failed;
        const struct digits_score s =
            run_on(mock_path("delegate.so"), rows[i].option, i > 0, hangs ? 6 : 60, &failed);

        if (s.status != rows[i].status ||
            strncmp(s.reason, rows[i].reason, strlen(rows[i].reason)) != 0)
            fail_msg("%s: %s: %s", rows[i].option, case_status_name(s.status), s.reason);
        if (s.status != CASE_PASS)
            assert_int_not_equal(s.reason[0], '\0');
        assert_int_equal(failed, rows[i].status != CASE_PASS && rows[i].status != CASE_DECLINED);
    }
}

/* Runs the reference as a subject, which computes its answers; returns the report. */
static struct digits_report run_reference(const char *directory, const char *model, size_t images)
{
    const struct string_list models = { &model, 1 };
    const struct digits_options o = {
        .directory = directory, .filters = models, .images = images, .quiet = true
    };
    struct subject subject CLOSED_BY(subject_close);
    struct digits_report r;

    memset(&r, 0, sizeof r); /* of a failure */
    if (subject_init(&subject, "none", NULL, &err) != STATUS_OK ||
        digits_run(&r, &subject, 1, &o, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return r;
}

/* The reference computes what reference.h5 holds of it: to the bit in 8 bits, in floats but for the
 * last bits of exp, which a C library chooses. */
TEST(stored_answers_are_the_references)
{
    struct digits_report r;

    if (!have_models())
        return;
    r = run_reference(NULL, "*", 40 / KIT_EACH(4));
    assert_int_equal(r.count, 2 * MODELS);
    for (size_t i = 0; i < r.count; i++) {
        const struct digits_score *const s = &r.scores[i];

        if (s->status != CASE_PASS)
            fail_msg("%s: %s", s->model, s->reason);
        if (s->subject == DIGITS_REFERENCE)
            continue;
        if (s->differ > 0 || !(s->snr_db >= 120) || (i >= 2 * FLOATS && s->same < s->images))
            fail_msg("%s: %zu of %zu images have the stored scores, SNR %.1f dB: `assay golden "
                     "export --models golden/digits/reference.h5` stores what the reference "
                     "answers now",
                     s->model, s->same, s->images, s->snr_db);
    }
    digits_close(&r);
}

static void copy_changed(const char *name, long at)
{
    char path[256];
    uint8_t *bytes CLOSED_BY(kit_mem_free) = NULL;
    size_t count;

    snprintf(path, sizeof path, "golden/digits/%s", name);
    KIT_OK(file_read(path, 1 << 20, &bytes, &count, &err));
    assert_true(count > (size_t)at);
    if (at)
        bytes[at] ^= 1;
    scratch_bytes(name, bytes, count);
}

/* A bit of a score or of a weight is changed: the stored answers fit no more.  The images have a
 * checksum of their own. */
TEST(answers_that_do_not_fit_are_refused)
{
    static const char *const files[] = { "reference.h5", "digits_i8.tflite", "digits.h5" };
    static const long changed[] = { 120000, 150000 };

    if (!have_models())
        return;
    for (size_t i = 0; i < 3; i++) {
        struct digits_report r CLOSED_BY(digits_close);

        for (size_t k = 0; k < 3; k++)
            copy_changed(files[k], k == i && i < 2 ? changed[i] : 0);
        r = run_reference(scratch("."), "digits_i8", 4);
        assert_int_equal(r.count, 2);
        assert_int_equal(r.scores[0].status, i < 2 ? CASE_FAIL : CASE_PASS);
        if (i < 2 && !strstr(r.scores[0].reason, "reference.h5 has answers to other images"))
            fail_msg("%s: %s", files[i], r.scores[0].reason);
    }
}

/* Models in 8 bits are for subjects of quantized cases, the others for those of floats. */
TEST(kinds_have_their_subjects)
{
    static const struct {
        bool skips_floats, skips_quantized;
        const char *models;
    } rows[] = { { false, false, "-+-+-+-+-+" },
                 { true, false, "----+-+" },
                 { false, true, "-+-+-+--" } };
    const struct digits_options o = { .images = 1, .quiet = true };

    if (!have_models())
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2 * MODELS + 1] = "";
        struct subject subject CLOSED_BY(subject_close);
        struct digits_report r CLOSED_BY(digits_close);

        assert_int_equal(subject_init(&subject, "none", NULL, &err), STATUS_OK);
        subject.skips_floats = rows[i].skips_floats;
        subject.skips_quantized = rows[i].skips_quantized;
        assert_int_equal(digits_run(&r, &subject, 1, &o, &err), STATUS_OK);
        assert_false(digits_failed(&r));
        assert_true(r.count < sizeof text);
        for (size_t k = 0; k < r.count; k++)
            text[k] = r.scores[k].subject == DIGITS_REFERENCE ? '-' : '+';
        assert_string_equal(text, rows[i].models);
    }
}

/* Our delegate in float view, held to float_view and to exact. */
TEST(integers_have_their_own_bounds)
{
    const char *option = "quantized=float_view";
    const struct string_list options = { &option, 1 };
    const struct digits_options o = { .images = 60, .quiet = true };
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "";

    if (!have_models())
        return;
    if (assay_gpu_devices(&any, 1, error, sizeof error) <= 0) {
        printf("skipped: our delegate on the digit models: %s\n", error);
        skip();
    }
    for (int exact = 0; exact < 2; exact++) {
        struct digits_report r;
        struct subject subject;

        if (subject_init(&subject, mock_path("../libassay_delegate.so"), &options, &err) !=
            STATUS_OK)
            fail_msg("%s", err.text);
        assert_int_equal(subject.quantized, BOUNDS_FLOAT_VIEW);
        subject.skips_floats = true;
        if (exact)
            subject.quantized = BOUNDS_EXACT;
        assert_int_equal(digits_run(&r, &subject, 1, &o, &err), STATUS_OK);
        assert_int_equal(r.count, MODELS + 2);
        for (size_t i = 0; i < r.count; i++) {
            const struct digits_score *const s = &r.scores[i];

            if (s->subject == DIGITS_REFERENCE)
                continue;
            assert_int_equal(s->taken, s->nodes);
            assert_true(s->same > 30 && s->same < s->images && s->mean_steps < 1);
            if ((s->status == CASE_FAIL) != (exact == 1) ||
                (exact && !strstr(s->reason, "images off by up to")))
                fail_msg("%s: %s: %s", s->model, case_status_name(s->status), s->reason);
        }
        assert_int_equal(digits_failed(&r), exact);
        digits_close(&r);
        subject_close(&subject);
    }
}

TEST(nothing_there_is_skipped)
{
    const struct digits_options o = { .directory = "/nowhere" };
    struct digits_report r CLOSED_BY(digits_close);

    assert_int_equal(digits_run(&r, NULL, 0, &o, &err), STATUS_OK);
    assert_int_equal(r.count, 0);
    assert_false(digits_failed(&r));
    assert_string_equal(r.skipped, "no digits.h5 in /nowhere");
}
