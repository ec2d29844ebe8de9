#include "conformance/tests/kit/bench_kit.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/write.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* "image" f32 [1, 4, 4, channels] through LOGISTIC and SOFTMAX to "answers"; "numbers" i32 [6] and
 * "more:0" i32 [6] through MAXIMUM to "larger". */
static void write_model(const char *path, int channels)
{
    struct tflite_file file;
    struct model m;

    kit_text(&m,
             "LOGISTIC image:f32[1,4,4,%d] -> hidden\n"
             "SOFTMAX {beta=1} hidden -> answers\n"
             "MAXIMUM {} numbers:i32[6] \"more:0\":i32[6] -> larger\n",
             channels);
    assert_int_equal(tflite_write(&m, &file, NULL), STATUS_OK);
    bench_kit_write(path, file.bytes, file.count);
    mem_free(file.bytes);
    model_close(&m);
}

void bench_kit_open(struct bench_kit *k, int channels)
{
    snprintf(k->directory, sizeof k->directory, "/tmp/assay-test-bench-XXXXXX");
    assert_non_null(mkdtemp(k->directory));
    snprintf(k->model, sizeof k->model, "%s/model.tflite", k->directory);
    write_model(k->model, channels);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

void bench_kit_close(struct bench_kit *k)
{
    nftw(k->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *bench_kit_path(const struct bench_kit *k, const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *const path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", k->directory, name);
    return path;
}

void bench_kit_write(const char *path, const void *bytes, size_t count)
{
    FILE *const f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

struct bench_request bench_kit_request(const struct bench_kit *k, const char *delegate)
{
    return (struct bench_request){ .model = k->model,
                                   .delegate = delegate ? delegate : "none",
                                   .seed = 1,
                                   .quiet = true,
                                   .runs = 40,
                                   .warmup_runs = 1,
                                   .max_secs = 20 };
}
