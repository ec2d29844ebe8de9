/* make torture: each allocation and each Vulkan call of the libraries fails in turn, in each way
 * that it may.  After each nothing has leaked, the error says what failed, and the next run is
 * right to the bit.
 *
 * A scene is run in a child process, so that a crash is a finding, after which the next child goes
 * on.  A point is a scene, what fails and the number of the call; --only=SCENE/WHAT --from=N starts
 * at one. */
#include "conformance/unit/torture/faults.h"
#include "conformance/unit/torture/scenes.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_MAX = 120 }; /* for one point: a longer run is a hang */

/* What fails: `stays` repeats, as memory that is full does. */
struct what {
    char name[64]; /* "allocation", "VK_ERROR_DEVICE_LOST", with "_stays" */
    struct fault fault;
};

enum count { POINTS, LEAKS, CRASHES, WRONG, UNCLEAR, COUNTS };
static const char *const count_names[COUNTS] = { "points", "leaks", "crashes", "wrong numbers",
                                                 "unclear errors" };

static struct {
    const char *models, *only;
    long from, every, first;
    bool list;
} asked = { .every = 1 };
static struct what whats[32];
static int what_count;
static FILE *findings; /* kept when the run is interrupted */
static volatile sig_atomic_t stopped;

/* ---- in the child ---- */

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

static bool says(const struct what *w, const char *said)
{
    const char *name = NULL;
    int result;

    if (w->fault.kind == FAULT_ALLOCATION)
        return strstr(said, "memory") || strstr(said, "Cannot allocate") ||
               strstr(said, "temporarily unavailable");
    for (int i = 0; (name = fault_result(i, &result)) && result != w->fault.result; i++)
        ;
    return name && strstr(said, name);
}

struct right {
    struct scene_end delegate, cpu;
};

static bool same(const struct scene_end *a, const struct scene_end *b)
{
    return memcmp(a->outputs, b->outputs, sizeof a->outputs) == 0;
}

/* Where memory for a shape was missing, and the error says so, a node may have been left to the
 * CPU: then the numbers are those of neither side alone.  Sums of 27 products below 1 differ by
 * less than 27 * 2^-23 between the two, or, with storage of 11 bits, by less than 2^-7. */
static bool is_near(const struct scene *scene, const struct scene_end *a, const struct scene_end *b)
{
    const char *const precision = scene->options[0][1];
    const float limit = precision && strcmp(precision, "fp16") == 0 ? 0x1p-7f : 27 * 0x1p-23f;

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 32; j++)
            if (!(fabsf(a->values[i][j] - b->values[i][j]) <= limit))
                return false;
    return strstr(a->said, "no memory") != NULL;
}

static void check_end(const struct scene *scene, const struct what *w, long n,
                      const struct scene_end *e, const struct right *right, const char *call)
{
    if (!e->ok && !e->said[0] && strcmp(e->step, "TfLiteInterpreterOptionsCreate") != 0)
        find(UNCLEAR, n, "%s: %s failed without a word", call, e->step);
    else if (!e->ok && e->said[0] && !says(w, e->said))
        find(UNCLEAR, n, "%s: %s said \"%s\"", call, e->step, e->said);
    /* A node whose shape had no memory was left to the CPU, which was said: it stays there, and a
     * delegate that took no node binds nothing. */
    if (e->again_wrong && !strstr(e->said, "no memory for its shape"))
        find(WRONG, n, "%s: %s fails although nothing fails any more: %s", call, e->step, e->said);
    if (e->ok && !same(e, &right->delegate) && !(e->said[0] && same(e, &right->cpu)) &&
        !is_near(scene, e, &right->cpu))
        find(WRONG, n, "%s: %llx %llx, expected %llx %llx; said \"%s\"", call,
             (unsigned long long)e->outputs[0], (unsigned long long)e->outputs[1],
             (unsigned long long)right->delegate.outputs[0],
             (unsigned long long)right->delegate.outputs[1], e->said);
}

static void check_leaks(long n, const struct fault_state *before, const char *call)
{
    struct fault_state s;
    char text[2048], objects[512];

    fault_look(&s);
    if (s.blocks > before->blocks) {
        fault_leaks(text, sizeof text);
        find(LEAKS, n, "%s: %ld blocks, %ld bytes: %s", call, s.blocks - before->blocks,
             s.bytes - before->bytes, text);
    }
    if (s.objects != before->objects) {
        fault_objects(objects, sizeof objects);
        find(LEAKS, n, "%s: Vulkan objects are live: %s", call, objects);
    }
    if (s.misuses != before->misuses)
        find(WRONG, n, "%s: device memory is used against the rules", call);
}

