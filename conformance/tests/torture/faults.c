/* Which call fails, and who made it. */
#include "conformance/tests/torture/faults.h"

#include "conformance/tests/torture/faults_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fault armed;
static long seen;
static bool fired;
static const char *fired_call;
static const void *fired_by;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t owner; /* the process that counts: a child counts from 0 */
static pid_t armed_in;
static const char *log_path; /* of a program that was started with ASSAY_FAULT */

bool fault_is_ours(const void *address)
{
    static const char *const names[] = { "assay", "libassay.so", "libassay_delegate.so",
                                         "libjansson.so" };
    struct dl_find_object found;
    const char *base;

    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0)
        return false;
    base = strrchr(found.dlfo_link_map->l_name, '/');
    base = base ? base + 1 : found.dlfo_link_map->l_name;
    if (!base[0]) /* the program itself has no name there */
        base = program_invocation_short_name;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t n = strlen(names[i]);

        if (strncmp(base, names[i], n) == 0 && (base[n] == '\0' || base[n] == '.'))
            return true;
    }
    return false;
}

void fault_place(const void *address, char *text, size_t size)
{
    struct dl_find_object found;
    const char *name = "?", *base;
    uintptr_t at = (uintptr_t)address;

    if (_dl_find_object((void *)at, &found) == 0) {
        name = found.dlfo_link_map->l_name;
        at -= (uintptr_t)found.dlfo_link_map->l_addr;
    }
    base = strrchr(name, '/');
    base = base ? base + 1 : name;
    snprintf(text, size, "%s+0x%lx", base[0] ? base : program_invocation_short_name,
             (unsigned long)at);
}

static void write_log(const char *what, const char *text)
{
    const int fd = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    char line[200];
    const int n = snprintf(line, sizeof line, "%s %s\n", what, text);

    if (fd < 0 || write(fd, line, (size_t)n) != n)
        abort();
    close(fd);
}

bool fault_fails(enum fault_kind kind, bool may_return, const char *call, const void *caller)
{
    bool now = false;

    if (armed.kind != kind || !may_return)
        return false;
    pthread_mutex_lock(&lock);
    if (owner != getpid()) {
        owner = getpid();
        seen = 0;
        fired = false;
    }
    if (armed.kind == kind && armed.children == (armed_in != getpid())) {
        now = armed.after >= 0 && (seen == armed.after || (seen > armed.after && armed.stays));
        seen++;
        if (now && !fired) {
            fired = true;
            fired_call = call;
            fired_by = caller;
            if (log_path) {
                char place[64], text[128];

                fault_place(caller, place, sizeof place);
                snprintf(text, sizeof text, "%s in %s", call, place);
                write_log("fired", text);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return now;
}

int fault_armed_result(void)
{
    return armed.kind == FAULT_VULKAN ? armed.result : 0;
}

void fault_arm(const struct fault *f)
{
    pthread_mutex_lock(&lock);
    armed = *f;
    seen = 0;
    fired = false;
    fired_call = "";
    fired_by = NULL;
    owner = armed_in = getpid();
    fault_mark_blocks();
    pthread_mutex_unlock(&lock);
}

void fault_disarm(void)
{
    pthread_mutex_lock(&lock);
    armed.kind = FAULT_NONE;
    pthread_mutex_unlock(&lock);
}

void fault_look(struct fault_state *state)
{
    char place[64] = "";

    *state = (struct fault_state){ .seen = seen, .fired = fired };
    if (fired) {
        fault_place(fired_by, place, sizeof place);
        snprintf(state->call, sizeof state->call, "%s in %s", fired_call, place);
    }
    fault_count_blocks(state);
    state->objects = fault_count_objects();
    state->misuses = fault_count_misuses();
}

/* ---- a program that knows nothing of this ---- */

static void finish(void)
{
    struct fault_state s;
    char text[32], blocks[150];

    if (getpid() != armed_in)
        return;
    fault_look(&s);
    fault_disarm();
    snprintf(text, sizeof text, "%ld", s.blocks);
    write_log("live", text);
    if (fault_leaks(blocks, sizeof blocks) > 0)
        write_log("blocks", blocks);
}

__attribute__((constructor)) static void begin(void)
{
    const char *const text = getenv("ASSAY_FAULT");
    struct fault f = { .kind = FAULT_ALLOCATION };

    log_path = getenv("ASSAY_FAULT_LOG");
    if (!text || !log_path)
        return;
    f.children = strncmp(text, "children:", 9) == 0;
    f.after = atol(strchr(text, ':') + 1);
    fault_arm(&f);
    atexit(finish);
}
