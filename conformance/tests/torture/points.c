#include "conformance/tests/torture/points.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_MAX = 120 }; /* for one point: a longer run is a hang */

__attribute__((format(printf, 3, 4))) static void find(enum count c, long n, const char *format,
                                                       ...)
{
    char text[6000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = p[1] ? '|' : '\0';
    printf("found %d %ld %s\n", (int)c, n, text);
    fflush(stdout);
}

static bool says(const struct what *w, const char *messages)
{
    const char *name = NULL;
    int result;

    if (w->fault.kind == FAULT_ALLOCATION)
        return strstr(messages, "memory") || strstr(messages, "Cannot allocate") ||
               strstr(messages, "temporarily unavailable");
    for (int i = 0; (name = fault_result(i, &result)) && result != w->fault.result; i++)
        ;
    return name && strstr(messages, name);
}

/* ---- numbers ---- */

static bool same_split(const struct split *a, const struct split *b)
{
    return a->partitions == b->partitions && a->nodes == b->nodes && a->refused == b->refused;
}

static bool same(const struct scene_end *a, const struct scene_end *b)
{
    bool all = true;

    for (int k = 0; k < SCENE_INFERENCES; k++)
        all &= a->outputs[k] == b->outputs[k] && same_split(&a->splits[k], &b->splits[k]);
    return all;
}

/* What failed may leave nodes to the CPU, which is said.  Then the numbers are those, to the bit,
 * of a run in which nothing fails and the same nodes are on the CPU. */
static void check_numbers(const struct scene *scene, const struct what *w, long n, int k,
                          const struct scene_end *e, const struct right *right, const char *call)
{
    const struct split *const split = &e->splits[k];
    static struct scene_end other;
    const struct scene_end *expected = &right->delegate;

    if (!same_split(split, &right->delegate.splits[k])) {
        if (!says(w, e->messages))
            find(UNCLEAR, n, "%s: %d nodes in %d partitions, expected %d in %d; said \"%s\"", call,
                 split->nodes, split->partitions, right->delegate.splits[k].nodes,
                 right->delegate.splits[k].partitions, e->messages);
        expected = &right->cpu;
        if (split->nodes > 0) {
            scene_run_split(scene, split, &other);
            expected = &other;
            if (!other.inferred[k] || !same_split(split, &other.splits[k])) {
                find(WRONG, n,
                     "%s: %d nodes in %d partitions, refused %llx: no run has that; said \"%s\"",
                     call, split->nodes, split->partitions, (unsigned long long)split->refused,
                     e->messages);
                return;
            }
        }
    }
    if (e->outputs[k] != expected->outputs[k])
        find(WRONG, n,
             "%s: output of inference %d is %llx, expected %llx; %d nodes in %d partitions; said "
             "\"%s\"",
             call, k, (unsigned long long)e->outputs[k], (unsigned long long)expected->outputs[k],
             split->nodes, split->partitions, e->messages);
}

static void check_end(const struct scene *scene, const struct what *w, long n,
                      const struct scene_end *e, const struct right *right, const char *call)
{
    if (!e->ok && !e->messages[0] && strcmp(e->step, "TfLiteInterpreterOptionsCreate") != 0)
        find(UNCLEAR, n, "%s: %s failed without a word", call, e->step);
    else if (!e->ok && e->messages[0] && !says(w, e->messages))
        find(UNCLEAR, n, "%s: %s said \"%s\"", call, e->step, e->messages);
    /* A node whose shape had no memory was left to the CPU, which was said: it stays there, and a
     * delegate that took no node binds nothing. */
    if (e->again_wrong && !strstr(e->messages, "no memory for its shape"))
        find(WRONG, n, "%s: %s fails although nothing fails any more: %s", call, e->step,
             e->messages);
    for (int k = 0; k < SCENE_INFERENCES; k++)
        if (e->inferred[k])
            check_numbers(scene, w, n, k, e, right, call);
}

/* ---- what is live ---- */

/* In a process of one point, what is made once is live, too, after the run that succeeded: exactly
 * as much as where nothing failed.  After the run that failed there may be less. */
static void check_leaks(const struct scene *scene, long n, const struct fault_state *before,
                        bool exactly, const char *call)
{
    struct fault_state s;
    char text[2048], objects[512];

    fault_look(&s);
    if (s.blocks > before->blocks || (exactly && s.bytes != before->bytes)) {
        fault_leaks(text, sizeof text);
        find(LEAKS, n, "%s: %ld blocks, %ld bytes: %s", call, s.blocks - before->blocks,
             s.bytes - before->bytes, text);
    }
    if (s.objects > before->objects || (s.objects < before->objects && (exactly || !scene->cold))) {
        fault_objects(objects, sizeof objects);
        find(LEAKS, n, "%s: %ld Vulkan objects are live, expected %ld: %s", call, s.objects,
             before->objects, objects);
    }
    if (s.misuses != before->misuses)
        find(WRONG, n, "%s: device memory is used against the rules", call);
}

bool point_measure(const struct scene *scene, struct right *right)
{
    const struct fault quiet = { .kind = FAULT_NONE };

    fault_not_coherent(scene->not_coherent);
    scene_run(scene, false, &right->delegate);
    fault_look(&right->live);
    fault_arm(&quiet); /* what is allocated from here on counts as a leak */
    scene_run(scene, false, &right->delegate);
    check_leaks(scene, -1, &right->live, true, "a second run");
    scene_run_cpu(scene, &right->cpu);
    if (right->delegate.ok && scene->options[0][0] && right->delegate.splits[0].nodes == 0)
        find(WRONG, -1, "the delegate takes no node of %s", scene->model);
    return right->cpu.ok && right->delegate.ok;
}

bool point_try(const struct scene *scene, const struct what *w, long n, const struct right *right)
{
    static struct scene_end end;
    struct fault_state before = right->live, s;
    struct fault f = w->fault;
    char call[96];

    scene_clean();
    f.after = n;
    if (!scene->cold)
        fault_look(&before);
    fault_not_coherent(scene->not_coherent);
    fault_arm(&f);
    alarm(SECONDS_MAX);
    scene_run(scene, f.kind == FAULT_VULKAN && strstr(w->name, "LOST"), &end);
    fault_look(&s);
    fault_disarm();
    snprintf(call, sizeof call, "%s", s.call);
    check_leaks(scene, n, &before, scene->cold && !s.fired, call);
    if (!s.fired)
        return false;
    check_end(scene, w, n, &end, right, call);
    if (!scene->cold)
        fault_look(&before);
    scene_run(scene, false, &end);
    alarm(0);
    if (!end.ok || !same(&end, &right->delegate))
        find(WRONG, n, "%s: the next run is not right: %s%s%s", call, end.ok ? "numbers" : end.step,
             end.messages[0] ? ": " : "", end.messages);
    check_leaks(scene, n, &before, scene->cold, call);
    return true;
}