/* Returns whether something failed: past the last call nothing does. */
static bool try_point(const struct scene *scene, const struct what *w, long n,
                      const struct right *right)
{
    static struct scene_end end;
    struct fault_state before, s;
    struct fault f = w->fault;
    char call[96];

    scene_clean();
    f.after = n;
    fault_look(&before);
    fault_arm(&f);
    alarm(SECONDS_MAX);
    scene_run(scene, f.kind == FAULT_VULKAN && strstr(w->name, "LOST"), &end);
    fault_look(&s);
    fault_disarm();
    snprintf(call, sizeof call, "%s", s.call);
    if (s.fired)
        check_end(scene, w, n, &end, right, call);
    check_leaks(n, &before, call);
    if (!s.fired)
        return false;
    fault_look(&before);
    scene_run(scene, false, &end);
    alarm(0);
    if (!end.ok || !same(&end, &right->delegate))
        find(WRONG, n, "%s: the next run is not right: %s%s%s", call, end.ok ? "numbers" : end.step,
             end.said[0] ? ": " : "", end.said);
    check_leaks(n, &before, call);
    return true;
}

/* The point that is next. */
struct place {
    int what;
    long n;
};

static bool is_asked(const struct scene *s, const struct what *w)
{
    char name[128];

    if (w->fault.kind == FAULT_VULKAN && !s->options[0][0])
        return false;
    snprintf(name, sizeof name, "%s/%s", s->name, w->name);
    return !asked.only || strncmp(name, asked.only, strlen(asked.only)) == 0;
}

/* Another part of the points for each, when not all are tried. */
static long first_point(int what)
{
    return asked.from ? asked.from : what * 7L % asked.every;
}

static int serve(const struct scene *scene, struct place from)
{
    static struct right right;

    if (!scene_load(scene, asked.models)) {
        fprintf(stderr, "torture: %s/%s: %s\n", asked.models, scene->model, strerror(errno));
        return 2;
    }
    fault_not_coherent(scene->not_coherent);
    for (int i = 0; i < 2; i++) { /* what is made once is made before */
        scene_run_cpu(scene, &right.cpu);
        scene_run(scene, false, &right.delegate);
    }
    if (!right.cpu.ok || !right.delegate.ok) {
        printf("skip %s\n", right.cpu.ok ? right.delegate.said : right.cpu.said);
        return 0;
    }
    for (; from.what < what_count; from.what++, from.n = first_point(from.what)) {
        const struct what *const w = &whats[from.what];

        for (; is_asked(scene, w); from.n += asked.every) {
            printf("at %d %ld\n", from.what, from.n);
            fflush(stdout);
            if (!try_point(scene, w, from.n, &right))
                break;
            printf("done\n");
        }
    }
    printf("end\n");
    return 0;
}

/* ---- in the parent ---- */

static long counts[COUNTS];

static void stop(int signal)
{
    stopped = signal;
}

static void keep(const struct scene *s, const struct what *w, long n, enum count c,
                 const char *text)
{
    counts[c]++;
    printf("%s/%s %ld: %s: %s\n", s->name, w->name, n, count_names[c], text);
    fflush(stdout);
    if (findings) {
        fprintf(findings, "%s/%s\t%ld\t%s\t%s\n", s->name, w->name, n, count_names[c], text);
        fflush(findings);
    }
}

/* Points of each way to fail, of a scene. */
static long points[32];

/* Reads what a child says until it ends.  Returns whether points are left, from *at on. */
static bool follow(FILE *f, const struct scene *s, struct place *at, pid_t pid)
{
    static char line[8192];
    bool began = false, ended = false;
    long n;
    int c, status = 0, used;

    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "at %d %ld", &at->what, &at->n) == 2)
            began = true;
        else if (strcmp(line, "done") == 0)
            points[at->what]++;
        else if (sscanf(line, "found %d %ld %n", &c, &n, &used) == 2)
            keep(s, &whats[at->what], n, (enum count)c, line + used);
        else if (strncmp(line, "skip", 4) == 0)
            printf("skipped: %s: %s\n", s->name, line + 5);
        ended |= strncmp(line, "skip", 4) == 0 || strcmp(line, "end") == 0;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (ended || stopped)
        return false;
    snprintf(line, sizeof line, "%s %d",
             WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    keep(s, &whats[at->what], began ? at->n : -1, CRASHES, line);
    points[at->what]++;
    at->n += asked.every;
    return began;
}

