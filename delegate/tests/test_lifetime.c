/* Lifetimes: of the instance, as long as the process; of devices, as long as their delegates; of
 * the library under dlclose; and forked processes.  Skipped without a device. */
/* Needs: libassay_delegate.so */
/* Needs: mock/llvm.so */
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/instance.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static VkInstance instance_now(void)
{
    VkInstance i = VK_NULL_HANDLE;

    KIT_OK(instance_get(&i, &err));
    return i;
}

static struct device *acquire(void)
{
    struct device_cost cost;
    struct device *d;

    KIT_OK(device_acquire(&d, NULL, false, &cost, &err));
    return d;
}

TEST(the_instance_stays)
{
    struct device *a, *b;
    VkInstance first;

    first = instance_now();
    for (int i = 0; i < 40; i++) {
        a = acquire();
        b = acquire();
        assert_true(a == b);
        device_release(i % 2 ? a : b);
        assert_int_equal(a->users, 1);
        device_release(b);
        assert_true(instance_now() == first);
    }
    device_release(NULL);
}

/* A program opens and closes the library many times: library and driver are loaded once. */
TEST(the_library_is_opened_again)
{
    const char *const path = build_path(".", "libassay_delegate.so");
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    double first_ms = 0;
    int slow = 0;

    for (int i = 0; i < 40; i++) {
        TfLiteDelegate *(*create)(const char *const *, const char *const *, size_t,
                                  void (*)(const char *));
        int (*get_stats)(const TfLiteDelegate *, struct assay_gpu_stats *);
        void (*destroy)(TfLiteDelegate *);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        TfLiteDelegate *d;

        if (!library)
            fail_msg("%s", dlerror());
        *(void **)&create = dlsym(library, "tflite_plugin_create_delegate");
        *(void **)&destroy = dlsym(library, "tflite_plugin_destroy_delegate");
        *(void **)&get_stats = dlsym(library, "assay_gpu_get_stats");
        assert_true(create && destroy && get_stats);
        assert_non_null(d = create(NULL, NULL, 0, NULL));
        assert_int_equal(get_stats(d, &stats), 0);
        if (i == 0)
            first_ms = stats.instance_ms;
        else
            slow += stats.instance_ms >= first_ms / 2;
        destroy(d);
        assert_int_equal(dlclose(library), 0);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        assert_non_null(library);
        dlclose(library);
    }
    /* The instance is not made again; on a busy machine some take long all the same. */
    assert_true(slow < 20);
}

static struct interpreter *run_on(const struct model *m, TfLiteDelegate *d)
{
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, NULL, &err));
    KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    kit_invoke(in, 3);
    return in;
}

static bool fork_said;

static void note_said(const char *text)
{
    fork_said = text[0] != '\0';
}

/* Not every driver works in a forked process: NVIDIA's refuses to make an instance there. */
enum { FORK_FAILED = 2, FORK_DIFFERS, FORK_REFUSED };

static bool is_software(void)
{
    struct assay_gpu_device one = { .struct_size = sizeof one };
    char error[256];

    return assay_gpu_devices(&one, 1, error, sizeof error) > 0 && strcmp(one.type, "cpu") == 0;
}

static char clash_said[1024];

static void note_clash(const char *text)
{
    snprintf(clash_said, sizeof clash_said, "%s", text);
}

enum { CLASH_NONE, CLASH_TAKEN, CLASH_TEXT, CLASH_BOUND, CLASH_LOCAL };

/* In a process of its own, since what is global stays so. */
static int meet_llvm(void)
{
    const char *const path = mock_path("llvm.so");
    TfLiteDelegate *d;

    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL) || !(d = kit_delegate(WITH("precision", "fp32"))))
        return CLASH_LOCAL; /* what only its users see does no harm */
    tflite_plugin_destroy_delegate(d);
    if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL) ||
        tflite_plugin_create_delegate(NULL, NULL, 0, note_clash))
        return CLASH_TAKEN;
    if (!strstr(clash_said, "llvm.so exports LLVM") || !strstr(clash_said, "LD_BIND_NOW=1"))
        return CLASH_TEXT;
    /* The driver was loaded before; had LD_BIND_NOW been set, it would call its own LLVM. */
    setenv("LD_BIND_NOW", "1", 1);
    d = tflite_plugin_create_delegate(NULL, NULL, 0, note_clash);
    tflite_plugin_destroy_delegate(d);
    return d ? CLASH_NONE : CLASH_BOUND;
}

TEST(a_program_that_exports_llvm)
{
    int status;
    pid_t pid;

    if (!is_software())
        skip();
    fflush(NULL);
    if ((pid = fork()) == 0)
        _exit(meet_llvm());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), CLASH_NONE);
}

/* A child that is forked while the parent has a device opens one of its own, or gets an error, and
 * leaves the parent's alone. */
TEST(a_forked_process)
{
    struct interpreter *ours;
    TfLiteDelegate *d;
    int status;
    pid_t pid;

    MODEL_BY(m, kit_random_graph(&m, 4, 6, 0));
    assert_non_null(d = tflite_plugin_create_delegate(NULL, NULL, 0, NULL));
    ours = run_on(&m, d);
    fflush(NULL);
    if ((pid = fork()) == 0) {
        TfLiteDelegate *const own = tflite_plugin_create_delegate(NULL, NULL, 0, note_said);
        struct interpreter *theirs;
        size_t count;
        const int *outputs = interpreter_outputs(ours, &count);

        alarm(60);
        if (!own)
            _exit(fork_said ? FORK_REFUSED : FORK_FAILED);
        theirs = run_on(&m, own);
        for (size_t i = 0; i < count; i++)
            if (memcmp(interpreter_tensor(ours, outputs[i])->data.raw,
                       interpreter_tensor(theirs, outputs[i])->data.raw,
                       interpreter_tensor(ours, outputs[i])->bytes) != 0)
                _exit(FORK_DIFFERS);
        interpreter_close(theirs);
        tflite_plugin_destroy_delegate(own);
        tflite_plugin_destroy_delegate(d); /* of the parent: its device is not closed */
        _exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) ||
        (WEXITSTATUS(status) != 0 && (WEXITSTATUS(status) != FORK_REFUSED || is_software())))
        fail_msg("the forked process ended with status 0x%x", status);
    interpreter_close(ours);
    ours = run_on(&m, d);
    interpreter_close(ours);
    tflite_plugin_destroy_delegate(d);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
