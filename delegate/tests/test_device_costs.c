/* The table of costs by class of device: it is whole, what is used without a measurement is listed
 * here, and plans go by it and say so. */
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/base/device_costs.h"
#include "delegate/plan/planner.h"

static const struct device_costs *costs_of(int class)
{
    return device_costs_of(&(struct device_limits){ .device_class = (enum device_class) class });
}

static enum kernel_evidence evidence(int class, int kernel)
{
    return (enum kernel_evidence)costs_of(class)->evidence[kernel];
}

/* ---- the table ---- */

static const char *const names[] = { "other", "software", "integrated", "NVIDIA", "AMD", "Intel" };
_Static_assert(sizeof names / sizeof names[0] == DEVICE_CLASSES, "a name for each class");

/* A class of which no device was measured has no kernel that was. */
TEST(evidence_is_of_a_device)
{
    for (int c = 0; c < DEVICE_CLASSES; c++) {
        const bool measured = costs_of(c)->measured_on != NULL;

        assert_string_equal(costs_of(c)->name, names[c]);
        assert_int_equal(measured, c == DEVICE_SOFTWARE || c == DEVICE_NVIDIA);
        for (int k = 0; k < KERNEL_COUNT; k++) {
            assert_in_range(evidence(c, k), EVIDENCE_FASTER, EVIDENCE_SLOWER);
            if (!measured &&
                (evidence(c, k) == EVIDENCE_FASTER || evidence(c, k) == EVIDENCE_SLOWER))
                fail_msg("class %s: kernel %s was measured on no device", names[c],
                         options_kernel_name((enum kernel_id)k));
        }
    }
}

static uint32_t bit(enum kernel_id kernel)
{
    return 1u << kernel;
}

/* Whoever lets a kernel run on a class of devices on which nobody has measured it has to say so
 * here, too. */
TEST(what_is_used_unmeasured)
{
    const uint32_t units =
        bit(KERNEL_matrix) | bit(KERNEL_pointwise_depthwise) | bit(KERNEL_matrix_int8);
    const uint32_t bytes = bit(KERNEL_gemm_int8) | bit(KERNEL_depthwise_int8);
    const uint32_t tiles =
        bit(KERNEL_gemm) | bit(KERNEL_matvec) | bit(KERNEL_frozen) | bit(KERNEL_tail);
    const uint32_t halves = bit(KERNEL_half_sums);
    const uint32_t shares =
        bit(KERNEL_matmul_shares) | bit(KERNEL_packed_shares) | bit(KERNEL_attention_parts);
    const uint32_t likely[DEVICE_CLASSES] = {
        [DEVICE_OTHER] = units | halves | bytes,
        [DEVICE_SOFTWARE] = units | halves,
        [DEVICE_NVIDIA] =
            bit(KERNEL_packed) | bit(KERNEL_packed_shares) | bit(KERNEL_attention_parts),
        [DEVICE_INTEGRATED] = units | halves | bytes | tiles | shares,
        [DEVICE_AMD] = units | halves | bytes | tiles | shares,
        [DEVICE_INTEL] = units | halves | bytes | tiles | shares
    };
    const uint32_t sure = bit(KERNEL_rows) | bit(KERNEL_half_rows) | bit(KERNEL_small_outputs) |
                          bit(KERNEL_groups) | bit(KERNEL_packed);

    for (int c = 0; c < DEVICE_CLASSES; c++)
        for (int k = 0; k < KERNEL_COUNT; k++) {
            const bool listed = (likely[c] >> k & 1) || (c != DEVICE_NVIDIA && (sure >> k & 1));
            const enum kernel_evidence e = evidence(c, k);

            if ((e == EVIDENCE_LIKELY || e == EVIDENCE_SURE) != listed)
                fail_msg("class %s: kernel %s is %sused without a measurement", names[c],
                         options_kernel_name((enum kernel_id)k), listed ? "not " : "");
            assert_int_equal(device_costs_pays(costs_of(c), (enum kernel_id)k),
                             listed || e == EVIDENCE_FASTER);
        }
}

