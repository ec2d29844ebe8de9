/* Nodes that the reference does not know, run by another runtime. */
/* Needs: mock/litert.so */
#include "conformance/suite/judge/node_host.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct node_host host;

FIXTURE(open_host)
{
    char spec[512];

    unsetenv("MOCK_LITERT");
    snprintf(spec, sizeof spec, "litert:cpu?library=%s", mock_path("litert.so"));
    return node_host_open(&host, spec, 20, &err) == STATUS_OK ? 0 : -1;
}

FIXTURE(close_host)
{
    node_host_close(&host);
    return 0;
}

/* The file has another shape than the host gives: the host is right. */
static void make_model(struct model *m)
{
    kit_text(m, "tensors x:f32[1,4] a:f32[1,4] b:f32[9] y:f32[9]\n"
                "RELU x -> a\nCUSTOM(NoSuchOp) a -> b\nNEG b -> y");
}

static bool runs(struct interpreter *in, float value)
{
    interpreter_tensor(in, 0)->data.f[3] = value;
    return interpreter_invoke(in, &err) == STATUS_OK &&
           interpreter_tensor(in, 3)->data.f[3] == value;
}

TEST(a_node)
{
    const struct interpreter_options options = { .stand_in = &host.stand_in, .num_threads = -1 };
    struct model m CLOSED_BY(model_close);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    int end = 0;
    pid_t child;

    make_model(&m);
    KIT_OK_DIAG(interpreter_open(&in, &m, &options, &err), err);
    KIT_OK_DIAG(interpreter_allocate(in, &err), err);
    assert_int_equal(interpreter_tensor(in, 3)->dims->size, 2);
    assert_true(runs(in, 3));
    assert_true(runs(in, 5));
    KIT_OK_DIAG(interpreter_resize_input(in, 0, (const int32_t[]){ 2, 4 }, 2, &err), err);
    KIT_OK_DIAG(interpreter_allocate(in, &err), err);
    assert_int_equal(interpreter_tensor(in, 3)->dims->data[0], 2);
    assert_true(runs(in, 7));
    /* A process that was forked has another process run the node, and ends that alone. */
    child = fork();
    if (child == 0) {
        end = runs(in, 8) ? 0 : 1;
        node_host_close(&host);
        _exit(end);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_int_equal(end, 0);
    assert_true(runs(in, 9));
}

TEST(it_crashes)
{
    const struct interpreter_options options = { .stand_in = &host.stand_in, .num_threads = -1 };
    struct interpreter *in;
    struct model m;

    setenv("MOCK_LITERT", "abort_compile", 1);
    make_model(&m);
    KIT_OK(interpreter_open(&in, &m, &options, &err));
    assert_int_equal(interpreter_allocate(in, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "NoSuchOp: node 1: litert:cpu"));
    assert_non_null(strstr(err.text, "crash: SIGABRT"));
    interpreter_close(in);
    model_close(&m);
    unsetenv("MOCK_LITERT");
}

TEST(what_is_no_host)
{
    struct node_host h;

    assert_int_equal(node_host_open(&h, "reference", 1, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "--host=reference: expected a runtime of its own"));
    node_host_close(&h);
    assert_int_not_equal(node_host_open(&h, "nobody:x", 1, &err), STATUS_OK);
    node_host_close(&h);
}

TEST_FILE(.each_setup = open_host, .each_teardown = close_host);
