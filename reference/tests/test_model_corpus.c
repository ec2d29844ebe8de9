/* The seeds of the fuzz target that runs models (fuzz/models.c): models of several subgraphs, and
 * of custom ops.  They are written, and compared with the files, here:
 *
 *     $(B)/tests/reference test_model_corpus --corpus fuzz/corpus/models */
#include "reference/tests/kit/subgraph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/format/file.h"
#include "reference/format/write.h"

#define MODEL_OF(name_, ...)                                                                       \
    static void name_(struct model *m)                                                             \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    struct model

MODEL_OF(loop, kit_loop(m, 3, false));
MODEL_OF(loop_grows, kit_loop(m, 2, true));
MODEL_OF(branches, kit_branches(m, false));
MODEL_OF(branches_wide, kit_branches(m, true));
MODEL_OF(chain, kit_chain(m, 4));
MODEL_OF(ring, kit_ring(m, 3, 1));
MODEL_OF(variables, kit_variables(m, true));
MODEL_OF(unassigned, kit_variables(m, false));

static void detection(struct model *m, int32_t type, bool regular)
{
    struct flex_writer w;
    size_t count;

    kit_detection_options(&w);
    flex_write_bool(&w, "use_regular_nms", regular);
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    KIT_OK(flex_write_finish(&w, &bytes, &count, &err));
    kit_detection(m, 3, 2, type, bytes, count);
}

MODEL_OF(detection_fast, detection(m, TENSOR_FLOAT32, false));
MODEL_OF(detection_regular, detection(m, TENSOR_FLOAT32, true));
MODEL_OF(detection_u8, detection(m, TENSOR_UINT8, false));
MODEL_OF(detection_without_options, kit_detection(m, 3, 2, TENSOR_FLOAT32, NULL, 0));
MODEL_OF(composites,
         kit_text(m, "STABLEHLO_COMPOSITE {name=c decomposition_subgraph_index=1 "
                     "composite_attributes=flex(scale=0.5)} x:f32[1,64] -> f32[1,2]\ngraph\n"
                     "tensors s:f16[2,2]=0.5,1,2,0.25; "
                     "FULLY_CONNECTED {} f32[1,64] i4[2,64]=-8,7,1blocks(s,32) - -> f32[1,2]"));

static const struct seed {
    const char *name;
    void (*build)(struct model *m);
} seeds[] = {
    { "branches", branches },
    { "branches_wide", branches_wide },
    { "chain", chain },
    { "composites", composites },
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
    struct model m CLOSED_BY(model_close);

    seed->build(&m);
    KIT_OK(tflite_write(&m, file, &err));
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
        struct tflite_file file;
        uint8_t *bytes;
        size_t count;
        char path[512];

        build(&seeds[i], &file);
        snprintf(path, sizeof path, "fuzz/corpus/models/%s", seeds[i].name);
        KIT_OK(file_read(path, SIZE_MAX, &bytes, &count, &err));
        if (count != file.count || memcmp(bytes, file.bytes, count) != 0)
            fail_msg("%s differs from what the test makes (write it with --corpus)", path);
        mem_free(bytes);
        mem_free(file.bytes);
    }
}

TEST_FILE(.main = write_seeds);