/* Numbers that a used kernel divides by or compares with are there. */
TEST(numbers_are_there)
{
    for (int c = 0; c < DEVICE_CLASSES; c++) {
        const struct device_costs *const t = costs_of(c);

        assert_true(device_rates_are_valid(&t->rates));
        assert_true(t->workgroup >= 16 && t->softmax_workgroup >= t->workgroup);
        assert_true(t->multiprocessors > 0 && t->fitted_multiprocessors > 0);
        assert_true(t->pointwise_pixels_max > 0 && t->pointwise_groups_max > 0);
        assert_true(t->matrix_int8_depth_min > 0 && t->matrix_int8_products_min > 0);
        assert_true(t->small_output_bytes > 0);
        assert_true(t->attention.part_min > 0 &&
                    t->attention.part_min <= t->attention.elements_max);
        assert_true(t->attention.rows_max > 0 && t->attention.long_rows_max > 0);
        assert_int_equal(device_costs_pays(t, KERNEL_prefetch), t->evicting_bytes > 0);
        assert_int_equal(device_costs_pays(t, KERNEL_depthwise), t->depthwise.rows > 0);
        assert_int_equal(device_costs_pays(t, KERNEL_depthwise), t->depthwise.columns > 0);
        assert_int_equal(device_costs_pays(t, KERNEL_depthwise), t->depthwise.workgroup > 0);
        assert_int_equal(device_costs_pays(t, KERNEL_depthwise), t->depthwise.outputs_min > 0);
    }
}

/* ---- what the planner makes of it ---- */

/* Tests have a kernel on any device by one option each; no_kernel is stronger. */
static void force(struct gpu_options *o, int kernel)
{
    o->any_device = true;
    o->gemm_tile = kernel == KERNEL_gemm;
    o->depthwise_tile = kernel == KERNEL_depthwise;
    o->workgroup_variant = kernel == KERNEL_gemm_int8 || kernel == KERNEL_depthwise_int8 ||
                           kernel == KERNEL_matrix_int8;
}

TEST(the_planner_asks_it)
{
    for (int c = 0; c < DEVICE_CLASSES; c++)
        for (int k = 0; k < KERNEL_COUNT; k++) {
            const struct device_limits limits = { .device_class = (enum device_class)c };
            struct gpu_options o CLOSED_BY(options_close) =
                gpu_options_of((const char *[]){ NULL });
            struct reasons reasons CLOSED_BY(reasons_close) = { .count = 0 };
            const struct planner p = { .options = &o, .limits = &limits, .reasons = &reasons };
            const struct reason_of why = planner_reason(&p, (enum kernel_id)k, NULL);
            const bool pays = device_costs_pays(costs_of(c), (enum kernel_id)k);

            assert_int_equal(planner_kernel(&p, &why), pays);
            assert_int_equal(reasons.count, !pays);
            if (!pays)
                assert_string_equal(reasons.list[0].text,
                                    device_costs_why(costs_of(c), (enum kernel_id)k).text);
            o.kernel = 1u << k;
            assert_true(planner_kernel(&p, &why));
            o.kernel = 0;
            force(&o, k);
            assert_true(planner_kernel(&p, &why));
            o.no_kernel = 1u << k;
            assert_false(planner_kernel(&p, &why));
        }
}

TEST(reasons_name_class_and_evidence)
{
    static const struct {
        int class;
        enum kernel_id kernel;
        const char *text;
    } rows[] = {
        { DEVICE_SOFTWARE, KERNEL_gemm_int8, "class software: slower, as measured on lavapipe" },
        { DEVICE_SOFTWARE, KERNEL_depthwise, "class software: faster, as measured on lavapipe" },
        { DEVICE_OTHER, KERNEL_matvec, "class other: not measured" },
        { DEVICE_AMD, KERNEL_prefetch, "class AMD: not measured" },
        { DEVICE_AMD, KERNEL_matvec, "class AMD: not measured, as on an H200" },
        { DEVICE_INTEL, KERNEL_rows, "class Intel: not measured, but less work" },
        { DEVICE_NVIDIA, KERNEL_gemm, "class NVIDIA: faster, as measured on an H200" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(device_costs_why(costs_of(rows[i].class), rows[i].kernel).text,
                            rows[i].text);
    for (int c = 0; c < DEVICE_CLASSES; c++) /* none is cut off */
        for (int k = 0; k < KERNEL_COUNT; k++) {
            const struct device_costs_text why = device_costs_why(costs_of(c), (enum kernel_id)k);

            assert_non_null(strstr(why.text, names[c]));
            assert_true(strlen(why.text) < sizeof why.text - 1);
        }
}
