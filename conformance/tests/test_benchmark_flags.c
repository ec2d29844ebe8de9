/* The flags of TensorFlow Lite's benchmark_model: every published one is read in its form
 * --name=value, and does what the table says. */
#include "conformance/tests/kit/bench_kit.h"
#include "conformance/tools/cli/benchmark_flags.h"
#include "conformance/tools/cli/commands.h"
#include "reference/tests/kit/capture.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* As published by google-ai-edge/LiteRT at f67457790c9c: the calls of CreateFlag in
 * tflite/tools/benchmark/benchmark_model.cc, benchmark_tflite_model.cc and in the delegate
 * providers, and two names that only their READMEs have. */
static const char *const published[] = {
    "num_runs",
    "min_secs",
    "max_secs",
    "run_delay",
    "run_frequency",
    "num_threads",
    "use_caching",
    "benchmark_name",
    "output_prefix",
    "warmup_runs",
    "warmup_min_secs",
    "verbose",
    "dry_run",
    "report_peak_memory_footprint",
    "memory_footprint_check_interval_ms",
    "gpu_invoke_loop_times",
    "graph",
    "input_layer",
    "input_layer_shape",
    "input_layer_value_range",
    "input_layer_value_files",
    "allow_fp16",
    "require_full_delegation",
    "enable_op_profiling",
    "op_profiling_output_mode",
    "op_profiling_output_file",
    "max_profiling_buffer_entries",
    "allow_dynamic_profiling_buffer_increase",
    "profiling_output_csv_file",
    "export_model_runtime_info",
    "model_runtime_info_output_file",
    "print_preinvoke_state",
    "print_postinvoke_state",
    "release_dynamic_tensors",
    "optimize_memory_for_large_tensors",
    "disable_delegate_clustering",
    "enable_builtin_cast_constant_cache",
    "output_filepath",
    "output_proto_filepath",
    "tensor_name_display_length",
    "tensor_type_display_length",
    "alloc_type_display_length",
    "signature_to_run_for",
    "list_signatures",
    "result_file_path",
    "use_coreml",
    "coreml_version",
    "help",
    "max_delegated_partitions",
    "min_nodes_per_partition",
    "first_delegate_node_index",
    "last_delegate_node_index",
    "delegate_serialize_dir",
    "delegate_serialize_token",
    "external_delegate_path",
    "external_delegate_options",
    "use_gpu",
    "gpu_precision_loss_allowed",
    "gpu_experimental_enable_quant",
    "gpu_inference_for_sustained_speed",
    "gpu_backend",
    "gpu_wait_type",
    "use_hexagon",
    "hexagon_lib_path",
    "hexagon_profiling",
    "use_nnapi",
    "nnapi_execution_preference",
    "nnapi_execution_priority",
    "nnapi_accelerator_name",
    "disable_nnapi_cpu",
    "nnapi_allow_fp16",
    "nnapi_allow_dynamic_dimensions",
    "nnapi_use_burst_mode",
    "nnapi_support_library_path",
    "use_xnnpack",
    "xnnpack_force_fp16",
    "xnnpack_weight_cache_file_path",
    "xnnpack_runtime_flags",
    "use_ynnpack",
    "ynnpack_static_shape",
    "ynnpack_fast_math",
    "ynnpack_consistent_arithmetic",
    "ynnpack_no_excess_precision",
    "stable_delegate_settings_file",
    "stable_delegate_loader_settings",
    "stable_abi_delegate_settings_file",
};
/* Not in that list: older versions have it. */
static const char *const older[] = { "enable_platform_tracing" };

static struct capture out, errors;

/* Runs `assay bench` with one more word; what it said is in out.text and errors.text. */
static int bench(const char *const *words, size_t count)
{
    static char name[] = "bench";
    char *argv[16] = { name };
    const struct command *const c = commands_find("bench");
    int code;

    assert_true(count < 15);
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    capture_begin(&out, stdout);
    capture_begin(&errors, stderr);
    code = c->run(c, (int)count + 1, argv);
    capture_end(&errors);
    capture_end(&out);
    return code;
}

#define BENCH(...)                                                                                 \
    bench((const char *const[]){ __VA_ARGS__ }, COUNT(((const char *const[]){ __VA_ARGS__ })))

static const struct benchmark_row *find(const char *name)
{
    for (size_t i = 0; i < BENCHMARK_FLAGS; i++) {
        if (strcmp(benchmark_rows[i].name, name) == 0)
            return &benchmark_rows[i];
    }
    return NULL;
}

TEST(every_published_flag_has_a_row)
{
    for (size_t i = 0; i < COUNT(published); i++) {
        if (!find(published[i]))
            fail_msg("--%s has no row in benchmark_flags.def", published[i]);
    }
    for (size_t i = 0; i < COUNT(older); i++)
        assert_non_null(find(older[i]));
    assert_int_equal(BENCHMARK_FLAGS, COUNT(published) + COUNT(older));
    for (size_t i = 0; i < BENCHMARK_FLAGS; i++)
        assert_true(benchmark_rows[i].deed == BENCHMARK_SAME || *benchmark_rows[i].text);
}

