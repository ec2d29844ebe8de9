/* HDF5 files that are made well but hold what is not read, and failures of libhdf5 in the middle of
 * a good one: each is refused with its own words.  The linker puts functions before those of
 * libhdf5, of which one fails when a test says so, also in the process that is made to read. */
/* Wrap: H5Tset_fields H5Tset_precision H5Tset_size H5Tset_ebias H5Gget_info H5Oopen */
/* Wrap: H5Lget_name_by_idx H5Pset_elink_cb H5Pget_filter2 H5Pget_chunk */
/* Wrap: H5Dget_create_plist H5Dget_space H5Sselect_hyperslab H5Dread H5Fget_file_image */
#include "reference/tests/kit/test.h"

#include "conformance/suite/golden/file.h"
#include "conformance/suite/golden/h5.h"
#include "conformance/suite/io/array_hdf5.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static char directory[] = "/tmp/assay-refusals-XXXXXX";
static char path[64];

/* ---- failures of libhdf5 ---- */

static const char *failing; /* the name of the function */

static bool fails(const char *name)
{
    return failing && strcmp(failing, name) == 0;
}

#define FAILING(type, name, parameters, arguments)                                                 \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return fails(#name) ? -1 : __real_##name arguments;                                        \
    }

FAILING(herr_t, H5Tset_fields,
        (hid_t type, size_t sign, size_t exponent, size_t exponent_bits, size_t mantissa,
         size_t mantissa_bits),
        (type, sign, exponent, exponent_bits, mantissa, mantissa_bits))
FAILING(herr_t, H5Tset_precision, (hid_t type, size_t bits), (type, bits))
FAILING(herr_t, H5Tset_size, (hid_t type, size_t bytes), (type, bytes))
FAILING(herr_t, H5Tset_ebias, (hid_t type, size_t bias), (type, bias))
FAILING(herr_t, H5Gget_info, (hid_t group, H5G_info_t *info), (group, info))
FAILING(hid_t, H5Oopen, (hid_t parent, const char *name, hid_t access), (parent, name, access))
FAILING(ssize_t, H5Lget_name_by_idx,
        (hid_t parent, const char *group, H5_index_t by, H5_iter_order_t order, hsize_t index,
         char *name, size_t room, hid_t access),
        (parent, group, by, order, index, name, room, access))
FAILING(herr_t, H5Pset_elink_cb, (hid_t list, H5L_elink_traverse_t function, void *user),
        (list, function, user))
FAILING(H5Z_filter_t, H5Pget_filter2,
        (hid_t list, unsigned index, unsigned *flags, size_t *count, unsigned *values, size_t room,
         char *name, unsigned *config),
        (list, index, flags, count, values, room, name, config))
FAILING(hid_t, H5Dget_create_plist, (hid_t set), (set))
FAILING(hid_t, H5Dget_space, (hid_t set), (set))
FAILING(herr_t, H5Sselect_hyperslab,
        (hid_t space, H5S_seloper_t how, const hsize_t *start, const hsize_t *stride,
         const hsize_t *count, const hsize_t *block),
        (space, how, start, stride, count, block))
FAILING(herr_t, H5Dread,
        (hid_t set, hid_t type, hid_t memory, hid_t file, hid_t transfer, void *data),
        (set, type, memory, file, transfer, data))

/* Says that chunks have no elements. */
int __real_H5Pget_chunk(hid_t list, int room, hsize_t *dims);
int __wrap_H5Pget_chunk(hid_t list, int room, hsize_t *dims);
int __wrap_H5Pget_chunk(hid_t list, int room, hsize_t *dims)
{
    const int rank = __real_H5Pget_chunk(list, room, dims);

    if (rank > 0 && fails("H5Pget_chunk"))
        dims[0] = 0;
    return rank;
}

/* Says how long an image is, but does not give it. */
ssize_t __real_H5Fget_file_image(hid_t file, void *image, size_t room);
ssize_t __wrap_H5Fget_file_image(hid_t file, void *image, size_t room);
ssize_t __wrap_H5Fget_file_image(hid_t file, void *image, size_t room)
{
    return image && fails("H5Fget_file_image") ? -1 : __real_H5Fget_file_image(file, image, room);
}

