/* A child, and a page that it shares with who watches it. */
#include "conformance/util/watched.h"

#include "conformance/util/interrupt.h"
#include "conformance/util/process.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Literals lie at the same address in a process and what it has forked. */
struct stage {
    _Atomic(const char *) what;
    atomic_ullong number; /* of steps of this stage; 0: none yet */
    atomic_ullong moved;  /* stages and steps in all */
    char about[96];
};
static struct stage *stage;

void watched_stage(const char *what)
{
    if (!stage)
        return;
    atomic_store(&stage->what, what);
    atomic_store(&stage->number, 0);
    atomic_fetch_add(&stage->moved, 1);
}

void watched_step(void)
{
    if (!stage)
        return;
    atomic_fetch_add(&stage->number, 1);
    atomic_fetch_add(&stage->moved, 1);
}

void watched_about(const char *name)
{
    if (stage)
        snprintf(stage->about, sizeof stage->about, "%s", name);
}

void watched_now(char *text, size_t bytes)
{
    const char *const what = stage ? atomic_load(&stage->what) : NULL;
    const unsigned long long number = stage ? atomic_load(&stage->number) : 0;

    char about[sizeof stage->about] = "";

    if (stage)
        memcpy(about, stage->about, sizeof about - 1);
    if (number > 0)
        snprintf(text, bytes, "%s %llu%s%s", what ? what : "step", number, about[0] ? " of " : "",
                 about);
    else
        snprintf(text, bytes, "%s%s%s", what ? what : "its work", about[0] ? " of " : "", about);
}

struct errand {
    int (*work)(void *user);
    void *user;
    int in, out; /* the standard streams, which process_start redirects */
};

static void serve(int socket, void *user)
{
    const struct errand *const e = user;
    int code;

    dup2(e->in, STDIN_FILENO);
    dup2(e->out, STDOUT_FILENO);
    close(e->in);
    close(e->out);
    code = e->work(e->user);
    fflush(NULL);
    process_write(socket, &code, sizeof code);
}

/* Waits for the answer, or the end; false: nothing moved for too long. */
static bool wait_for(struct process *p, double still_s)
{
    unsigned long long moved = 0;
    bool passed_on = false;

    for (;;) {
        const enum process_event event = process_wait(p);
        const unsigned long long now = atomic_load(&stage->moved);

        if (event == PROCESS_READABLE)
            return true;
        if (event == PROCESS_LATE && now == moved)
            return false;
        if (event == PROCESS_LATE)
            process_expect(p, still_s);
        if (interrupt_signal() && !passed_on) {
            kill(p->pid, interrupt_signal());
            passed_on = true;
        }
        moved = event == PROCESS_LATE ? now : moved;
    }
}

static void describe(struct watched_end *end, int status, double still_s)
{
    char how[64], now[160];

    process_describe_end(status, how, sizeof how);
    watched_now(now, sizeof now);
    if (end->late)
        snprintf(end->reason, sizeof end->reason, "nothing moved for %g s in %s", still_s, now);
    else
        snprintf(end->reason, sizeof end->reason, "%s in %s", how, now);
}

enum status watched_run(int (*work)(void *user), void *user, double still_s,
                        struct watched_end *end, struct diag *diag)
{
    struct errand errand = { work, user, dup(STDIN_FILENO), dup(STDOUT_FILENO) };
    struct process p;
    enum status s = STATUS_OK;
    int status;

    *end = (struct watched_end){ .ended = true };
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (stage == MAP_FAILED) {
        stage = NULL;
        s = diag_fail(diag, STATUS_NO_MEMORY, "no shared memory");
    } else {
        s = process_start(&p, PROCESS_OUTPUT_STDERR, serve, &errand, diag);
    }
    close(errand.in);
    close(errand.out);
    if (s == STATUS_OK) {
        process_expect(&p, still_s);
        end->late = !wait_for(&p, still_s);
        end->ended = end->late || !process_read(p.socket, &end->code, sizeof end->code);
        status = process_end(&p, end->late);
        end->ended = end->ended || status != 0; /* a destructor may crash, too */
        if (end->ended)
            describe(end, status, still_s);
    }
    if (stage)
        munmap(stage, sizeof *stage);
    stage = NULL;
    return s;
}
