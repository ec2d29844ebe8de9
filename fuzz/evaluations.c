/* Fuzz target: files of `assay eval`.  The first byte chooses: annotations and detections of COCO
 * in JSON, with a zero byte between them; the answers so far of --resume; or lists of labels and of
 * ground truth.
 *
 * A run that aborts is a bug: a crash or overread, an index out of its list, a score beyond 1, a
 * refusal without a message. */
#include "conformance/tools/eval/coco_files.h"
#include "conformance/tools/eval/eval_log.h"
#include "conformance/tools/eval/imagenet_truth.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/kit/folder.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES_MAX = 4, CATEGORIES_SMALL = 64 };

/* ---- COCO ---- */

static void score(const struct coco_truth *t, const struct coco_detections *d)
{
    const struct coco_input input = { t->image_count,  t->category_count, t->objects,
                                      t->object_count, d->items,          d->count };
    struct coco_matches *m;
    struct coco_score mean;
    struct diag diag = { 0 };

    if (coco_match(&m, &input, &diag) != STATUS_OK)
        return;
    if (coco_score(m, &mean, NULL, &diag) == STATUS_OK)
        fuzz_expect(isnan(mean.ap50) || (mean.ap50 >= 0 && mean.ap50 <= 1.000001),
                    "COCO: expected a precision of 0 to 1", "another");
    coco_matches_close(m);
}

static void coco(const char *truth, const char *found)
{
    struct coco_truth t;
    struct coco_detections d = { 0 };
    struct diag diag = { 0 };
    enum status s = coco_truth_read(&t, truth, &diag);

    fuzz_expect(s == STATUS_OK || diag.text[0], "COCO: expected a message", "none");
    for (size_t i = 0; s == STATUS_OK && i < t.object_count; i++)
        fuzz_expect(t.objects[i].image < t.image_count && t.objects[i].category < t.category_count,
                    "COCO: expected objects of images and categories that are listed", "others");
    if (s == STATUS_OK) {
        s = coco_detections_read(&d, &t, found, &diag);
        fuzz_expect(s == STATUS_OK || diag.text[0], "COCO: expected a message", "none");
        for (size_t i = 0; i < d.count; i++)
            fuzz_expect(d.items[i].image < t.image_count && d.items[i].category < t.category_count,
                        "COCO: expected detections of what is listed", "others");
        if (s == STATUS_OK && t.category_count <= CATEGORIES_SMALL)
            score(&t, &d);
        coco_detections_close(&d);
    }
    coco_truth_close(&t);
}

/* ---- lists ---- */

/* Three images, of which only names are read. */
static void make_images(void)
{
    static bool are_made;

    if (!are_made) {
        fuzz_folder_write("a.png", "", 0);
        fuzz_folder_write("b.png", "", 0);
        fuzz_folder_write("c.png", "", 0);
    }
    are_made = true;
}

static void lists(unsigned kind, char files[FILES_MAX][64])
{
    const struct imagenet_files f = { .images = fuzz_folder(),
                                      .ground_truth = files[0],
                                      .labels = kind & 1 ? files[1] : NULL,
                                      .names = kind & 2 ? files[2] : NULL,
                                      .denylist = kind & 4 ? files[3] : NULL,
                                      .offset = kind & 8 ? -1 : 0 };
    struct imagenet_truth t;
    struct diag diag = { 0 };
    const enum status s = imagenet_truth_open(&t, &f, "fuzz.tflite", 3, &diag);

    fuzz_expect(s == STATUS_OK || diag.text[0], "lists: expected a message", "none");
    for (size_t i = 0; s == STATUS_OK && i < t.images.count; i++)
        fuzz_expect(t.expected[i] < t.classes, "lists: expected a class of the model", "another");
    imagenet_truth_close(&t);
}

/* ---- answers so far ---- */

static enum status take(void *user, const json_t *line, struct diag *diag)
{
    (void)user;
    return line ? STATUS_OK : diag_fail(diag, STATUS_INVALID, "no line");
}

static void answers(const char *path)
{
    struct eval_log log;
    struct diag diag = { 0 };
    json_t *const key = json_pack("{s:s}", "task", "coco");
    const enum status s = eval_log_open(&log, path, key, take, NULL, &diag);

    fuzz_expect(s == STATUS_OK || diag.text[0], "answers: expected a message", "none");
    eval_log_close(&log);
    json_decref(key);
}

/* ---- one input ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file files[FILES_MAX];
    char paths[FILES_MAX][64];
    const uint8_t *at = data + 1, *const end = data + size;

    if (size < 1)
        return 0;
    for (int i = 0; i < FILES_MAX; i++) {
        const uint8_t *const zero = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        const uint8_t *const stop = zero ? zero : end;

        files[i] = fuzz_file_of(at < end ? at : end, at < end ? (size_t)(stop - at) : 0);
        memcpy(paths[i], files[i].path, sizeof paths[i]);
        at = zero ? zero + 1 : end;
    }
    make_images();
    if (data[0] < 64)
        coco(paths[0], paths[1]);
    else if (data[0] < 128)
        answers(paths[0]);
    else
        lists(data[0], paths);
    for (int i = 0; i < FILES_MAX; i++)
        fuzz_file_close(&files[i]);
    return 0;
}
