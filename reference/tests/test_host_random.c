/* Random graphs under random delegates: partitions are those that the runtime's algorithm finds,
 * and no output changes. */
#include "reference/tests/kit/host_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/runtime/state.h"

/* The subsets as the real runtime finds them: node after node, epoch after epoch, until nothing
 * changes. */
struct naive {
    int epoch_of_node[KIT_TENSORS], epoch_of_tensor[4 * KIT_TENSORS];
    bool taken[KIT_TENSORS];
    int epochs;
};

static void naive_partition(struct interpreter *in, const struct mock *mock, struct naive *n)
{
    const int nodes = (int)interpreter_node_count(in);
    int left = nodes;

    for (int i = 0; i < 4 * KIT_TENSORS; i++)
        n->epoch_of_tensor[i] = -2;
    for (int i = 0; i < nodes; i++) {
        n->epoch_of_node[i] = -1;
        n->taken[i] = mock->takes(mock, i);
        n->epoch_of_tensor[interpreter_node(in, i)->outputs->data[0]] = -1;
    }
    for (n->epochs = 0; left > 0; n->epochs++) {
        bool changed = true, typed = false, type = false;

        while (changed) {
            changed = false;
            for (int i = 0; i < nodes; i++) {
                const TfLiteNode *node = interpreter_node(in, i);
                bool ready = n->epoch_of_node[i] == -1;

                for (int k = 0; k < node->inputs->size; k++)
                    ready = ready && n->epoch_of_tensor[node->inputs->data[k]] != -1;
                if (!ready)
                    continue;
                if (!typed) {
                    typed = true;
                    type = n->taken[i];
                }
                if (n->taken[i] != type)
                    continue;
                n->epoch_of_node[i] = n->epochs;
                n->epoch_of_tensor[node->outputs->data[0]] = n->epochs;
                changed = true;
                left--;
            }
        }
    }
}

static bool read_in(struct interpreter *in, const struct naive *n, int tensor, int epoch, bool same)
{
    for (int i = 0; i < (int)interpreter_node_count(in); i++)
        if ((n->epoch_of_node[i] == epoch) == same &&
            mock_has(interpreter_node(in, i)->inputs, tensor))
            return true;
    return false;
}

static void check_params(struct interpreter *in, const struct naive *n, int epoch,
                         const TfLiteDelegateParams *p)
{
    size_t count;
    const int *outputs = interpreter_outputs(in, &count);
    int at = 0;

    for (int i = 0; i < (int)interpreter_node_count(in); i++)
        if (n->epoch_of_node[i] == epoch)
            assert_int_equal(p->nodes_to_replace->data[at++], i);
    assert_int_equal(p->nodes_to_replace->size, at);
    for (int t = 0; t < (int)interpreter_tensor_count(in); t++) {
        const bool inside = n->epoch_of_tensor[t] == epoch;
        bool output = read_in(in, n, t, epoch, false);

        for (size_t o = 0; o < count; o++)
            output = output || outputs[o] == t;
        assert_int_equal(mock_has(p->input_tensors, t), !inside && read_in(in, n, t, epoch, true));
        assert_int_equal(mock_has(p->output_tensors, t), inside && output);
    }
}

static void check_partition(struct interpreter *in, const struct mock *mock)
{
    static struct naive n;
    int epoch = -1;

    naive_partition(in, mock, &n);
    for (size_t step = 0; step < in->plan_count; step++) {
        const struct node *node = in->nodes[in->plan[step]];

        if (!node->op) {
            const int inner = node->params->nodes_to_replace->data[0];
            assert_true(n.epoch_of_node[inner] > epoch);
            epoch = n.epoch_of_node[inner];
            assert_true(n.taken[inner]);
            check_params(in, &n, epoch, node->params);
        } else {
            assert_false(n.taken[node->index]);
            assert_true(n.epoch_of_node[node->index] >= epoch);
            epoch = n.epoch_of_node[node->index];
        }
    }
    assert_int_equal(interpreter_partition_count(in), mock->partitions);
}

/* What runs reads only what was written before. */
static void check_order(const struct interpreter *in)
{
    bool ready[4 * KIT_TENSORS] = { false };

    for (size_t i = 0; i < in->tensor_count; i++)
        ready[i] = in->info[i].is_input || in->tensors[i].allocation_type == kTfLiteMmapRo;
    for (size_t step = 0; step < in->plan_count; step++) {
        const TfLiteNode *node = &in->nodes[in->plan[step]]->abi;
        for (int i = 0; i < node->inputs->size; i++)
            assert_true(ready[node->inputs->data[i]]);
        for (int i = 0; i < node->outputs->size; i++)
            ready[node->outputs->data[i]] = true;
    }
}

TEST(random_graphs_under_random_delegates)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct interpreter_options options = host_options;

        MODEL_BY(m, kit_random_graph(&m, seed, 1 + (int)(seed % 40), (int)(seed % 9)));
        options.poison = true;
        options.poison_word = 0x7FC0DEAD; /* a NaN: whatever reads it shows it */
        options.guard_bytes = seed % 3 == 0 ? 64 : 0;
        options.preserve_all = seed % 5 == 0;
        MOCK(first);
        MOCK(second);
        struct interpreter *in CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&in, &m, &options, &err));
        first.takes = second.takes = mock_by_bits;
        first.choice = seed;
        second.choice = seed + 1000;
        first.handles = seed % 4 == 1;
        first.abi.flags = seed % 7 == 2 ? kTfLiteDelegateFlagsAllowDynamicTensors : 0;
        second.abi.flags = seed % 11 == 3 ? kTfLiteDelegateFlagsAllowDynamicTensors : 0;
        host_apply(in, &first);
        check_partition(in, &first);
        check_order(in);
        if (seed % 2) {
            host_apply(in, &second);
            check_order(in);
        }
        host_run_and_compare(&m, in, seed);
        KIT_OK(interpreter_check_guards(in, &err));
        kit_invoke(in, seed + 1);
        host_expect_reference_result(&m, in);
    }
}
