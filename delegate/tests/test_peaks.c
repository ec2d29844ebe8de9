/* The limits of the device that is there, and what its steps compute: the two sides of a roofline.
 */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

enum { ROWS = 5, DEPTH = 12, UNITS = 20 };

/* RELU of a product, and the product of that: 5 * 20 * 12 and 5 * 12 * 20 multiply-adds. */
static void make_model(struct model *m)
{
    kit_text(m,
             "FULLY_CONNECTED {} x:f32[%d,%d] f32[%d,%d]=0 -> y\n"
             "FULLY_CONNECTED {} y f32[%d,%d]=0 -> z; EXP z -> e",
             ROWS, DEPTH, UNITS, DEPTH, DEPTH, UNITS);
}

TEST(multiply_adds)
{
    static const struct {
        const char *precision;
        int arithmetic;
    } modes[] = { { "fp32", ASSAY_GPU_F32 }, { "fp16", ASSAY_GPU_F16 } };

    for (int i = 0; i < 2; i++) {
        double macs = 0, of_nodes[3] = { 0 };

        MODEL_BY(m, make_model(&m));
        TfLiteDelegate *d CLOSED_BY(kit_delegate_end) =
            kit_delegate(WITH("precision", modes[i].precision));
        INTERPRETER_BY(in, kit_open(&m, d));
        for (int s = 0; s < assay_gpu_step_count(d); s++) {
            struct assay_gpu_step step = { .struct_size = sizeof step };

            assert_int_equal(assay_gpu_get_step(d, s, &step), 0);
            macs += step.macs;
            if (step.node >= 0 && step.node < 3)
                of_nodes[step.node] += step.macs;
            if (step.macs > 0)
                assert_int_equal(step.arithmetic, modes[i].arithmetic);
        }
        assert_true(macs == 2 * ROWS * DEPTH * UNITS);
        assert_true(of_nodes[0] == ROWS * DEPTH * UNITS);
    }
}

TEST(peaks)
{
    struct assay_gpu_peaks p = { .struct_size = sizeof p };
    char error[256] = "as before";
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);

    d = kit_delegate(WITH("precision", "fp32"));
    assert_int_equal(assay_gpu_measure_peaks(d, &p, error, sizeof error), 0);
    assert_string_equal(error, "");
    assert_true(p.floor_us > 0);
    assert_true(p.memory_bytes[0] > 0 && p.memory_bytes_per_us[0] > 0);
    for (int i = 1; i < ASSAY_GPU_PEAK_SIZES; i++) {
        assert_int_equal(p.memory_bytes[i] > 0, p.memory_bytes_per_us[i] > 0);
        assert_true(p.memory_bytes[i] == 0 || p.memory_bytes[i] > p.memory_bytes[i - 1]);
    }
    assert_true(p.f32_ops_per_us > 0 && p.f16_ops_per_us >= p.f32_ops_per_us);
    assert_true(p.i8_ops_per_us > 0);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
