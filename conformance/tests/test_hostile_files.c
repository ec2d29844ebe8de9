/* HDF5, JPEG and PNG files that are damaged or made to do harm: each is read, or refused with its
 * name; nothing of it reaches this process. */
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/image_read.h"
#include "conformance/suite/io/tensor_io.h"
#include "conformance/tests/kit/h5_external.h"
#include "conformance/util/clock.h"
#include "conformance/util/parser.h"
#include "conformance/util/parser_limits.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/tests/kit/test.h"

/* The API of version 1.10 under its plain names, with newer libraries too. */
#define H5_USE_110_API
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* After stdio.h: they need FILE. */
#include <jpeglib.h>
#include <png.h>

static char directory[] = "/tmp/assay-hostile-XXXXXX";
static char path[64], other[64];

static const double budget_s = 2; /* of each test that damages bytes */

/* ---- HDF5 ---- */

enum { ROWS = 40, COLUMNS = 30 };
static int32_t values[ROWS][COLUMNS];

static hid_t create(const char *name)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    /* libhdf5 2.0 writes a later format than 1.x unless it is asked. */
    assert_true(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0);
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert_true(file >= 0);
    H5Pclose(access);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return file;
}

static void write_values(hid_t file, const char *name, hid_t plist)
{
    const hsize_t dims[] = { ROWS, COLUMNS };
    const hid_t space = H5Screate_simple(2, dims, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);

    assert_true(set >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* A good file: a dataset as it is, and one in packed chunks in a group. */
static void make_good(const char *name)
{
    const hsize_t chunk[] = { 7, 11 };
    const hid_t file = create(name), plist = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    for (int i = 0; i < ROWS * COLUMNS; i++)
        values[i / COLUMNS][i % COLUMNS] = i * 1001;
    write_values(file, "plain", H5P_DEFAULT);
    assert_true(H5Pset_chunk(plist, 2, chunk) >= 0 && H5Pset_shuffle(plist) >= 0 &&
                H5Pset_deflate(plist, 4) >= 0 && H5Pset_fletcher32(plist) >= 0);
    write_values(group, "packed", plist);
    H5Lcreate_soft("/group/packed", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Pclose(plist);
    H5Fclose(file);
}

/* A shape without data: nothing of it is in the file. */
static void make_set(hid_t file, const char *name, int rank, const hsize_t *dims, hid_t plist)
{
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);

    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void make_virtual(hid_t file)
{
    const hsize_t dims[] = { ROWS, COLUMNS };
    const hid_t space = H5Screate_simple(2, dims, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);

    assert_true(H5Pset_virtual(plist, space, other, "plain", space) >= 0);
    make_set(file, "virtual", 2, dims, plist);
    H5Pclose(plist);
    H5Sclose(space);
}

/* Chunks of one filter with this number. */
static void make_filtered(hid_t file, H5Z_filter_t filter)
{
    const hsize_t dims[] = { 8 };
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);

    assert_true(H5Pset_chunk(plist, 1, dims) >= 0 &&
                H5Pset_filter(plist, filter, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0);
    make_set(file, "filtered", 1, dims, plist);
    H5Pclose(plist);
}

static void make_hostile(void)
{
    const hsize_t word[] = { 20 }, big[] = { 1U << 30 }, huge[] = { 1U << 30, 1U << 30 },
                  chunk[] = { 1U << 29 };
    const hid_t file = create(path), stored = H5Pcreate(H5P_DATASET_CREATE),
                chunked = H5Pcreate(H5P_DATASET_CREATE);

    assert_true(h5_set_external(stored, "/etc/passwd", 0, 20) >= 0);
    make_set(file, "external", 1, word, stored);
    make_set(file, "big", 1, big, H5P_DEFAULT);
    make_set(file, "huge", 2, huge, H5P_DEFAULT);
    assert_true(H5Pset_chunk(chunked, 1, chunk) >= 0);
    make_set(file, "chunk", 1, big, chunked);
    make_virtual(file);
    make_filtered(file, 32015);
    H5Lcreate_external(other, "/plain", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/elsewhere", file, "around", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/circle2", file, "circle", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/circle", file, "circle2", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(stored);
    H5Pclose(chunked);
    H5Fclose(file);
}

static void expect_refusal(const char *dataset, enum status wanted, const char *words)
{
    struct diag diag = { .status = STATUS_OK };
    struct array a;
    const enum status s = hdf5_read(&a, path, dataset, -1, NULL, &diag);

    if (s != wanted || !strstr(diag.text, words) || strncmp(diag.text, path, strlen(path)) != 0)
        fail_msg("%s: status %d and '%s', expected '%s'", dataset, (int)s, diag.text, words);
    assert_null(a.data);
}

TEST(other_files_are_not_read)
{
    make_good(other);
    make_hostile();
    expect_refusal("external", STATUS_UNSUPPORTED,
                   "external: stored outside of it, in the file '/etc/passwd'");
    expect_refusal("elsewhere", STATUS_UNSUPPORTED, "elsewhere: an external link to the file '");
    expect_refusal("around", STATUS_UNSUPPORTED, "around: an external link to the file '");
    expect_refusal("virtual", STATUS_UNSUPPORTED, "virtual: a virtual dataset");
    expect_refusal("filtered", STATUS_UNSUPPORTED, "filtered: filter 32015");
    expect_refusal("circle", STATUS_INVALID, "circle: a soft link that leads to no dataset");
    expect_refusal("dangling", STATUS_INVALID, "dangling: a soft link that leads to no dataset");
}

static enum status wants_bytes(const void *user, const struct array *a, struct diag *diag)
{
    const size_t *const bytes = user;

    return a->bytes == *bytes
               ? STATUS_OK
               : diag_fail(diag, STATUS_INVALID, "%zu bytes, expected %zu", a->bytes, *bytes);
}

/* The most memory that the process, or its largest child, has had. */
static long peak_kib(int whose)
{
    struct rusage usage;

    assert_int_equal(getrusage(whose, &usage), 0);
    return usage.ru_maxrss;
}

TEST(sizes_are_compared_before_memory_is_taken)
{
    const size_t wanted = 10;
    const struct array_check check = { wants_bytes, &wanted };
    const long before = peak_kib(RUSAGE_SELF);
    struct array a;

    make_good(other);
    make_hostile();
    expect_refusal("huge", STATUS_UNSUPPORTED, "huge: more than 1024 MiB");
    expect_refusal("chunk", STATUS_UNSUPPORTED, "chunk: its chunks have more than 128 MiB");
    assert_int_equal(hdf5_read(&a, path, "big", -1, &check, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "big: 1073741824 bytes, expected 10"));
    if (parser_limits_memory()) {
        assert_true(peak_kib(RUSAGE_SELF) - before < 100 << 10);
        assert_true(peak_kib(RUSAGE_CHILDREN) < before + (100 << 10));
    }
}

/* A tensor's shape decides, through the name that `assay run` takes. */
TEST(tensors_are_not_filled_by_larger_files)
{
    char place[128];
    float data[4];
    TfLiteIntArray *dims CLOSED_BY(kit_free) = calloc(1, sizeof *dims + sizeof(int));
    TfLiteTensor t = { .type = kTfLiteFloat32, .dims = dims, .bytes = sizeof data };

    dims->size = 1;
    dims->data[0] = 4;
    t.data.f = data;
    make_good(other);
    make_hostile();
    snprintf(place, sizeof place, "%s:big", path);
    assert_int_equal(tensor_load(&t, place, (struct pixel_scale){ 0, 1 }, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "array u8 [1073741824] for the tensor f32 [4]"));
}

TEST(what_is_no_file_is_refused)
{
    struct array a;
    char pipe[80];

    snprintf(pipe, sizeof pipe, "%s/pipe.h5", directory);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(hdf5_read(&a, pipe, "x", -1, NULL, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "pipe.h5: a named pipe, expected a regular file"));
    unlink(pipe);
    assert_int_equal(hdf5_read(&a, directory, "x", -1, NULL, &err), STATUS_IO);
    assert_int_equal(hdf5_read(&a, "/nowhere/a.h5", "x", -1, NULL, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "No such file"));
}

TEST(good_files_are_read)
{
    static const char *const names[] = { "plain", "group/packed", "soft" };
    struct array a;

    make_good(path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        KIT_OK(hdf5_read(&a, path, names[i], -1, NULL, &err));
        assert_int_equal(a.type, kTfLiteInt32);
        assert_int_equal(a.bytes, sizeof values);
        assert_memory_equal(a.data, values, sizeof values);
        array_close(&a);
    }
}

/* ---- damage ---- */

/* Bytes, each in turn changed to a few values: far apart ones first, so that a budget of time
 * reaches all parts. */
enum { TURNS_MIN = 21 }; /* also where the time is up before */
struct damage {
    uint8_t *bytes;
    size_t count, step, at, turn;
    uint8_t original;
    double until_s;
};

static void damage_begin(struct damage *d, uint8_t *bytes, size_t count)
{
    static const size_t prime = 7919;

    *d = (struct damage){ .bytes = bytes,
                          .count = count,
                          .step = count % prime ? prime : 1,
                          .until_s = clock_s() + budget_s };
    d->original = bytes[0];
}

static bool damage_next(struct damage *d)
{
    static const uint8_t masks[] = { 0xff, 0x01, 0x80, 0x10 };

    d->bytes[d->at] = d->original;
    if ((clock_s() > d->until_s && d->turn >= TURNS_MIN) || d->turn == d->count * sizeof masks)
        return false;
    d->at = (d->turn % d->count) * d->step % d->count;
    d->original = d->bytes[d->at];
    d->bytes[d->at] ^= masks[d->turn++ / d->count];
    return true;
}

/* Reads it; the status and message are one another's. */
static enum status read_damaged(const char *dataset)
{
    const size_t wanted = sizeof values;
    const struct array_check check = { wants_bytes, &wanted };
    struct diag diag = { .status = STATUS_OK };
    struct array a CLOSED_BY(array_close);
    const enum status s = hdf5_read(&a, path, dataset, -1, &check, &diag);

    if (s == STATUS_OK) {
        assert_int_equal(a.bytes, sizeof values);
    } else {
        assert_true(s == STATUS_INVALID || s == STATUS_UNSUPPORTED || s == STATUS_IO);
        assert_int_equal(diag.status, s);
        assert_int_equal(strncmp(diag.text, path, strlen(path)), 0);
        assert_null(a.data);
    }
    return s;
}

TEST(damaged_hdf5_files_are_read_or_refused)
{
    const struct parser_limits before = parser_limits;
    struct damage d;
    uint8_t *bytes;
    size_t count, seen[STATUS_COUNT] = { 0 };

    parser_limits.cpu_s = 1; /* some make the library go round for ever */
    make_good(other);
    assert_int_equal(file_read(other, 1 << 20, &bytes, &count, &err), STATUS_OK);
    damage_begin(&d, bytes, count);
    while (damage_next(&d)) {
        assert_int_equal(file_write(path, bytes, count, &err), STATUS_OK);
        seen[read_damaged("plain")]++;
        seen[read_damaged("group/packed")]++;
    }
    assert_true(seen[STATUS_OK] > 0);
    assert_true(seen[STATUS_IO] + seen[STATUS_INVALID] > 0);
    mem_free(bytes);
    parser_limits = before;
}

static void put_address(uint8_t *at, uint64_t address)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(address >> (8 * i));
}

static uint64_t get_address(const uint8_t *at)
{
    uint64_t address = 0;

    for (int i = 7; i >= 0; i--)
        address = address << 8 | at[i];
    return address;
}

/* The places of B-trees in a file of the earliest format; returns how many, at most room. */
static size_t find_trees(const uint8_t *bytes, size_t count, size_t *places, size_t room)
{
    size_t found = 0;

    for (size_t i = 0; i + 80 < count && found < room; i += 8) {
        if (memcmp(bytes + i, "TREE", 4) == 0)
            places[found++] = i;
    }
    return found;
}

/* A tree whose first child is the tree itself: libhdf5 1.10 goes down until its stack ends. */
TEST(trees_in_a_circle_are_errors)
{
    enum { KIND = 4, LEVEL = 5, FIRST_KEY = 24, KEY_OF_GROUP = 8, KEY_OF_CHUNK = 8 + 3 * 8 };
    size_t places[8], count, trees;
    uint8_t *bytes CLOSED_BY(kit_mem_free);

    make_good(other);
    assert_int_equal(file_read(other, 1 << 20, &bytes, &count, &err), STATUS_OK);
    trees = find_trees(bytes, count, places, 8);
    assert_true(trees >= 2);
    for (size_t i = 0; i < trees; i++) {
        uint8_t *const tree = bytes + places[i], *const child =
                                                     tree + FIRST_KEY +
                                                     (tree[KIND] ? KEY_OF_CHUNK : KEY_OF_GROUP);
        const uint64_t before = get_address(child);

        tree[LEVEL] = 1;
        put_address(child, places[i]);
        assert_int_equal(file_write(path, bytes, count, &err), STATUS_OK);
        assert_int_not_equal(read_damaged("group/packed"), STATUS_OK);
        tree[LEVEL] = 0;
        put_address(child, before);
    }
}

/* Every address in the file in turn leads to the root group, and to each tree: libhdf5 1.10 follows
 * continuations of an object header to the header itself for ever. */
TEST(addresses_in_a_circle_are_errors)
{
    static const uint64_t root = 96;
    const struct parser_limits before = parser_limits;
    const double until_s = clock_s() + 2 * budget_s;
    size_t places[8] = { root }, count, targets;
    uint8_t *bytes;

    parser_limits.cpu_s = 1;
    make_good(other);
    assert_int_equal(file_read(other, 1 << 20, &bytes, &count, &err), STATUS_OK);
    targets = 1 + find_trees(bytes, count, places + 1, 7);
    for (size_t t = 0; t < targets; t++) {
        for (size_t at = 0; at + 8 <= count && clock_s() < until_s; at += 8) {
            const uint64_t address = get_address(bytes + at);

            if (address == 0 || address >= count)
                continue;
            put_address(bytes + at, places[t]);
            assert_int_equal(file_write(path, bytes, count, &err), STATUS_OK);
            read_damaged("plain");
            read_damaged("group/packed");
            put_address(bytes + at, address);
        }
    }
    mem_free(bytes);
    parser_limits = before;
}

/* ---- images ---- */

enum { WIDTH = 40, HEIGHT = 24 };

static uint8_t *make_jpeg(size_t *count, bool progressive)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    JSAMPLE row[WIDTH * 3];
    JSAMPROW rows = row;

    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &bytes, &size);
    c.image_width = WIDTH;
    c.image_height = HEIGHT;
    c.input_components = 3;
    c.in_color_space = JCS_RGB;
    jpeg_set_defaults(&c);
    if (progressive)
        jpeg_simple_progression(&c);
    jpeg_start_compress(&c, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH * 3; x++)
            row[x] = (JSAMPLE)(x * 5 + y * 9);
        jpeg_write_scanlines(&c, &rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    *count = size;
    return bytes;
}

static uint8_t *make_png(size_t *count)
{
    png_image im = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB
    };
    uint8_t pixels[WIDTH * HEIGHT * 3], *bytes;
    png_alloc_size_t size = 0;

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 3);
    assert_true(png_image_write_to_memory(&im, NULL, &size, 0, pixels, 0, NULL));
    bytes = malloc(size);
    assert_true(png_image_write_to_memory(&im, bytes, &size, 0, pixels, 0, NULL));
    *count = size;
    return bytes;
}

