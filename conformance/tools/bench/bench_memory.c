#include "conformance/tools/bench/bench_memory.h"

#include "reference/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- /proc/self/smaps ---- */

struct mapping {
    char path[PATH_MAX]; /* "/usr/lib/libc.so.6", "[heap]", "" */
    uint64_t resident_bytes, anonymous_bytes;
};

typedef void mapping_fn(const struct mapping *m, void *user);

/* A line that begins a mapping: "START-END PERMISSIONS OFFSET DEVICE INODE   PATH". */
static bool read_head(const char *line, char path[PATH_MAX])
{
    unsigned long long first, last;
    int at = -1;

    path[0] = '\0';
    if (sscanf(line, "%llx-%llx %*4s %*x %*s %*u %n", &first, &last, &at) < 2)
        return false;
    if (at > 0)
        snprintf(path, PATH_MAX, "%.*s", (int)strcspn(line + at, "\n"), line + at);
    return true;
}

static bool each_mapping(mapping_fn *call, void *user)
{
    FILE *const f = fopen("/proc/self/smaps", "r");
    struct mapping *const m = mem_alloc(1, sizeof *m);
    char *line = NULL;
    size_t room = 0;
    bool begun = false;

    while (f && m && getline(&line, &room, f) > 0) {
        unsigned long long kib;
        char path[PATH_MAX];

        if (sscanf(line, "Rss: %llu kB", &kib) == 1) {
            m->resident_bytes = kib * 1024;
        } else if (sscanf(line, "Anonymous: %llu kB", &kib) == 1) {
            m->anonymous_bytes = kib * 1024;
        } else if (read_head(line, path)) {
            if (begun)
                call(m, user);
            begun = true;
            m->resident_bytes = m->anonymous_bytes = 0;
            memcpy(m->path, path, sizeof path);
        }
    }
    if (begun)
        call(m, user);
    free(line);
    mem_free(m);
    if (f)
        fclose(f);
    return begun;
}

static bool is_file(const struct mapping *m)
{
    return m->path[0] == '/';
}

/* ---- the first look ---- */

static bool has_file(const struct bench_pages *p, const char *path)
{
    for (size_t i = 0; i < p->file_count; i++) {
        if (strcmp(p->files[i], path) == 0)
            return true;
    }
    return false;
}

struct look {
    struct bench_pages *pages;
    bool failed;
};

static void note(const struct mapping *m, void *user)
{
    struct look *const look = user;
    struct bench_pages *const p = look->pages;
    char **more;

    p->anonymous_bytes += is_file(m) ? m->anonymous_bytes : m->resident_bytes;
    if (!is_file(m) || has_file(p, m->path))
        return;
    more = mem_resize(p->files, p->file_count + 1, sizeof *more);
    if (more)
        p->files = more;
    if (!more || !(p->files[p->file_count] = strdup(m->path)))
        look->failed = true;
    else
        p->file_count++;
}

enum status bench_pages_read(struct bench_pages *p, struct diag *diag)
{
    struct look look = { p, false };

    *p = (struct bench_pages){ .counted_bytes = mem_live_bytes() };
    each_mapping(note, &look);
    return look.failed ? diag_fail(diag, STATUS_NO_MEMORY, "/proc/self/smaps: out of memory")
                       : STATUS_OK;
}

void bench_pages_close(struct bench_pages *p)
{
    for (size_t i = 0; i < p->file_count; i++)
        free(p->files[i]);
    mem_free(p->files);
    *p = (struct bench_pages){ 0 };
}

/* ---- the second ---- */

struct sums {
    const struct bench_pages *before;
    const char *delegate;
    char program[PATH_MAX];
    uint64_t anonymous, own_files, new_files;
};

static void add(const struct mapping *m, void *user)
{
    struct sums *const s = user;

    if (!is_file(m)) {
        s->anonymous += m->resident_bytes;
        return;
    }
    s->anonymous += m->anonymous_bytes;
    if (strcmp(m->path, s->program) == 0 || (s->delegate && strcmp(m->path, s->delegate) == 0))
        s->own_files += m->resident_bytes - m->anonymous_bytes;
    else if (!has_file(s->before, m->path))
        s->new_files += m->resident_bytes - m->anonymous_bytes;
}

static uint64_t high_water_bytes(void)
{
    FILE *const f = fopen("/proc/self/status", "r");
    unsigned long long kib = 0;
    char line[256];

    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "VmHWM: %llu kB", &kib) == 1)
            break;
    }
    if (f)
        fclose(f);
    return kib * 1024;
}

void bench_memory_read(struct bench_memory *m, const struct bench_pages *before,
                       const char *delegate, long long delegate_live, long long delegate_peak)
{
    struct sums s = { .before = before, .delegate = delegate };
    const ssize_t length = readlink("/proc/self/exe", s.program, sizeof s.program - 1);
    long long grown;

    *m = (struct bench_memory){ .peak_bytes = high_water_bytes() };
    s.program[length > 0 ? length : 0] = '\0';
    if (m->peak_bytes == 0 || before->file_count == 0 || !each_mapping(add, &s))
        return;
    m->known = true;
    m->delegate_known = delegate_peak >= 0;
    m->delegate_silent = delegate && !m->delegate_known;
    m->program_bytes = (uint64_t)mem_peak_bytes();
    m->delegate_bytes = delegate_peak > 0 ? (uint64_t)delegate_peak : 0;
    m->own_file_bytes = s.own_files;
    m->ours_bytes = m->program_bytes + m->delegate_bytes + m->own_file_bytes;
    grown = (long long)s.anonymous - (long long)before->anonymous_bytes -
            (mem_live_bytes() - before->counted_bytes) - (delegate_live > 0 ? delegate_live : 0);
    m->driver_file_bytes = s.new_files;
    m->driver_bytes = s.new_files + (grown > 0 ? (uint64_t)grown : 0);
    if (m->peak_bytes > m->ours_bytes + m->driver_bytes)
        m->rest_bytes = m->peak_bytes - m->ours_bytes - m->driver_bytes;
}
