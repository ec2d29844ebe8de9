/* Threads of a start: each job is done once whatever the cores are, none is left, weights that
 * several threads pack have the bytes that one thread packs, and a section of a file that several
 * threads read is the one that was written.  Needs no device. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/thread_kit.h"

#include "delegate/base/parallel.h"
#include "delegate/cache/section.h"
#include "delegate/plan/packing.h"
#include "delegate/shaders/spirv.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* ---- jobs ---- */

enum { JOBS = 100 };
static atomic_int done[JOBS];
static atomic_int inside, most_inside, with_signals;

static void one_job(void *user, size_t i)
{
    const int now = atomic_fetch_add(&inside, 1) + 1;
    int most = atomic_load(&most_inside);
    sigset_t blocked;

    while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now))
        ;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (!pthread_equal(*(pthread_t *)user, pthread_self()) && !sigismember(&blocked, SIGUSR1))
        atomic_fetch_add(&with_signals, 1);
    usleep(500);
    atomic_fetch_add(&done[i], 1);
    atomic_fetch_sub(&inside, 1);
}

TEST(each_job_once)
{
    static const struct {
        size_t cores, count, most;
        int threads; /* that can run at the same time */
    } rows[] = { { 1, JOBS, JOBS, 1 }, { 2, JOBS, JOBS, 2 },   { 4, JOBS, 3, 3 },
                 { 4, JOBS, 0, 1 },    { 64, JOBS, JOBS, 16 }, { 4, 0, 4, 0 },
                 { 4, 1, 4, 1 },       { 8, 2, (size_t)-1, 2 } };
    pthread_t self = pthread_self();
    int before;

    parallel_pretend_cores(4);
    parallel_run(4, 4, one_job, &self); /* ThreadSanitizer has a thread of its own from now on */
    before = kit_count_threads();
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (size_t i = 0; i < JOBS; i++)
            atomic_store(&done[i], 0);
        atomic_store(&most_inside, 0);
        parallel_pretend_cores(rows[r].cores);
        parallel_run(rows[r].count, rows[r].most, one_job, &self);
        assert_int_equal(atomic_load(&inside), 0);
        parallel_pretend_cores(0);
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(atomic_load(&done[i]), i < rows[r].count);
        assert_true(atomic_load(&most_inside) <= rows[r].threads);
        if (rows[r].count == JOBS && rows[r].threads > 1)
            assert_true(atomic_load(&most_inside) > 1);
        kit_expect_threads(before);
    }
    assert_int_equal(atomic_load(&with_signals), 0);
    assert_true(parallel_cores() >= 1);
}

TEST(copies)
{
    static const size_t sizes[] = { 0, 1, 1 << 18, (1 << 18) + 1, 5 << 18, (9 << 18) - 3 };
    uint8_t *const from = malloc(10 << 18), *const to = malloc(10 << 18);

    assert_true(from && to);
    for (size_t i = 0; i < 10 << 18; i++)
        from[i] = (uint8_t)(i * 131 >> 7);
    parallel_pretend_cores(4);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        memset(to, 0xee, 10 << 18);
        parallel_copy(to, from, sizes[s]);
        assert_memory_equal(to, from, sizes[s]);
        assert_int_equal(to[sizes[s]], 0xee);
    }
    parallel_pretend_cores(0);
    free(from);
    free(to);
}

static atomic_int ran;

static void run(void)
{
    atomic_fetch_add(&ran, 1);
}

TEST(beside)
{
    const int before = kit_count_threads();
    struct background b;

    parallel_pretend_cores(1);
    background_start(&b, run);
    background_join(&b);
    assert_int_equal(atomic_load(&ran), 0);
    parallel_pretend_cores(2);
    background_start(&b, run);
    background_join(&b);
    background_join(&b);
    assert_int_equal(atomic_load(&ran), 1);
    background_start(&b, NULL);
    background_join(&b);
    background_start(&b, spirv_prepare);
    background_join(&b);
    assert_true(spirv_is_prepared());
    parallel_pretend_cores(0);
    kit_expect_threads(before);
}

/* ---- weights ---- */

