/* Starts of assay bench, each in a process of its own, with the caches of drivers in directories of
 * ours that are empty at first: Mesa's (MESA_SHADER_CACHE_DIR), NVIDIA's
 * (__GL_SHADER_DISK_CACHE_PATH), and of others that keep theirs in XDG_CACHE_HOME or HOME.
 *
 *     cold        an empty directory
 *     warm        the same directory again, several times
 *     serialized  an empty directory each time, and the delegate's serialization_dir: empty at the
 *                 first start, kept for the second; so what the second saves is the delegate's. */
#include "conformance/tools/bench/bench.h"

#include "conformance/tools/bench/bench_session.h"
#include "conformance/util/clock.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/process.h"
#include "conformance/util/progress.h"
#include "conformance/util/watched.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SECOND_STARTS = 3 }; /* of which the median is reported */
enum { STARTS = 1 + BENCH_WARM_STARTS + 1 + SECOND_STARTS };
enum { WARM_SECS_MAX = 10 }; /* for all warm starts together */

static void read_parts(struct bench_start *r, const struct session *s)
{
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };

    if (!s->delegate || !s->subject.extras.get_stats ||
        s->subject.extras.get_stats(s->delegate, &stats) != 0 || stats.init_ms <= 0)
        return;
    r->has_parts = true;
    r->own_ms = stats.init_ms - stats.instance_ms - stats.device_ms;
    r->instance_ms = stats.instance_ms;
    r->enumerate_ms = stats.enumerate_ms;
    r->device_ms = stats.device_ms;
    r->plan_ms = stats.plan_ms;
    r->serialize_ms = stats.serialize_ms;
    r->upload_ms = stats.upload_ms;
    r->pipelines_ms = stats.pipelines_ms;
    r->driver_ms = stats.enumerate_ms + stats.driver_ms;
    r->serialized_found = stats.serialized_found;
    r->serialized_written = stats.serialized_written;
    r->serialized_failed = stats.serialized_failed;
    r->serialized_bytes = stats.serialized_bytes;
}

struct errand {
    const struct bench_request *request;
    const struct subject_option *option;
};

static void serve(int socket, void *user)
{
    const struct errand *const e = user;
    struct bench_session t = { .create_ms = 0 };
    struct bench_start result = { 0 };
    struct diag diag = { .status = STATUS_OK };

    if (bench_start_session(&t, e->request, false, e->option, e->option ? 1 : 0, &diag) ==
            STATUS_OK &&
        bench_infer(&t, &result.first_ms, &diag) == STATUS_OK) {
        result.init_ms = t.create_ms + t.prepare_ms;
        result.known = true;
        read_parts(&result, &t.s);
    }
    bench_session_close(&t);
    process_leave(process_write(socket, &result, sizeof result) ? 0 : 1);
}

/* Of all starts; what a delegate leaves out is not waited for. */
static struct progress progress;
static int starts_done;

/* One whose process ends before it has answered is told as the crash of the whole. */
static enum status start_once(struct bench_result *r, const struct bench_request *q,
                              const struct subject_option *option, struct bench_start *out,
                              struct diag *diag)
{
    struct errand errand = { q, option };
    struct process p;

    TRY(process_start(&p, PROCESS_OUTPUT_STDERR, serve, &errand, diag));
    if (process_read(p.socket, out, sizeof *out)) {
        process_end(&p, false);
    } else {
        char how[64], now[64];

        process_describe_end(process_end(&p, false), how, sizeof how);
        watched_now(now, sizeof now);
        *out = (struct bench_start){ .known = false };
        r->status = CASE_CRASH;
        snprintf(r->reason, sizeof r->reason, "%s in %s of a start%s%s", how, now,
                 option ? " with " : "", option ? option->key : "");
    }
    starts_done++;
    progress_update(&progress, starts_done, "%d of %d", starts_done, STARTS);
    return STATUS_OK;
}