/* A value of the kind that is on, or off. */
static const char *value(const struct benchmark_row *row, bool on)
{
    switch (row->kind) {
    case BENCHMARK_BOOL: return on ? "true" : "false";
    case BENCHMARK_INT: return on ? "1" : "0";
    case BENCHMARK_FLOAT: return on ? "0.5" : "-1.0";
    case BENCHMARK_TEXT: break;
    }
    return on ? "text" : "";
}

/* Flags are read before the model: without one the error is that, unless a flag was refused. */
TEST(every_flag_is_read_in_its_form)
{
    char word[128], says[512];

    for (size_t i = 0; i < BENCHMARK_FLAGS; i++) {
        const struct benchmark_row *const row = &benchmark_rows[i];

        if (row->deed == BENCHMARK_SAME)
            continue;
        snprintf(word, sizeof word, "--%s=%s", row->name, value(row, false));
        if (BENCH(word) != EXIT_USAGE || !strstr(errors.text, "assay: bench: no model"))
            fail_msg("%s: %s", word, errors.text);
        if (row->kind == BENCHMARK_BOOL) {
            snprintf(word, sizeof word, "--%s=yes", row->name);
            snprintf(says, sizeof says, "assay: bench: --%s=yes: expected true, false, 1 or 0\n",
                     row->name);
            assert_int_equal(BENCH(word), EXIT_USAGE);
            assert_string_equal(errors.text, says);
        } else if (row->kind != BENCHMARK_TEXT) {
            snprintf(word, sizeof word, "--%s=1x", row->name);
            assert_int_equal(BENCH(word), EXIT_USAGE);
            snprintf(says, sizeof says, "--%s=1x: expected a %snumber\n", row->name,
                     row->kind == BENCHMARK_INT ? "whole " : "");
            assert_non_null(strstr(errors.text, says));
        }
        snprintf(word, sizeof word, "--%s=%s", row->name, value(row, true));
        assert_int_equal(BENCH(word), EXIT_USAGE);
        if (row->deed == BENCHMARK_NOTHING && !strstr(errors.text, "assay: bench: no model"))
            fail_msg("%s: %s", word, errors.text);
        snprintf(says, sizeof says, "assay: bench: %s: %s\n", word, row->text);
        if (row->deed == BENCHMARK_REFUSED)
            assert_string_equal(errors.text, says);
    }
}

TEST(help_names_every_flag)
{
    char word[64];

    assert_int_equal(BENCH("--help"), EXIT_AS_EXPECTED);
    for (size_t i = 0; i < BENCHMARK_FLAGS; i++) {
        snprintf(word, sizeof word, "--%s", benchmark_rows[i].name);
        if (!strstr(out.text, word))
            fail_msg("%s is not in the help", word);
    }
    for (const char *line = out.text; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 80);
}

/* ---- what aliases do ---- */

static struct benchmark_flags flags;
static struct bench_request q;

static const char *apply(const char *delegate)
{
    static struct diag diag;

    diag = (struct diag){ .status = STATUS_OK };
    q = (struct bench_request){ .delegate = delegate };
    flags.options = (struct string_list){ NULL, 0 };
    benchmark_flags_apply(&flags, &q, &diag);
    return diag.text;
}

static void reset(void)
{
    benchmark_flags_close(&flags);
    flags = (struct benchmark_flags){ .steps_path = NULL };
}

