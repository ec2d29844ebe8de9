#include "conformance/tests/kit/bench_kit.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/base/memory.h"
#include "reference/format/write.h"
#include "reference/tests/kit/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *bench_kit_model;

/* "image" f32 [1, 4, 4, 2] through LOGISTIC and SOFTMAX to "answers"; "numbers" i32 [6] and
 * "more:0" i32 [6] through MAXIMUM to "larger". */
int bench_kit_open(void **state)
{
    MODEL(m, "LOGISTIC image:f32[1,4,4,2] -> hidden\n"
             "SOFTMAX {beta=1} hidden -> answers\n"
             "MAXIMUM {} numbers:i32[6] \"more:0\":i32[6] -> larger\n");

    (void)state;
    kit_save(&m, bench_kit_model = scratch("model.tflite"));
    return 0;
}

struct bench_request bench_kit_request(const char *delegate)
{
    return (struct bench_request){ .model = bench_kit_model,
                                   .delegate = delegate ? delegate : "none",
                                   .seed = 1,
                                   .quiet = true,
                                   .runs = 40,
                                   .warmup_runs = 1,
                                   .max_secs = 20 };
}