/* The message begins with the path, and ends in the words. */
static void expect(enum status s, const struct diag *diag, enum status wanted, const char *words)
{
    const size_t length = strlen(diag->text), end = strlen(words);

    if (s != wanted || strncmp(diag->text, path, strlen(path)) != 0 || length < end + 2 ||
        strcmp(diag->text + length - end, words) != 0 ||
        memcmp(diag->text + length - end - 2, ": ", 2) != 0)
        fail_msg("status %d and '%s', expected %d and '%s'", (int)s, diag->text, (int)wanted,
                 words);
}

/* ---- golden files ---- */

enum golden_oddity { NONE, NOT_HDF5, NOT_THERE, NO_META, META_IS_NO_GROUP, ODD_NAME, LONG_NAME };

static void write_case(hid_t file, char line[512])
{
    char hash[SHA256_HEX_BYTES];
    hid_t group;

    sha256_hex("", 0, hash);
    assert_int_equal(h5_make_group(file, "relu/f32/c5", &group, &err), STATUS_OK);
    h5_write_uint(group, "builtin_code", 1, &err);
    h5_write_uint(group, "op_version", 1, &err);
    h5_write_uint(group, "seed", 1, &err);
    h5_write_text(group, "data_set", "S0", &err);
    h5_write_text(group, "model_sha256", hash, &err);
    h5_write_text(group, "inputs_sha256", hash, &err);
    h5_close(group);
    snprintf(line, 512, "relu.f32.c5 %s %s\n", hash, hash);
}

static void write_meta(hid_t file, const char *lines)
{
    char hash[SHA256_HEX_BYTES];
    hid_t meta;

    sha256_hex(lines, strlen(lines), hash);
    assert_int_equal(h5_make_group(file, "meta", &meta, &err), STATUS_OK);
    h5_write_uint(meta, "schema", GOLDEN_SCHEMA, &err);
    h5_write_text(meta, "runtime", "itself", &err);
    h5_write_text(meta, "runtime_version", "0", &err);
    h5_write_text(meta, "resolver", "REFERENCE", &err);
    h5_write_text(meta, "cases_sha256", hash, &err);
    h5_close(meta);
}

static void write_dataset(hid_t file, const char *name)
{
    static uint8_t bytes[6] = { 1, 2, 3, 4, 5, 6 };
    const struct h5_array a = {
        .type = kTfLiteUInt8, .rank = 2, .dims = { 2, 3 }, .data = bytes, .bytes = sizeof bytes
    };

    assert_int_equal(h5_write_array(file, name, &a, &err), STATUS_OK);
}

static void save(hid_t file)
{
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    size_t count;

    assert_int_equal(h5_image_close(file, &bytes, &count, &err), STATUS_OK);
    assert_int_equal(file_write(path, bytes, count, &err), STATUS_OK);
}

static void make_golden(enum golden_oddity oddity)
{
    char line[512], name[CASE_NAME_BYTES + 1];
    hid_t file, group;

    if (oddity == NOT_HDF5) {
        assert_int_equal(file_write(path, "\x89HDF", 4, &err), STATUS_OK);
        return;
    }
    assert_int_equal(h5_image_open(&file, &err), STATUS_OK);
    write_case(file, line);
    if (oddity == META_IS_NO_GROUP)
        write_dataset(file, "meta");
    else if (oddity != NO_META)
        write_meta(file, line);
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    if (oddity == ODD_NAME || oddity == LONG_NAME) {
        KIT_OK(h5_make_group(file, oddity == ODD_NAME ? "Abs" : name, &group, &err));
        h5_close(group);
    }
    save(file);
    if (oddity == NOT_THERE)
        unlink(path);
}

static void expect_golden(enum status wanted, const char *words)
{
    struct golden_file g CLOSED_BY(golden_close);
    const enum status s = golden_open(&g, path, &err);

    if (wanted != STATUS_OK) {
        expect(s, &err, wanted, words);
    } else {
        KIT_OK(s);
        assert_int_equal(g.head.count, 1);
        assert_string_equal(g.cases[0].name, "relu.f32.c5");
    }
}

