/* Writes the small models that torture and soak run: models DIRECTORY.  A program of its own, which
 * has the builder; torture itself sees the libraries from outside. */
#include "reference/tests/kit/subgraph_kit.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/format/write.h"

static void save(const char *directory, const char *name, struct model *m)
{
    struct diag diag = { 0 };
    struct tflite_file file;
    char path[512];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.tflite", directory, name);
    if (tflite_write(m, &file, &diag) != STATUS_OK || !(f = fopen(path, "wb")) ||
        fwrite(file.bytes, 1, file.count, f) != file.count || fclose(f) != 0) {
        fprintf(stderr, "models: %s: %s\n", path, diag.text);
        exit(1);
    }
    mem_free(file.bytes);
    model_close(m);
}

int main(int argc, char **argv)
{
    struct model m;
    char name[32];

    if (argc != 2) {
        fprintf(stderr, "models DIRECTORY\n");
        return 2;
    }
    kit_text(&m, "CONV_2D {stride_w=2 stride_h=2} image:f32[1,6,6,3] weights:f32[5,3,3,3]=~7\\\n"
                 " bias:f32[5]=0,0.125,0.25,0.375,0.5 -> features\n"
                 "MEAN {} features axes:i32[2]=1,2 -> means; LOGISTIC means -> answers");
    save(argv[1], "image", &m);
    kit_text(&m, "CONV_2D:3 {stride_w=2 stride_h=2} image:i8[1,6,6,3]q(0.0078125,0)\\\n"
                 " weights:i8[5,3,3,3]=~7(-11..11)q(0.015625,0)\\\n"
                 " bias:i32[5]=0,100,200,300,400q(0.0001220703125,0) -> features:i8q(0.015625,0)");
    save(argv[1], "bytes", &m);
    kit_folding_graph(&m);
    save(argv[1], "folding", &m);
    kit_branches(&m, true);
    save(argv[1], "branches", &m);
    kit_branches(&m, false);
    save(argv[1], "choices", &m);
    kit_loop(&m, 3, false);
    save(argv[1], "loop", &m);
    kit_variables(&m, true);
    save(argv[1], "variables", &m);
    for (int i = 0; i < 16; i++) {
        kit_random_graph(&m, 21 + (uint64_t)i, 4 + 2 * i, 2);
        snprintf(name, sizeof name, "random%d", i);
        save(argv[1], name, &m);
    }
    return 0;
}
