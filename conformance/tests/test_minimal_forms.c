/* assay conformance --minimize against a delegate that is wrong where channels are no multiple of
 * 4, and one that crashes: one form of each kind, and its files. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "reference/format/read.h"

#include <sys/stat.h>

struct fixture {
    struct test_case *cases;
    size_t case_count;
    struct subject subject;
    struct run_request run;
    struct run_outcome outcome;
    struct shrunk_forms forms;
};

static void run_minimized(struct fixture *f, const char *fault)
{
    const char *patterns[] = { "relu.f32.c[0-9]*", "add.f32.c?" };
    const struct selection selection = { .filters = { patterns, 2 } };
    char option[64];
    const char *options[] = { option };

    default_signals();
    *f = (struct fixture){ .case_count = 0 };
    KIT_OK(cases_list(&f->cases, &f->case_count, &err));
    KIT_OK(select_cases(f->cases, &f->case_count, &selection, &err));
    snprintf(option, sizeof option, "fault=%s", fault);
    KIT_OK(subject_init(&f->subject, mock_path("delegate.so"), &(struct string_list){ options, 1 },
                        &err));
    f->run = kit_request(&f->subject, 1, f->cases, f->case_count, 1);
    f->run.repro_dir = scratch("repro");
    KIT_OK(runner_run(&f->run, &f->outcome, &err));
    KIT_OK(shrunk_forms_find(&f->run, &f->outcome, 100, &f->forms, &err));
}

static void close_fixture(struct fixture *f)
{
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

    snprintf(path, sizeof path, "%s/%s@delegate.so_%s=%s/minimal/%s", scratch("repro"), c->name,
             f->subject.options[0].key, f->subject.options[0].value, name);
    return stat(path, &st) == 0 && st.st_size > 0;
}

/* ADD and RELU: a form each, of 5 channels, for all of their cases. */
TEST(test_one_form_of_each_kind)
{
    struct fixture f CLOSED_BY(close_fixture);

    run_minimized(&f, "tail");
    assert_int_equal(f.forms.count, 2);
    assert_int_equal(f.forms.left_out, 0);
    for (size_t i = 0; i < f.forms.count; i++) {
        const struct shrunk *const m = &f.forms.items[i].shrunk;
        const struct model_tensor *y;
        struct model model;

        assert_true(f.forms.items[i].similar > 0);
        assert_int_equal(m->result.status, CASE_FAIL);
        KIT_OK(tflite_read(&model, m->instance.file.bytes, m->instance.file.count, &err));
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
}

TEST(test_crashes)
{
    struct fixture f CLOSED_BY(close_fixture);

    run_minimized(&f, "crash");
    assert_int_equal(f.forms.count, 2);
    for (size_t i = 0; i < f.forms.count; i++) {
        assert_int_equal(f.forms.items[i].shrunk.result.status, CASE_CRASH);
        assert_true(f.forms.items[i].shrunk.outcome.accepted > 0);
        assert_true(has_file(&f, i, "model.tflite"));
        assert_true(has_file(&f, i, "again.sh"));
        assert_false(has_file(&f, i, "got0_A.npy")); /* there is no result */
    }
}

TEST(test_nothing_failed)
{
    struct fixture f CLOSED_BY(close_fixture);

    run_minimized(&f, "none");
    assert_int_equal(f.forms.count, 0);
}

TEST_FILE(.each_teardown = scratch_remove);
