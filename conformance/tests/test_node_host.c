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

static int open_host(void **state)
{
    struct diag diag = { .status = STATUS_OK };
    char spec[512];

    (void)state;
    unsetenv("MOCK_LITERT");
    snprintf(spec, sizeof spec, "litert:cpu?library=%s", mock_path("litert.so"));
    return node_host_open(&host, spec, 20, &diag) == STATUS_OK ? 0 : -1;
}

static int close_host(void **state)
{
    (void)state;
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
    struct diag diag = { .status = STATUS_OK };

    interpreter_tensor(in, 0)->data.f[3] = value;
    return interpreter_invoke(in, &diag) == STATUS_OK &&
           interpreter_tensor(in, 3)->data.f[3] == value;
}

TEST(a_node)
{
    const struct interpreter_options options = { .stand_in = &host.stand_in, .num_threads = -1 };
    struct diag diag = { .status = STATUS_OK };
    struct interpreter *in;
    struct model m;
    int end = 0;
    pid_t child;

    make_model(&m);
    KIT_OK(interpreter_open(&in, &m, &options, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    assert_int_equal(interpreter_tensor(in, 3)->dims->size, 2);
    assert_true(runs(in, 3));
    assert_true(runs(in, 5));
    KIT_OK(interpreter_resize_input(in, 0, (const int32_t[]){ 2, 4 }, 2, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
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
    interpreter_close(in);
    model_close(&m);
}

TEST(it_crashes)
{
    const struct interpreter_options options = { .stand_in = &host.stand_in, .num_threads = -1 };
    struct diag diag = { .status = STATUS_OK };
    struct interpreter *in;
    struct model m;

    setenv("MOCK_LITERT", "abort_compile", 1);
    make_model(&m);
    KIT_OK(interpreter_open(&in, &m, &options, &diag));
    assert_int_equal(interpreter_allocate(in, &diag), STATUS_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "NoSuchOp: node 1: litert:cpu"));
    assert_non_null(strstr(diag.text, "crash: SIGABRT"));
    interpreter_close(in);
    model_close(&m);
    unsetenv("MOCK_LITERT");
}

TEST(what_is_no_host)
{
    struct diag diag = { .status = STATUS_OK };
    struct node_host h;

    assert_int_equal(node_host_open(&h, "reference", 1, &diag), STATUS_USAGE);
    assert_non_null(strstr(diag.text, "--host=reference: expected a runtime of its own"));
    node_host_close(&h);
    assert_int_not_equal(node_host_open(&h, "nobody:x", 1, &diag), STATUS_OK);
    node_host_close(&h);
}

TEST_FILE(.each_setup = open_host, .each_teardown = close_host);