TEST(gpu_flags_are_options_of_ours)
{
    static const char *const expected[] = { "precision=fp16", "enable_quantization=0",
                                            "wait=active",    "max_partitions=0",
                                            "min_nodes=2",    "first_node=1",
                                            "last_node=9",    "serialization_dir=d",
                                            "model_token=t" };

    reset();
    flags.values[BENCHMARK_use_gpu] = "true";
    flags.values[BENCHMARK_gpu_precision_loss_allowed] = "1";
    flags.values[BENCHMARK_gpu_experimental_enable_quant] = "false";
    flags.values[BENCHMARK_gpu_wait_type] = "active";
    flags.values[BENCHMARK_max_delegated_partitions] = "0";
    flags.values[BENCHMARK_min_nodes_per_partition] = "2";
    flags.values[BENCHMARK_first_delegate_node_index] = "1";
    flags.values[BENCHMARK_last_delegate_node_index] = "9";
    flags.values[BENCHMARK_delegate_serialize_dir] = "d";
    flags.values[BENCHMARK_delegate_serialize_token] = "t";
    assert_string_equal(apply(NULL), "");
    assert_null(q.delegate);
    assert_int_equal(q.delegate_options.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(q.delegate_options.items[i], expected[i]);
    flags.values[BENCHMARK_delegate_serialize_token] = "";
    assert_string_equal(apply(NULL), "--delegate_serialize_dir and --delegate_serialize_token go "
                                     "together");
    /* Without a GPU they are without effect, as there. */
    flags.values[BENCHMARK_use_gpu] = "false";
    assert_string_equal(apply(NULL), "");
    assert_string_equal(q.delegate, "none");
    assert_int_equal(q.delegate_options.count, 0);
    reset();
}

TEST(external_delegates_have_their_options)
{
    reset();
    flags.values[BENCHMARK_external_delegate_path] = "lib.so";
    flags.values[BENCHMARK_external_delegate_options] = "a:1;path:x:y;";
    flags.values[BENCHMARK_gpu_precision_loss_allowed] = "true";
    flags.values[BENCHMARK_use_gpu] = "false";
    assert_string_equal(apply(NULL), "");
    assert_string_equal(q.delegate, "lib.so");
    assert_int_equal(q.delegate_options.count, 2);
    assert_string_equal(q.delegate_options.items[0], "a=1");
    assert_string_equal(q.delegate_options.items[1], "path=x:y");
    assert_string_equal(apply("other.so"),
                        "expected one of --subject, --delegate, --external_delegate_path and "
                        "--use_gpu=true, found 2");
    flags.values[BENCHMARK_external_delegate_options] = "a";
    assert_string_equal(apply(NULL), "--external_delegate_options: expected KEY:VALUE, found a");
    reset();
}

TEST(the_rest_reaches_the_request)
{
    reset();
    flags.values[BENCHMARK_num_threads] = "4";
    flags.values[BENCHMARK_run_delay] = "0.25";
    flags.values[BENCHMARK_run_frequency] = "-1.0";
    flags.values[BENCHMARK_dry_run] = "1";
    flags.values[BENCHMARK_require_full_delegation] = "true";
    flags.values[BENCHMARK_profiling_output_csv_file] = "steps.csv";
    flags.values[BENCHMARK_output_filepath] = "outputs";
    flags.values[BENCHMARK_input_layer] = "a,b";
    flags.values[BENCHMARK_input_layer_shape] = "1,2:3";
    flags.values[BENCHMARK_input_layer_value_range] = "b,0,9";
    assert_string_equal(apply(NULL), "");
    assert_int_equal(q.num_threads, 4);
    assert_true(q.run_delay == 0.25 && q.run_frequency <= 0 && q.dry_run && q.profile);
    assert_true(flags.require_full_delegation);
    assert_string_equal(flags.steps_path, "steps.csv");
    assert_string_equal(q.outputs_path, "outputs");
    assert_int_equal(q.inputs.count, 2);
    assert_int_equal(q.inputs.items[1].high, 9);
    flags.values[BENCHMARK_num_threads] = "-1";
    flags.values[BENCHMARK_op_profiling_output_mode] = "proto";
    assert_non_null(strstr(apply(NULL), "expected stdout or csv"));
    flags.values[BENCHMARK_op_profiling_output_mode] = "csv";
    assert_non_null(strstr(apply(NULL), "go together"));
    flags.values[BENCHMARK_op_profiling_output_mode] = NULL;
    assert_string_equal(apply(NULL), "");
    assert_int_equal(q.num_threads, 0);
    reset();
}

/* ---- what does not go together ---- */

TEST(contradictions_are_refused)
{
    static const struct {
        const char *words[3], *says;
    } rows[] = {
        { { "a.tflite", "--graph=b.tflite" },
          "expected one model, found a.tflite and --graph=b.tflite" },
        { { "a.tflite", "--min_secs=10", "--max_secs=1" },
          "--min_secs=10 is more than "
          "--max_secs=1" },
        { { "a.tflite", "--min_secs=1e7", "" },
          "--min_secs=1e7: expected a number from 0 to "
          "1000000" },
        { { "a.tflite", "--max-regression=5%", "" }, "--max-regression: of what?" },
        { { "a.tflite", "--compare-to=x", "--max-regression=5" },
          "expected a percentage, such as "
          "5%" },
        { { "a.tflite", "--versus=none", "--dry_run=1" }, "measures no inference" },
        { { "a.tflite", "--out=/nowhere/at/all", "" }, "/nowhere/at/all: No such file" },
        { { "a.tflite", "--format=junit", "" }, "expected one of text, json, csv" },
        { { "a.tflite", "--threads=0", "" }, "expected a whole number from 1 to 256" },
    };

    bench_kit_open(NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t count = rows[i].words[2] && *rows[i].words[2] ? 3 : 2;

        assert_int_equal(bench(rows[i].words, count), EXIT_USAGE);
        if (!strstr(errors.text, rows[i].says))
            fail_msg("row %zu: %s", i, errors.text);
    }
    /* A default gives way to --max_secs. */
    assert_int_equal(
        BENCH(bench_kit_model, "--max_secs=0.05", "--num_runs=1", "--delegate=none", "--no-starts"),
        EXIT_AS_EXPECTED);
    assert_int_equal(BENCH(bench_kit_model, "--max_secs=0.05", "--num_runs=1", "--use_gpu=false",
                           "--no-starts", "--require_full_delegation=true"),
                     EXIT_FAILED);
    assert_non_null(strstr(errors.text, "3 of 3 nodes are left to the CPU"));
}