/* ---- directories ---- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static long files_seen;

static int count_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)path;
    (void)st;
    (void)ftw;
    files_seen += kind == FTW_F;
    return 0;
}

static long count_files(const char *dir)
{
    files_seen = 0;
    return nftw(dir, count_entry, 16, FTW_PHYS) == 0 ? files_seen : 0;
}

/* Points the driver's caches to PARENT/NAME, which is created where it is missing. */
static enum status use_caches(const char *parent, const char *name, char path[PATH_MAX],
                              struct diag *diag)
{
    snprintf(path, PATH_MAX, "%s/%s", parent, name);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    setenv("MESA_SHADER_CACHE_DIR", path, 1);
    setenv("__GL_SHADER_DISK_CACHE_PATH", path, 1);
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("HOME", path, 1);
    return STATUS_OK;
}

/* ---- the starts ---- */

static int by_own_ms(const void *a, const void *b)
{
    const double x = ((const struct bench_start *)a)->own_ms;
    const double y = ((const struct bench_start *)b)->own_ms;

    return (x > y) - (x < y);
}

/* A delegate that lacks the option or assay_gpu_get_stats has no figures here. */
static enum status serialized_starts(struct bench_result *r, const struct bench_request *q,
                                     const char *parent, struct diag *diag)
{
    struct bench_start seconds[SECOND_STARTS];
    char caches[PATH_MAX], files[PATH_MAX], name[32];
    const struct subject_option option = { "serialization_dir", files };

    snprintf(files, sizeof files, "%s/serialized", parent);
    for (int i = 0; i <= SECOND_STARTS; i++) {
        struct bench_start *const s = i == 0 ? &r->serialized[0] : &seconds[i - 1];

        snprintf(name, sizeof name, "empty-%d", i);
        TRY(use_caches(parent, name, caches, diag));
        TRY(start_once(r, q, &option, s, diag));
        s->driver_files = count_files(caches);
        if (!s->known || !s->has_parts || interrupt_signal())
            return STATUS_OK;
    }
    qsort(seconds, SECOND_STARTS, sizeof seconds[0], by_own_ms);
    r->serialized[1] = seconds[SECOND_STARTS / 2];
    return STATUS_OK;
}

/* Several, as one start tells nothing of noise; where they take long there are fewer. */
static enum status warm_starts(struct bench_result *r, const struct bench_request *q,
                               struct diag *diag)
{
    const double begin = clock_s();

    while (r->warm_count < BENCH_WARM_STARTS && !interrupt_signal() &&
           (r->warm_count == 0 || clock_s() - begin < WARM_SECS_MAX)) {
        struct bench_start start;

        TRY(start_once(r, q, NULL, &start, diag));
        if (!start.known)
            return STATUS_OK;
        if (r->warm_count == 0)
            r->warm = start;
        r->warm_init_ms[r->warm_count++] = start.init_ms;
    }
    return STATUS_OK;
}

static enum status all_starts(struct bench_result *r, const struct bench_request *q,
                              const char *parent, struct diag *diag)
{
    char caches[PATH_MAX];

    TRY(use_caches(parent, "kept", caches, diag));
    TRY(start_once(r, q, NULL, &r->cold, diag));
    if (r->status != CASE_PASS)
        return STATUS_OK;
    r->cold.driver_files = count_files(caches);
    TRY(warm_starts(r, q, diag));
    return r->cold.has_parts && !interrupt_signal() ? serialized_starts(r, q, parent, diag)
                                                    : STATUS_OK;
}

enum status bench_starts(struct bench_result *r, const struct bench_request *q, struct diag *diag)
{
    static const char *const variables[] = { "MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH",
                                             "XDG_CACHE_HOME", "HOME" };
    char parent[] = "/tmp/assay-bench-XXXXXX";
    char *old[sizeof variables / sizeof variables[0]];
    enum status s;

    if (!mkdtemp(parent))
        return diag_fail(diag, STATUS_IO, "%s: %s", parent, strerror(errno));
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++)
        old[i] = getenv(variables[i]) ? strdup(getenv(variables[i])) : NULL;
    starts_done = 0;
    progress_begin(&progress, "starts", STARTS, q->quiet);
    s = all_starts(r, q, parent, diag);
    progress_end(&progress);
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++) {
        if (old[i])
            setenv(variables[i], old[i], 1);
        else
            unsetenv(variables[i]);
        free(old[i]);
    }
    if (nftw(parent, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        return diag_fail(diag, STATUS_IO, "%s: cannot be removed", parent);
    return s;
}