static const struct packing_shape shapes[] = {
    { 1, 1, 1, 1 },       { 5, 1, 3, 3 },      { 16, 1, 16, 16 },     { 17, 9, 15, 15 },
    { 33, 4, 18, 32 },    { 64, 1, 700, 700 }, { 1001, 1, 130, 130 }, { 3, 25, 1, 4 },
    { 2, 1, 5000, 5000 }, { 31, 49, 40, 40 },  { 2, 1, 5000, 5000 }
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static float expected(const struct graph *g, int t, const struct packing_shape *w, size_t at)
{
    const size_t pitch = ((size_t)w->outputs + 3) / 4 * 4;
    const size_t o = at % pitch, i = at / pitch % w->depth, k = at / pitch / w->depth;

    return o < w->outputs && i < w->inputs
               ? graph_constant_float(g, t, (o * w->taps + k) * w->inputs + i)
               : 0;
}

static void check_weights(const struct planner *p, const struct packed packed[SHAPES])
{
    for (int t = 0; t < SHAPES; t++) {
        const uint8_t *const base = p->plan->constants + packed[t].offset;
        const size_t size = packed[t].half ? 2 : 4;

        for (size_t i = 0; i < packed[t].bytes / size; i++) {
            const float right = expected(p->graph, t, &shapes[t], i);
            const uint16_t half = float_to_half(right);

            if (memcmp(base + i * size, packed[t].half ? (const void *)&half : &right, size) != 0)
                fail_msg("weights %d: element %zu is wrong", t, i);
        }
    }
}

/* The tensors: f32, but the last three are f16, i8 with a scale for each output, and an f32 one
 * that a DEQUANTIZE has made of the f16 one. */
static void pack(bool half, size_t cores)
{
    const struct gpu_options options = { .precision = half ? PRECISION_FP16 : PRECISION_FP32 };
    const struct device_limits limits = gpu_large_limits();
    struct graph_tensor tensors[SHAPES] = { 0 };
    const struct graph graph = { .tensors = tensors, .tensor_count = SHAPES };
    struct diag diag = { 0 };
    struct plan plan CLOSED_BY(plan_close) = { .half = half };
    struct planner p = {
        .plan = &plan, .graph = &graph, .options = &options, .limits = &limits, .diag = &diag
    };
    static float scales[31];
    static int32_t zeros[31];
    struct packed packed[SHAPES], bias;
    uint64_t seed = 3;

    for (int t = 0; t < SHAPES; t++) {
        const struct packing_shape *const w = &shapes[t];
        const size_t elements = (size_t)w->outputs * w->taps * w->inputs;
        float *const data = malloc(elements * sizeof *data);

        assert_non_null(data);
        for (size_t i = 0; i < elements; i++)
            data[i] = kit_float(&seed);
        tensors[t] =
            (struct graph_tensor){ .type = kTfLiteFloat32,
                                   .rank = 3,
                                   .dims = { (int)w->outputs, (int)w->taps, (int)w->inputs },
                                   .elements = elements,
                                   .data = data,
                                   .producer = -1,
                                   .dequantized_from = -1 };
    }
    for (size_t i = 0; i < tensors[SHAPES - 3].elements; i++) {
        const uint16_t h = float_to_half(kit_float(&seed));

        memcpy((char *)tensors[SHAPES - 3].data + i * sizeof h, &h, sizeof h);
    }
    tensors[SHAPES - 3].type = kTfLiteFloat16;
    for (int i = 0; i < 31; i++) {
        scales[i] = 0.25f * (float)(i + 1);
        zeros[i] = i - 15;
    }
    tensors[SHAPES - 2].type = kTfLiteInt8;
    tensors[SHAPES - 2].quant.scale = scales;
    tensors[SHAPES - 2].quant.zero_point = zeros;
    tensors[SHAPES - 2].quant.count = 31;
    tensors[SHAPES - 2].quant.inner = 49 * 40;
    tensors[SHAPES - 1].dequantized_from = SHAPES - 3;
    parallel_pretend_cores(cores);
    for (int t = 0; t < SHAPES; t++) {
        KIT_OK_DIAG(packing_weights(&p, t, &shapes[t], &packed[t]), diag);
        KIT_OK_DIAG(planner_pack_words(&p, 3, &bias), diag);
        planner_put_word(&p, &bias, 2, 7u + (unsigned)t);
    }
    packing_finish(&p);
    parallel_pretend_cores(0);
    check_weights(&p, packed);
    assert_memory_equal(plan.constants + bias.offset, ((uint32_t[]){ 0, 0, 6u + SHAPES }), 12);
    for (int t = 0; t < SHAPES; t++)
        free((void *)tensors[t].data);
}

TEST(weights_are_transposed)
{
    for (int half = 0; half < 2; half++)
        for (size_t cores = 1; cores <= 8; cores *= 2)
            pack(half, cores);
}

/* ---- sections ---- */

TEST(sections)
{
    static const size_t sizes[] = { 0, 1, (1 << 19) - 1, 1 << 19, (3 << 19) + 5, 40 << 20 };
    enum { AT = 11 };
    uint8_t *data CLOSED_BY(kit_free) = malloc(40 << 20);
    FILE *const f = tmpfile();
    const int folder = open("/", O_RDONLY | O_DIRECTORY);
    uint64_t whole;
    void *read;

    assert_true(data && f && folder >= 0);
    for (size_t i = 0; i < 40 << 20; i++)
        data[i] = (uint8_t)(i * 89 >> 9);
    assert_int_equal(fwrite(data, 1, AT, f), AT);
    assert_int_equal(fwrite(data, 1, 40 << 20, f), 40 << 20);
    assert_int_equal(fflush(f), 0);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint64_t hash;

        parallel_pretend_cores(1);
        hash = section_hash(data, sizes[s]);
        parallel_pretend_cores(8);
        assert_true(section_hash(data, sizes[s]) == hash);
        KIT_OK(section_read(&read, fileno(f), AT, sizes[s], hash, "bytes", "file", &err));
        assert_memory_equal(read, data, sizes[s]);
        mem_free(read);
        assert_int_equal(
            section_read(&read, fileno(f), AT, sizes[s], hash + 1, "bytes", "file", &err),
            STATUS_INVALID);
        mem_free(read);
        assert_string_equal(err.text, "file: checksum mismatch: bytes");
        assert_int_equal(
            section_read(&read, fileno(f), AT + 1, 40 << 20, hash, "bytes", "file", &err),
            STATUS_INVALID);
        mem_free(read);
        assert_string_equal(err.text, "file: truncated");
        assert_int_equal(section_read(&read, folder, 0, 1 << 20, hash, "bytes", "file", &err),
                         STATUS_IO);
        mem_free(read);
        assert_string_equal(err.text, "file: Is a directory");
        diag_clear(&err);
    }
    /* A damaged byte of any portion shows. */
    whole = section_hash(data, 12 << 20);
    for (size_t at = 0; at < 12 << 20; at += (12 << 20) / 23) {
        data[at] ^= 4;
        assert_true(section_hash(data, 12 << 20) != whole);
        data[at] ^= 4;
    }
    parallel_pretend_cores(0);
    fclose(f);
    close(folder);
}
