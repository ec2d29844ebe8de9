/* libassay.so, the example program and trained models: which symbols are exported, and whether
 * models from elsewhere load. */
/* Needs: libassay.so */
#include "reference/tests/kit/c_api_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

/* ---- real models ---- */

/* Each loads; each then runs, or says which node keeps it from that. */
TEST(real_models_load)
{
    const char *dir = getenv("ASSAY_MODELS");
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *list;
    int count = 0;

    snprintf(path, sizeof path, "%s/real", dir ? dir : "../shared/models");
    list = opendir(path);
    if (!list) {
        print_message("skipped: no models in %s\n", path);
        skip();
    }
    while ((entry = readdir(list))) {
        TfLiteInterpreterOptions *options = c_api_options();
        TfLiteInterpreter *interpreter;
        TfLiteModel *model;

        if (!strstr(entry->d_name, ".tflite")) {
            TfLiteInterpreterOptionsDelete(options);
            continue;
        }
        snprintf(path, sizeof path, "%s/real/%s", dir ? dir : "../shared/models", entry->d_name);
        model = TfLiteModelCreateFromFileWithErrorReporter(path, c_api_listen, c_api_messages);
        if (!model)
            fail_msg("%s: %s", path, c_api_messages);
        interpreter = TfLiteInterpreterCreate(model, options);
        if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
            assert_non_null(strstr(c_api_messages, "node "));
        else
            assert_int_equal(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
        TfLiteInterpreterDelete(interpreter);
        TfLiteInterpreterOptionsDelete(options);
        TfLiteModelDelete(model);
        count++;
    }
    closedir(list);
    assert_true(count > 0);
}

/* ---- as built ---- */

TEST(the_library_shows_the_api_only)
{
    const char *const path = build_path(".", "libassay.so");
    char command[2 * PATH_MAX], line[512];
    int count = 0;
    FILE *nm;

    if (access(path, R_OK) != 0) {
        print_message("skipped: libassay.so is not built\n");
        skip();
    }
    snprintf(command, sizeof command, "nm -D --defined-only '%s'", path);
    nm = popen(command, "r");
    assert_non_null(nm);
    while (fgets(line, sizeof line, nm)) {
        const char *name = strrchr(line, ' ');
        assert_non_null(name);
        if (strncmp(name + 1, "TfLite", 6) != 0 && !strstr(line, "asan") && !strstr(line, "gcov") &&
            strcmp(name + 1, "mangle_path\n") != 0) /* of --coverage */
            fail_msg("visible: %s", name + 1);
        count++;
    }
    pclose(nm);
    assert_true(count >= 60);
}

/* The example program runs the classifier of the kit and gives its scores. */
TEST(the_example_runs)
{
    const char *const path = build_path("examples", "classify");
    char command[2 * PATH_MAX], line[256];
    const char *model;
    struct tflite_file file;
    FILE *example;

    if (access(path, R_OK) != 0) {
        print_message("skipped: the example is not built\n");
        skip();
    }
    c_api_classifier(&file);
    model = scratch_bytes("model.tflite", file.bytes, file.count);
    snprintf(command, sizeof command, "'%s' '%s'", path, model);
    example = popen(command, "r");
    assert_non_null(example);
    assert_non_null(fgets(line, sizeof line, example));
    assert_string_equal(line, "y: 4 values\n");
    assert_non_null(
        fgets(line, sizeof line, example)); /* softmax of the c_api_weights: 1 is largest */
    assert_int_equal(atoi(line), 1);
    assert_true(strtod(strrchr(line, ' '), NULL) > 0.70 && strtod(strrchr(line, ' '), NULL) < 0.71);
    while (fgets(line, sizeof line, example))
        ;
    assert_int_equal(pclose(example), 0);
    snprintf(command, sizeof command, "'%s' /nowhere 2>/dev/null", path);
    assert_int_not_equal(system(command), 0);
    mem_free(file.bytes);
}