static void damage_image(uint8_t *bytes, size_t count)
{
    const struct parser_limits before = parser_limits;
    size_t bad = 0, good = 0;
    struct damage d;

    parser_limits.cpu_s = 2;
    damage_begin(&d, bytes, count);
    while (damage_next(&d)) {
        struct diag diag = { .status = STATUS_OK };
        struct image im CLOSED_BY(image_close);
        const enum status s = image_read(&im, bytes, count, &diag);

        if (s == STATUS_OK) {
            assert_non_null(im.pixels);
            good++;
        } else {
            assert_true(s == STATUS_INVALID || s == STATUS_UNSUPPORTED || s == STATUS_IO);
            assert_true(diag.text[0] != '\0');
            assert_null(im.pixels);
            bad++;
        }
    }
    assert_true(bad > 0);
    assert_true(good + bad >= TURNS_MIN);
    parser_limits = before;
    free(bytes);
}

TEST(damaged_images_are_read_or_refused)
{
    uint8_t *bytes;
    size_t count;

    bytes = make_jpeg(&count, false);
    damage_image(bytes, count);
    bytes = make_jpeg(&count, true);
    damage_image(bytes, count);
    bytes = make_png(&count);
    damage_image(bytes, count);
}

/* The frame header of a JPEG: FF C0 or FF C2, length, 8 bits, height, width. */
static void set_jpeg_size(uint8_t *bytes, size_t count, unsigned height, unsigned width)
{
    for (size_t i = 0; i + 9 < count; i++) {
        if (bytes[i] == 0xff && (bytes[i + 1] == 0xc0 || bytes[i + 1] == 0xc2)) {
            bytes[i + 5] = (uint8_t)(height >> 8);
            bytes[i + 6] = (uint8_t)height;
            bytes[i + 7] = (uint8_t)(width >> 8);
            bytes[i + 8] = (uint8_t)width;
            return;
        }
    }
    fail();
}

