/* Models that keep state in variables of the host: READ_VARIABLE and ASSIGN_VARIABLE are taken, so
 * that they do not cut the partition, and the host's kernels compute them.  Skipped without a
 * device. */
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "assay_gpu.h"

/* Two layers, each with a delay of one frame: the second variable is read after the first was
 * assigned, as converters write it. */
#define DELAYS                                                                                     \
    "CALL_ONCE {init_subgraph_index=1}\n"                                                          \
    "tensors x:f32[1,3] old:f32[1,3] now:f32[1,3] sum:f32[1,3] old2:f32[1,3] now2:f32[1,3] "       \
    "y:f32[1,3]\n"                                                                                 \
    "VAR_HANDLE {shared_name=a} -> a:resource[]\n"                                                 \
    "VAR_HANDLE {shared_name=b} -> b:resource[]\n"                                                 \
    "READ_VARIABLE a -> old\n"                                                                     \
    "MUL {} x half:f32[1]=0.5 -> now\n"                                                            \
    "ASSIGN_VARIABLE a now\n"                                                                      \
    "ADD {} old now -> sum\n"                                                                      \
    "READ_VARIABLE b -> old2\n"                                                                    \
    "RELU sum -> now2\n"                                                                           \
    "ASSIGN_VARIABLE b now2\n"                                                                     \
    "SUB {} now2 old2 -> y\n"
#define FIRST                                                                                      \
    "graph\n"                                                                                      \
    "tensors three:f32[1,3]=3 four:f32[1,3]=4\n"                                                   \
    "VAR_HANDLE {shared_name=a} -> a:resource[]\n"                                                 \
    "VAR_HANDLE {shared_name=b} -> b:resource[]\n"                                                 \
    "ASSIGN_VARIABLE a three\n"                                                                    \
    "ASSIGN_VARIABLE b four\n"

/* Five frames on the delegate and on the reference, twice, with the first values in between. */
static void same_frames(const char *text, const char *const *options, int partitions)
{
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(options);
    struct interpreter *ours, *reference;

    MODEL(m, "%s", text);
    reference = kit_open(&m, NULL);
    ours = kit_open(&m, d);
    assert_int_equal(interpreter_partition_count(ours), partitions);
    for (int round = 0; round < 2; round++) {
        for (uint64_t frame = 1; frame <= 5; frame++) {
            kit_invoke(reference, frame);
            kit_invoke(ours, frame);
            kit_same_outputs(reference, ours, frame);
        }
        assert_int_equal(interpreter_reset_state(ours), STATUS_OK);
        assert_int_equal(interpreter_reset_state(reference), STATUS_OK);
    }
    interpreter_close(ours);
    interpreter_close(reference);
}

TEST(state_lies_between)
{
    same_frames(DELAYS "outputs y\n" FIRST, WITH("precision", "fp32"), 1);
    same_frames(DELAYS "outputs y\n" FIRST, WITH("precision", "fp32", "wait", "none"), 1);
    same_frames(DELAYS "outputs y\n" FIRST, WITH("precision", "fp32", "in_place", "0"), 1);
}

/* What is read or assigned is a result of the model, too. */
TEST(values_are_outputs)
{
    same_frames(DELAYS "outputs y old now now2\n" FIRST, WITH("precision", "fp32"), 1);
    same_frames(DELAYS "RELU old -> r:f32[1,3]\noutputs r old2\n" FIRST, WITH("precision", "fp32"),
                1);
}

/* A variable that is read again after it was assigned holds the new value: that node stays on the
 * host, by whatever handle it reads, and cuts the partition. */
TEST(a_read_after_an_assignment)
{
    same_frames(DELAYS "VAR_HANDLE {shared_name=a} -> again:resource[]\n"
                       "READ_VARIABLE again -> new:f32[1,3]\n"
                       "ADD {} new y -> z:f32[1,3]\noutputs y z\n" FIRST,
                WITH("precision", "fp32", "max_partitions", "0"), 2);
}

/* A variable whose value no node on the device uses is left to the host. */
TEST(values_that_only_the_host_uses)
{
    same_frames("CALL_ONCE {init_subgraph_index=1}\n"
                "tensors x:f32[1,3] old:f32[1,3] y:f32[1,3]\n"
                "VAR_HANDLE {shared_name=a} -> a:resource[]\n"
                "READ_VARIABLE a -> old\n"
                "ASSIGN_VARIABLE a x\n"
                "RELU x -> y\n"
                "outputs old y\n" FIRST,
                WITH("precision", "fp32"), 1);
}

TEST(without_a_first_value)
{
    MODEL(m, "%s",
          "tensors x:f32[1,3] old:f32[1,3] y:f32[1,3]\n"
          "VAR_HANDLE {shared_name=a} -> a:resource[]\n"
          "READ_VARIABLE a -> old\n"
          "ADD {} old x -> y\n"
          "ASSIGN_VARIABLE a y\n"
          "outputs y\n");
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = kit_delegate(WITH("precision", "fp32"));
    INTERPRETER_BY(in, kit_open(&m, d));
    assert_int_equal(interpreter_partition_count(in), 1);
    kit_fill_inputs(in, 1);
    assert_int_not_equal(interpreter_invoke(in, &err), STATUS_OK);
    assert_non_null(strstr(err.text, "variable 0 (a) is read before a value is assigned to it"));
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device, .needs = &kit_device);
