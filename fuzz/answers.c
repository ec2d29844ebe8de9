/* Fuzz target: what a child process that reads a file with a foreign library answers.  The file may
 * have taken it over, so its answers are as hostile as the file.  The first byte chooses who asks:
 * a golden file, an HDF5 dataset, an image, a map of labels.
 *
 * parser_start is replaced: there is no child, and its socket has the input's bytes.  A
 * run that aborts is a bug: a crash or overread, an array or image beyond what was asked for, a
 * refusal without a message. */
/* Wrap: parser_start */
#include "conformance/suite/golden/file.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/image_read.h"
#include "conformance/util/parser.h"
#include "fuzz/fuzz_file.h"
#include "reference/base/memory.h"

#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* What the linker calls for parser_start, and that itself: other targets of replay.c need it. */
enum status __real_parser_start(struct parser *p, const struct parser_job *job, struct diag *diag);
enum status __wrap_parser_start(struct parser *p, const struct parser_job *job, struct diag *diag);

enum { ANSWER_BYTES_MAX = 1 << 16, ELEMENTS_MAX = 1 << 14 };

static const uint8_t *answer;
static size_t answer_bytes;
static int other_end = -1; /* open while the parent may still send */

enum status __wrap_parser_start(struct parser *p, const struct parser_job *job, struct diag *diag)
{
    int ends[2];

    if (!answer)
        return __real_parser_start(p, job, diag);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        send(ends[1], answer, answer_bytes, MSG_NOSIGNAL) != (ssize_t)answer_bytes) {
        perror("fuzz: socketpair");
        exit(1);
    }
    shutdown(ends[1], SHUT_WR);
    other_end = ends[1];
    *p = (struct parser){ .process = { .socket = ends[0], .log = -1 },
                          .name = job->name,
                          .memory_mib = 1 };
    parser_expect(p);
    return STATUS_OK;
}

static void golden(void)
{
    struct golden_file g;
    struct diag diag = { 0 };
    float values[8];
    const struct h5_array a = {
        .type = kTfLiteFloat32, .rank = 2, .dims = { 2, 4 }, .data = values, .bytes = sizeof values
    };
    bool there;

    if (golden_open(&g, "/proc/self/exe", &diag) != STATUS_OK) {
        fuzz_expect(diag.text[0] && !g.cases, "golden: expected a message and no cases", diag.text);
        return;
    }
    for (size_t i = 0; i < g.head.count; i++)
        fuzz_expect(strchr(g.cases[i].name, '.') != NULL, "golden: expected names of cases",
                    g.cases[i].name);
    for (size_t i = 0; i < g.head.count && i < 4; i++)
        golden_read(&g, &(struct golden_place){ &g.cases[i], GOLDEN_OUTPUT, i, i & 1 }, &a, &there,
                    &diag);
    golden_close(&g);
}

/* As a reader that has use for arrays of a bounded size. */
static enum status takes(const void *user, const struct array *a, struct diag *diag)
{
    (void)user;
    if (a->elements > ELEMENTS_MAX)
        return diag_fail(diag, STATUS_MISMATCH, "too many elements");
    return STATUS_OK;
}

static void dataset(bool slice)
{
    const struct array_check check = { takes, NULL };
    struct array a;
    struct diag diag = { 0 };
    const enum status s = hdf5_read(&a, "/proc/self/exe", "x", slice ? 1 : -1, &check, &diag);

    if (s == STATUS_OK)
        fuzz_expect(a.elements <= ELEMENTS_MAX && a.rank <= ARRAY_RANK_MAX &&
                        a.bytes <= answer_bytes,
                    "HDF5: expected an array of the answer's bytes", "another");
    else
        fuzz_expect(diag.text[0] && !a.data, "HDF5: expected a message and no array", diag.text);
    array_close(&a);
}

static void image(bool labels)
{
    static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    struct image im;
    struct diag diag = { 0 };
    const enum status s = labels ? image_read_labels(&im, png, sizeof png, &diag)
                                 : image_read(&im, png, sizeof png, &diag);

    if (s == STATUS_OK)
        fuzz_expect(im.pixels && im.width >= 1 && im.height >= 1 && im.width <= IMAGE_SIDE_MAX &&
                        im.channels >= 1 && im.channels <= IMAGE_CHANNELS_MAX &&
                        (uint64_t)im.width * im.height * im.channels <= answer_bytes,
                    "image: expected one of the answer's bytes", "another");
    else
        fuzz_expect(diag.text[0] && !im.pixels, "image: expected a message and no image",
                    diag.text);
    image_close(&im);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const long long live = mem_live_bytes();

    if (size < 1)
        return 0;
    answer = data + 1;
    answer_bytes = size - 1 < ANSWER_BYTES_MAX ? size - 1 : ANSWER_BYTES_MAX;
    switch (data[0] % 5) {
    case 0: golden(); break;
    case 1: dataset(false); break;
    case 2: dataset(true); break;
    case 3: image(false); break;
    default: image(true); break;
    }
    close(other_end);
    fuzz_expect(mem_live_bytes() == live, "answers: expected all memory back", "less");
    return 0;
}