static void expect_image(const uint8_t *bytes, size_t count, const char *words)
{
    struct diag diag = { .status = STATUS_OK };
    struct image im;

    assert_int_not_equal(image_read(&im, bytes, count, &diag), STATUS_OK);
    if (!strstr(diag.text, words))
        fail_msg("'%s', expected '%s'", diag.text, words);
    assert_null(im.pixels);
}

/* qemu-user has no limit of memory for the program that it runs. */
static bool memory_can_be_limited(void)
{
    const pid_t child = parser_limits_memory() ? fork() : -1;
    int status = 1;

    if (child == 0) {
        setrlimit(RLIMIT_AS, &(struct rlimit){ 1, 1 });
        _exit(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(huge_images_are_refused)
{
    const struct parser_limits before = parser_limits;
    const long peak = peak_kib(RUSAGE_SELF);
    uint8_t *bytes;
    size_t count;

    bytes = make_jpeg(&count, true);
    set_jpeg_size(bytes, count, 65500, 65500);
    expect_image(bytes, count, "JPEG: 65500x65500: at most 32768 a side");
    if (memory_can_be_limited()) {
        parser_limits.memory_mib = 16;
        set_jpeg_size(bytes, count, 4000, 4000);
        expect_image(bytes, count, "libjpeg needs more than 16 MiB of memory to read it");
    }
    free(bytes);
    parser_limits = before;
    bytes = make_png(&count);
    bytes[16] = bytes[20] = 0x7f; /* width and height, whose checksum is then wrong */
    expect_image(bytes, count, "PNG: ");
    free(bytes);
    if (parser_limits_memory())
        assert_true(peak_kib(RUSAGE_SELF) - peak < 100 << 10);
}

/* ---- */

FIXTURE(make_directory)
{
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/a.h5", directory);
    snprintf(other, sizeof other, "%s/b.h5", directory);
    return 0;
}

FIXTURE(remove_directory)
{
    unlink(path);
    unlink(other);
    return rmdir(directory);
}

TEST_FILE(.setup = make_directory, .teardown = remove_directory);
