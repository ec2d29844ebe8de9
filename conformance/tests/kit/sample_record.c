#include "conformance/tests/kit/sample_record.h"

#include "conformance/util/sha256.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>

static const char *hash_of_list(struct record *r)
{
    char *text CLOSED_BY(kit_free) = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    char hex[SHA256_HEX_BYTES];

    assert_non_null(f);
    for (size_t i = 0; i < r->case_count; i++)
        fprintf(f, "%s\n", r->cases[i].name);
    fclose(f);
    sha256_hex(text, bytes, hex);
    return arena_string(&r->arena, hex);
}

static void fill_subjects(struct record *r)
{
    static const struct record_option options[] = { { "precision", "fp16" } };
    static const char sha256[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    r->device = (struct record_device){ "Device 9", "driver 1.5.2", "1.3.0" };
    r->subject_count = 2;
    r->subjects = ARENA_NEW(&r->arena, 2, struct record_subject);
    assert_non_null(r->subjects);
    r->subjects[0] = (struct record_subject){ .spec = "delegate:/opt/libx.so",
                                              .label = "libx.so",
                                              .path = "/opt/libx.so",
                                              .sha256 = sha256,
                                              .bounds = "fp32,float_view",
                                              .options = options,
                                              .device = r->device };
    r->subjects[1] = r->subjects[0];
    r->subjects[1].spec = "delegate:/opt/libx.so?precision=fp16";
    r->subjects[1].label = "libx.so precision=fp16";
    r->subjects[1].bounds = "fp16,float_view";
    r->subjects[1].option_count = 1;
}

static void fill_cases(struct record *r, size_t count)
{
    r->case_count = count;
    r->cases = ARENA_NEW(&r->arena, count, struct record_case);
    r->result_count = 2 * count;
    r->results = ARENA_NEW(&r->arena, 2 * count, struct record_result);
    assert_true(r->cases && r->results);
    for (size_t i = 0; i < count; i++) {
        char name[40];

        snprintf(name, sizeof name, "relu.f32.c%03zu", i);
        r->cases[i] = (struct record_case){ .name = arena_string(&r->arena, name),
                                            .op = "relu",
                                            .type = "f32",
                                            .version = 1,
                                            .index = i };
    }
    for (size_t i = 0; i < r->result_count; i++)
        r->results[i] = (struct record_result){ .subject = i / count,
                                                .test_case = i % count,
                                                .status = CASE_PASS,
                                                .max_abs = 0.5,
                                                .max_ulp = 1,
                                                .margin = 0.25,
                                                .bias = 0,
                                                .ms = 1.5,
                                                .bytes = 100 };
}

void sample_record_open(struct record *r, size_t case_count)
{
    *r = (struct record){ .case_count = 0 };
    r->run = (struct record_run){ .version = ASSAY_VERSION,
                                  .git = "5faf3b7",
                                  .command = "assay conformance --delegate=/opt/libx.so",
                                  .started = "2026-11-22T11:22:33Z",
                                  .host = "Linux 6.1.0 x86_64, 2 processors",
                                  .seconds = 12,
                                  .seed = 1,
                                  .timeout_s = 60,
                                  .list_count = case_count };
    fill_subjects(r);
    fill_cases(r, case_count);
    r->run.list_sha256 = hash_of_list(r);
    KIT_OK(record_index(r, &err));
}

struct record_result *sample_record_result(struct record *r, size_t subject, size_t test_case)
{
    return &r->results[subject * r->case_count + test_case];
}

void sample_record_write(const struct record *r, const char *path)
{
    FILE *const f = fopen(path, "w");

    assert_non_null(f);
    KIT_OK(record_write(r, f, &err));
    assert_int_equal(fclose(f), 0);
}
