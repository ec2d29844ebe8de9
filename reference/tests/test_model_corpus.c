/* The seeds of the fuzz target that runs models (fuzz/models.c): models of several subgraphs, and
 * of custom ops.  They are written, and compared with the files, here:
 *
 *     $(B)/tests/reference test_model_corpus --corpus fuzz/corpus/models */
#include "reference/tests/kit/subgraph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/format/file.h"
#include "reference/format/write.h"

static void loop(struct model *m)
{
    kit_loop(m, 3, false);
}

static void loop_grows(struct model *m)
{
    kit_loop(m, 2, true);
}

static void branches(struct model *m)
{
    kit_branches(m, false);
}

static void branches_wide(struct model *m)
{
    kit_branches(m, true);
}

static void chain(struct model *m)
{
    kit_chain(m, 4);
}

static void ring(struct model *m)
{
    kit_ring(m, 3, 1);
}

static void variables(struct model *m)
{
    kit_variables(m, true);
}

static void unassigned(struct model *m)
{
    kit_variables(m, false);
}

static void detection(struct model *m, int32_t type, bool regular)
{
    struct diag diag = { 0 };
    struct flex_writer w;
    uint8_t *bytes;
    size_t count;

    kit_detection_options(&w);
    flex_write_bool(&w, "use_regular_nms", regular);
    KIT_OK(flex_write_finish(&w, &bytes, &count, &diag));
    kit_detection(m, 3, 2, type, bytes, count);
    mem_free(bytes);
}

static void detection_fast(struct model *m)
{
    detection(m, TENSOR_FLOAT32, false);
}

static void detection_regular(struct model *m)
{
    detection(m, TENSOR_FLOAT32, true);
}

static void detection_u8(struct model *m)
{
    detection(m, TENSOR_UINT8, false);
}

static void detection_without_options(struct model *m)
{
    kit_detection(m, 3, 2, TENSOR_FLOAT32, NULL, 0);
}

static const struct seed {
    const char *name;
    void (*build)(struct model *m);
} seeds[] = {
    { "branches", branches },
    { "branches_wide", branches_wide },
    { "chain", chain },
    { "detection_fast", detection_fast },
    { "detection_regular", detection_regular },
    { "detection_u8", detection_u8 },
    { "detection_without_options", detection_without_options },
    { "endless", kit_endless_loop },
    { "loop", loop },
    { "loop_grows", loop_grows },
    { "ring", ring },
    { "unassigned", unassigned },
    { "variables", variables },
};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static void build(const struct seed *seed, struct tflite_file *file)
{
    struct diag diag = { 0 };
    struct model m;

    seed->build(&m);
    KIT_OK(tflite_write(&m, file, &diag));
    model_close(&m);
}

static int write_seeds(int argc, char **argv)
{
    const char *const folder = argv[argc - 1];

    if (argc != 3 || strcmp(argv[1], "--corpus") != 0)
        return -1;
    for (size_t i = 0; i < SEEDS; i++) {
        struct tflite_file file;
        char path[512];
        FILE *f;

        build(&seeds[i], &file);
        snprintf(path, sizeof path, "%s/%s", folder, seeds[i].name);
        f = fopen(path, "wb");
        if (!f || fwrite(file.bytes, 1, file.count, f) != file.count || fclose(f) != 0) {
            perror(path);
            return 1;
        }
        mem_free(file.bytes);
    }
    return 0;
}

TEST(seeds_are_what_is_built)
{
    for (size_t i = 0; i < SEEDS; i++) {
        struct diag diag = { 0 };
        struct tflite_file file;
        uint8_t *bytes;
        size_t count;
        char path[512];

        build(&seeds[i], &file);
        snprintf(path, sizeof path, "fuzz/corpus/models/%s", seeds[i].name);
        KIT_OK(file_read(path, SIZE_MAX, &bytes, &count, &diag));
        if (count != file.count || memcmp(bytes, file.bytes, count) != 0)
            fail_msg("%s differs from what the test makes (write it with --corpus)", path);
        mem_free(bytes);
        mem_free(file.bytes);
    }
}

TEST_FILE(.main = write_seeds);
