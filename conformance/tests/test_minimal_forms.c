/* assay conformance --minimize against a delegate that is wrong where channels are no multiple of
 * 4, and one that crashes: one form of each kind, and its files. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "reference/format/read.h"

#include <signal.h>
#include <sys/stat.h>

struct fixture {
    struct test_case *cases;
    size_t case_count;
    struct subject subject;
    struct run_request run;
    struct run_outcome outcome;
    struct shrunk_forms forms;
    char directory[64];
};

/* cmocka catches these in every test, and a process inherits that. */
static void default_signals(void)
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_DFL);
}

static void run_minimized(struct fixture *f, const char *fault)
{
    const char *patterns[] = { "relu.f32.c[0-9]*", "add.f32.c?" };
    const struct selection selection = { .filters = { patterns, 2 } };
    char option[64];
    const char *options[] = { option };
    struct diag diag;

    default_signals();
    *f = (struct fixture){ .directory = "/tmp/assay_minimal_XXXXXX" };
    assert_non_null(mkdtemp(f->directory));
    KIT_OK(cases_list(&f->cases, &f->case_count, &diag));
    KIT_OK(select_cases(f->cases, &f->case_count, &selection, &diag));
    snprintf(option, sizeof option, "fault=%s", fault);
    KIT_OK(subject_init(&f->subject, mock_path("delegate.so"), &(struct string_list){ options, 1 },
                        &diag));
    f->run = (struct run_request){ .subjects = &f->subject,
                                   .subject_count = 1,
                                   .cases = f->cases,
                                   .case_count = f->case_count,
                                   .seed = 1,
                                   .jobs = 1,
                                   .timeout_s = 60,
                                   .repro_dir = f->directory,
                                   .quiet = true };
    KIT_OK(runner_run(&f->run, &f->outcome, &diag));
    KIT_OK(shrunk_forms_find(&f->run, &f->outcome, 100, &f->forms, &diag));
}

static void close_fixture(struct fixture *f)
{
    char command[96];

    snprintf(command, sizeof command, "rm -r '%s'", f->directory);
    assert_int_equal(system(command), 0);
    shrunk_forms_close(&f->forms);
    run_outcome_close(&f->outcome);
    subject_close(&f->subject);
    mem_free(f->cases);
}

static bool has_file(const struct fixture *f, size_t form, const char *name)
{
    const struct test_case *const c = &f->cases[f->forms.items[form].result % f->case_count];
    char path[512];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s@delegate.so_%s=%s/minimal/%s", f->directory, c->name,
             f->subject.options[0].key, f->subject.options[0].value, name);
    return stat(path, &st) == 0 && st.st_size > 0;
}

/* ADD and RELU: a form each, of 5 channels, for all of their cases. */
TEST(test_one_form_of_each_kind)
{
    struct fixture f;

    run_minimized(&f, "tail");
    assert_int_equal(f.forms.count, 2);
    assert_int_equal(f.forms.left_out, 0);
    for (size_t i = 0; i < f.forms.count; i++) {
        const struct shrunk *const m = &f.forms.items[i].shrunk;
        const struct model_tensor *y;
        struct model model;
        struct diag diag;

        assert_true(f.forms.items[i].similar > 0);
        assert_int_equal(m->result.status, CASE_FAIL);
        KIT_OK(tflite_read(&model, m->instance.file.bytes, m->instance.file.count, &diag));
        y = &model.subgraphs[0].tensors[model.subgraphs[0].outputs.data[0]];
        assert_int_equal(y->shape.data[y->shape.count - 1], 5);
        for (size_t d = 0; d + 1 < y->shape.count; d++)
            assert_int_equal(y->shape.data[d], 1);
        model_close(&model);
        assert_true(has_file(&f, i, "model.tflite"));
        assert_true(has_file(&f, i, "input0_A.npy"));
        assert_true(has_file(&f, i, "limit0_A.npy"));
        assert_true(has_file(&f, i, "tensors.h5"));
        assert_true(has_file(&f, i, "again.sh"));
    }
    close_fixture(&f);
}

TEST(test_crashes)
{
    struct fixture f;

    run_minimized(&f, "crash");
    assert_int_equal(f.forms.count, 2);
    for (size_t i = 0; i < f.forms.count; i++) {
        assert_int_equal(f.forms.items[i].shrunk.result.status, CASE_CRASH);
        assert_true(f.forms.items[i].shrunk.outcome.accepted > 0);
        assert_true(has_file(&f, i, "model.tflite"));
        assert_true(has_file(&f, i, "again.sh"));
        assert_false(has_file(&f, i, "got0_A.npy")); /* there is no result */
    }
    close_fixture(&f);
}

TEST(test_nothing_failed)
{
    struct fixture f;

    run_minimized(&f, "none");
    assert_int_equal(f.forms.count, 0);
    close_fixture(&f);
}
