/* Random ids stay inside the tables that a graph selects from by them. */
#include "conformance/suite/io/random_ids.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <string.h>

TEST(limits)
{
    static const struct {
        const char *model;
        int64_t limit;
    } rows[] = {
        { "GATHER {axis=0} t:f32[7,2] i:i32[1,4] -> y", 7 },
        { "GATHER {axis=-1} t:f32[7,3] i:i64[4] -> y", 3 },
        { "GATHER {axis=2 batch_dims=1} t:f32[1,3,5] i:i32[1,2] -> y", 5 },
        { "GATHER_ND {} t:f32[9,6,2] i:i32[4,2] -> y", 6 }, /* the smaller of both */
        { "GATHER_ND {} t:f32[9,6,2] i:i32[4,1] -> y", 9 },
        { "SCATTER_ND {} i:i32[2,1] u:f32[2,3] i32[2]=8,3 -> y:f32[8,3]", 8 },
        { "CAST {in_data_type=INT64 out_data_type=INT32} i:i64[1,4] -> a:i32[1,4]\n"
          "RESHAPE {} a i32[1]=4 -> b\nSPLIT {num_splits=2} i32[]=0 b -> c d\n"
          "GATHER {axis=0} t:f32[7,2] d -> y\nNEG c -> z",
          7 },
        { "PACK {values_count=2 axis=0} i:i32[4] i -> a\nGATHER {axis=0} t:f32[7,2] a -> y", 7 },
        { "GATHER {axis=0} t:f32[7,2] i:i32[4] -> y\nGATHER {axis=0} u:f32[5,2] i -> z", 5 },
        { "GATHER {axis=0} i:i32[6] j:i32[2] -> a\nGATHER {axis=0} t:f32[7,2] a -> y", 7 },
        { "NEG i:i32[4] -> a\nGATHER {axis=0} t:f32[7,2] a -> y", 0 }, /* other values */
        { "GATHER {axis=0} i:i32[4] j:i32[2] -> y", 0 },               /* it is the table */
        { "CAST {in_data_type=INT32 out_data_type=FLOAT32} attention_mask:i32[4] -> y", 2 },
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct model m CLOSED_BY(model_close);
        struct interpreter *in CLOSED_BY(kit_interpreter_end);
        size_t count, i = 0;
        const int *inputs;
        TfLiteTensor *ids;
        int64_t largest = 0;

        kit_text(&m, "%s", rows[k].model);
        in = kit_interpreter(&m, NULL);
        KIT_OK(interpreter_allocate(in, &err));
        inputs = interpreter_inputs(in, &count);
        while (count > 1 && strcmp(interpreter_tensor(in, inputs[i])->name, "i") != 0)
            i++;
        if (random_ids_limit(in, inputs[i]) != rows[k].limit)
            fail_msg("%s: %lld", rows[k].model, (long long)random_ids_limit(in, inputs[i]));
        ids = interpreter_tensor(in, inputs[i]);
        for (uint64_t seed = 0; seed < 40; seed++) {
            KIT_OK(random_fill(in, inputs[i], seed, i, &err));
            for (size_t e = 0; e < ref_elements(ids); e++) {
                assert_true(ref_load_int(ids, e) >= 0);
                largest = ref_load_int(ids, e) > largest ? ref_load_int(ids, e) : largest;
            }
        }
        assert_int_equal(largest, rows[k].limit ? rows[k].limit - 1 : 9);
    }
}

/* Bytes that become ids, and a table that is larger than what they hold. */
TEST(bytes)
{
    struct model m CLOSED_BY(model_close);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    kit_text(&m, "CAST {in_data_type=INT8 out_data_type=INT32} i:i8[64] -> a:i32[64]\n"
                 "GATHER {axis=0} t:f32[1000,1] a -> y");
    in = kit_interpreter(&m, NULL);
    KIT_OK(interpreter_allocate(in, &err));
    KIT_OK(random_fill(in, 0, 1, 0, &err));
    for (size_t i = 0; i < 64; i++)
        assert_true(interpreter_tensor(in, 0)->data.int8[i] >= 0);
}

TEST(the_remedy)
{
    struct model m CLOSED_BY(model_close);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    kit_text(&m, "ADD {} i:i32[4] i32[1]=5 -> a\nGATHER {axis=0} t:f32[7,2] a -> y");
    in = kit_interpreter(&m, NULL);
    diag_fail(&err, STATUS_INVALID, "GATHER: far");
    assert_int_equal(random_explain(in, 0, "give it", STATUS_INVALID, &err), STATUS_INVALID);
    assert_string_equal(
        err.text, "GATHER: far; random integers of i may not be what the model takes: give it");
}