TEST(goldens_that_are_not_read)
{
    static const struct {
        enum golden_oddity oddity;
        const char *failing, *words;
    } rows[] = {
        { NOT_HDF5, NULL, "not a readable HDF5 file" },
        { NOT_THERE, NULL, "No such file or directory" },
        { NO_META, NULL, "/: no group 'meta'" },
        { META_IS_NO_GROUP, NULL, "/: 'meta' is no group, or a damaged one" },
        { ODD_NAME, NULL, "/: member 0 is named like no op" },
        { LONG_NAME, NULL, "/: the name of member 0 has 96 bytes, expected 0 to 95" },
        { NONE, "H5Lget_name_by_idx", "/: the name of member 0 has -1 bytes, expected 0 to 95" },
        { NONE, "H5Oopen", "/: 'meta' is no group, or a damaged one" },
        { NONE, "H5Gget_info", "/: the group cannot be read" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        make_golden(rows[i].oddity);
        failing = rows[i].failing;
        expect_golden(STATUS_IO, rows[i].words);
        failing = NULL;
    }
    make_golden(NONE);
    expect_golden(STATUS_OK, "");
    mem_fail_after(1); /* the cases are read */
    expect_golden(STATUS_IO, "/meta: no memory for a hash of 1 cases");
    mem_fail_after(-1);
}

/* A dataset of a golden, and one that has neither values nor a shape. */
TEST(datasets_without_a_shape)
{
    uint8_t bytes[6];
    const struct h5_array a = {
        .type = kTfLiteUInt8, .rank = 2, .dims = { 2, 3 }, .data = bytes, .bytes = sizeof bytes
    };
    const hid_t space = H5Screate(H5S_NULL);
    hid_t file, set;

    assert_int_equal(h5_image_open(&file, &err), STATUS_OK);
    write_dataset(file, "whole");
    set = H5Dcreate2(file, "null", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    h5_close(set);
    h5_close(space);
    assert_int_equal(h5_read_array(file, "/", "whole", &a, &err), STATUS_OK);
    assert_int_equal(bytes[5], 6);
    assert_int_equal(h5_read_array(file, "/", "null", &a, &err), STATUS_IO);
    assert_string_equal(err.text, "/: dataset 'null' has no type or shape");
    h5_close(file);
}

/* ---- arrays ---- */

static void make_set(hid_t file, const char *name, int rank, const hsize_t *dims, hid_t plist)
{
    const hid_t space = rank < 0 ? H5Screate(H5S_NULL) : H5Screate_simple(rank, dims, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);

    assert_true(set >= 0);
    h5_close(set);
    h5_close(space);
}

static void make_arrays(void)
{
    const hsize_t ones[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 }, length[] = { 1ULL << 31 },
                  chunk[] = { 2, 2 }, square[] = { 4, 4 };
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t file;

    assert_int_equal(h5_image_open(&file, &err), STATUS_OK);
    write_dataset(file, "whole");
    make_set(file, "null", -1, NULL, H5P_DEFAULT);
    make_set(file, "deep", COUNT(ones), ones, H5P_DEFAULT);
    make_set(file, "long", 1, length, H5P_DEFAULT);
    assert_true(H5Pset_chunk(plist, 2, chunk) >= 0 && H5Pset_deflate(plist, 1) >= 0);
    make_set(file, "packed", 2, square, plist);
    h5_close(plist);
    save(file);
}

/* Takes any array, and ends the shortage of memory here: it goes on in the process that reads. */
static enum status takes_with_memory(const void *user, const struct array *a, struct diag *diag)
{
    (void)user;
    (void)a;
    (void)diag;
    mem_fail_after(-1);
    return STATUS_OK;
}

static void expect_array(const char *name, int64_t index, enum status wanted, const char *words)
{
    const struct array_check check = { takes_with_memory, NULL };
    struct array a CLOSED_BY(array_close);
    const enum status s = hdf5_read(&a, path, name, index, &check, &err);

    if (wanted != STATUS_OK) {
        expect(s, &err, wanted, words);
        assert_null(a.data);
    } else if (s != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

TEST(arrays_that_are_not_read)
{
    static const struct {
        const char *name;
        int64_t index;
        const char *failing;
        enum status wanted;
        const char *words;
    } rows[] = {
        { "null", -1, NULL, STATUS_UNSUPPORTED, "null: no plain dataspace" },
        { "deep", -1, NULL, STATUS_UNSUPPORTED, "deep: rank 10, at most 8" },
        { "deep", 0, NULL, STATUS_UNSUPPORTED, "deep: rank 10, at most 9" },
        { "long", -1, NULL, STATUS_UNSUPPORTED, "long: dimension 0 is 2147483648" },
        { "whole", -1, "H5Pset_elink_cb", STATUS_IO, "whole: no property list: out of memory" },
        { "whole", -1, "H5Dget_create_plist", STATUS_IO, "whole: says not how it is stored" },
        { "whole", -1, "H5Dget_space", STATUS_UNSUPPORTED, "whole: no plain dataspace" },
        { "whole", 0, "H5Sselect_hyperslab", STATUS_INVALID, "cannot select index 0" },
        { "whole", -1, "H5Dread", STATUS_IO,
          "whole: cannot be read (damaged, or an unknown filter)" },
        { "packed", -1, "H5Pget_filter2", STATUS_UNSUPPORTED,
          "packed: filter -1, which is no part of libhdf5; plugins are not loaded" },
        { "packed", -1, "H5Pget_chunk", STATUS_UNSUPPORTED,
          "packed: its chunks have more than 128 MiB (limit chunk_bytes), or no elements" },
    };

    make_arrays();
    expect_array("whole", -1, STATUS_OK, "");
    expect_array("whole", 1, STATUS_OK, "");
    expect_array("packed", -1, STATUS_OK, "");
    for (size_t i = 0; i < COUNT(rows); i++) {
        failing = rows[i].failing;
        expect_array(rows[i].name, rows[i].index, rows[i].wanted, rows[i].words);
        failing = NULL;
    }
    mem_fail_after(0);
    expect_array("whole", -1, STATUS_IO, "whole: 6 bytes: out of memory");
}

TEST(files_without_arrays)
{
    hid_t file;

    assert_int_equal(h5_image_open(&file, &err), STATUS_OK);
    save(file);
    expect_array("whole", -1, STATUS_INVALID, "no dataset whole");
    assert_int_equal(file_write(path, "\x89HDF", 4, &err), STATUS_OK);
    expect_array("whole", -1, STATUS_IO, "not a readable HDF5 file");
}

/* ---- writing ---- */

/* A type that is not made whole is none: f16 values would lie in a file as others. */
TEST(halves_are_written_whole_or_not)
{
    static const char *const functions[] = { "H5Tset_fields", "H5Tset_precision", "H5Tset_size",
                                             "H5Tset_ebias" };
    static uint16_t values[8]; /* room for four values of f32, too */
    const struct array half = {
        .type = kTfLiteFloat16, .rank = 1, .dims = { 4 }, .elements = 4, .bytes = 8, .data = values
    };
    const struct array_item item = { "half", &half };
    const struct h5_array a = {
        .type = kTfLiteFloat16, .rank = 1, .dims = { 4 }, .data = values, .bytes = 8
    };
    hid_t file;

    assert_int_equal(h5_image_open(&file, &err), STATUS_OK);
    for (size_t i = 0; i < COUNT(functions); i++) {
        failing = functions[i];
        assert_int_equal(h5_write_array(file, "half", &a, &err), STATUS_NO_MEMORY);
        assert_string_equal(err.text, "HDF5 dataset 'half' cannot be made: out of memory");
        assert_int_equal(hdf5_write(path, &item, 1, &err), STATUS_UNSUPPORTED);
        assert_string_equal(err.text, "the arrays do not make an HDF5 file");
        failing = NULL;
    }
    assert_int_equal(h5_write_array(file, "half", &a, &err), STATUS_OK);
    assert_int_equal(h5_read_array(file, "/", "half", &a, &err), STATUS_OK);
    h5_close(file);
    assert_int_equal(hdf5_write(path, &item, 1, &err), STATUS_OK);
}

TEST(arrays_that_make_no_file)
{
    static uint8_t value;
    struct array a = { .type = kTfLiteUInt8, .elements = 1, .bytes = 1, .data = &value };
    const struct array_item item = { "a", &a };

    assert_int_equal(hdf5_write(path, &item, 1, &err), STATUS_OK);
    unlink(path);
    failing = "H5Fget_file_image";
    assert_int_equal(hdf5_write(path, &item, 1, &err), STATUS_UNSUPPORTED);
    failing = NULL;
    assert_string_equal(err.text, "the arrays do not make an HDF5 file");
    a.type = kTfLiteString;
    assert_int_equal(hdf5_write(path, &item, 1, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "the arrays do not make an HDF5 file");
    assert_int_equal(access(path, F_OK), -1);
}

FIXTURE(set_up)
{
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/x.h5", directory);
    h5_quiet();
    return 0;
}

/* Also after a test that has ended in the middle. */
FIXTURE(nothing_fails)
{
    failing = NULL;
    mem_fail_after(-1);
    return 0;
}

FIXTURE(tear_down)
{
    unlink(path);
    return rmdir(directory);
}

TEST_FILE(.setup = set_up, .teardown = tear_down, .each_teardown = nothing_fails);