/* Runs the points of a scene from *at on in a child; returns whether it left some. */
static bool run_child(const struct scene *s, struct place *at)
{
    int ends[2];
    bool left;
    pid_t pid;
    FILE *f;

    fflush(NULL);
    if (pipe(ends) != 0 || (pid = fork()) < 0) {
        perror("torture");
        exit(2);
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (findings)
            fclose(findings);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        exit(serve(s, *at));
    }
    close(ends[1]);
    f = fdopen(ends[0], "r");
    left = follow(f, s, at, pid);
    fclose(f);
    return left;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void torture(const struct scene *s)
{
    const double begin = now();
    struct place at = { .what = 0, .n = first_point(0) };
    long tried = 0;
    bool any = false;

    for (int i = 0; i < what_count; i++) {
        any |= is_asked(s, &whats[i]);
        if (asked.list && is_asked(s, &whats[i]))
            printf("%s/%s\n", s->name, whats[i].name);
    }
    if (!any || asked.list)
        return;
    memset(points, 0, sizeof points);
    while (run_child(s, &at) && !stopped)
        ;
    for (int i = 0; i < what_count; i++) {
        if (points[i] > 0)
            printf("  %-40s %6ld\n", whats[i].name, points[i]);
        tried += points[i];
    }
    counts[POINTS] += tried;
    printf("%-42s %6ld points in %.1f s\n", s->name, tried, now() - begin);
    fflush(stdout);
    if (stopped)
        printf("torture: interrupted; go on with --only=%s/%s --from=%ld, then with the names "
               "behind it in --list\n",
               s->name, whats[at.what].name, at.n);
}

static void add(const char *name, const char *suffix, struct fault f)
{
    struct what *const w = &whats[what_count++];

    snprintf(w->name, sizeof w->name, "%s%s", name, suffix);
    w->fault = f;
}

static void list_whats(void)
{
    struct fault f = { .kind = FAULT_ALLOCATION };
    const char *name;

    add("allocation", "", f);
    f.stays = true;
    add("allocation", "_stays", f);
    f.kind = FAULT_VULKAN;
    for (int i = 0; (name = fault_result(i, &f.result)); i++) {
        f.stays = strstr(name, "DEVICE_LOST") != NULL;
        add(name, "", f);
        f.stays = true;
        if (strstr(name, "OUT_OF_DEVICE_MEMORY"))
            add(name, "_stays", f);
    }
}

static int report(void)
{
    long bad = 0;

    printf("torture: %ld points tried", counts[POINTS]);
    for (int c = LEAKS; c < COUNTS; c++) {
        printf(", %ld %s", counts[c], count_names[c]);
        bad += counts[c];
    }
    puts("");
    return bad > 0;
}

static bool parse(int argc, char **argv)
{
    static const struct option options[] = {
        { "only", required_argument, NULL, 'o' },  { "from", required_argument, NULL, 'f' },
        { "every", required_argument, NULL, 'e' }, { "findings", required_argument, NULL, 'w' },
        { "list", no_argument, NULL, 'l' },        { NULL, 0, NULL, 0 }
    };
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0)
        switch (c) {
        case 'o': asked.only = optarg; break;
        case 'f': asked.from = atol(optarg); break;
        case 'e': asked.every = atol(optarg); break;
        case 'l': asked.list = true; break;
        case 'w':
            if (!(findings = fopen(optarg, "a"))) {
                perror(optarg);
                return false;
            }
            break;
        default: return false;
        }
    if (optind + 1 != argc)
        return false;
    asked.models = argv[optind];
    return asked.every > 0 && asked.from >= 0;
}

int main(int argc, char **argv)
{
    int code;

    if (!parse(argc, argv)) {
        fprintf(stderr,
                "torture MODELS [--only=SCENE/WHAT] [--from=N] [--every=N] [--findings=FILE] "
                "[--list]\n");
        return 2;
    }
    if (!mkdtemp(scene_directory)) {
        perror(scene_directory);
        return 2;
    }
    sigaction(SIGINT, &(struct sigaction){ .sa_handler = stop }, NULL);
    sigaction(SIGTERM, &(struct sigaction){ .sa_handler = stop }, NULL);
    list_whats();
    for (int i = 0; scene_at(i) && !stopped; i++)
        torture(scene_at(i));
    scene_clean();
    rmdir(scene_directory);
    if (asked.list)
        return 0;
    code = report();
    return stopped ? 1 : code;
}
