/* make torture: each allocation and each Vulkan call of the libraries fails in turn, in each way
 * that it may.  After each nothing has leaked, the error says what failed, and the next run is
 * right to the bit.
 *
 * A scene is run in a child process, so that a crash is a finding, after which the next child goes
 * on.  Each point of a cold scene has a child of its own, in which nothing was run before: there
 * the first instance and the first device are made while calls fail.
 *
 * A point is a scene, what fails and the number of the call; --only=SCENE/WHAT --from=N starts at
 * one. */
#include "conformance/tests/torture/faults.h"
#include "conformance/tests/torture/points.h"
#include "conformance/tests/torture/scenes.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* The point that is next. */
struct place {
    int what;
    long n;
    bool measured; /* a cold scene without faults, in a process before */
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

/* What runs without faults come to; shared with the children. */
static struct right *right;

static void go_on(struct place *at, bool fired)
{
    if (fired)
        at->n += asked.every;
    else
        at->n = first_point(++at->what);
}

/* The next point that is asked for, from *at on; false: there is none. */
static bool seek(const struct scene *s, struct place *at)
{
    while (at->what < what_count && !is_asked(s, &whats[at->what]))
        go_on(at, false);
    return at->what < what_count;
}

/* Tries the points from `at` on; of a cold scene one point, or only measures. */
static int serve(const struct scene *scene, struct place at)
{
    bool cold_end = scene->cold && !at.measured;

    if (!scene_load(scene, asked.models)) {
        fprintf(stderr, "torture: %s/%s: %s\n", asked.models, scene->model, strerror(errno));
        return 2;
    }
    if (!at.measured && !point_measure(scene, right)) {
        printf("skip %s\n", right->cpu.ok ? right->delegate.messages : right->cpu.messages);
        return 0;
    }
    while (!cold_end && seek(scene, &at)) {
        bool fired;

        printf("at %d %ld\n", at.what, at.n);
        fflush(stdout);
        fired = point_try(scene, &whats[at.what], at.n, right);
        if (fired)
            printf("done\n");
        go_on(&at, fired);
        cold_end = scene->cold;
    }
    if (cold_end && seek(scene, &at))
        printf("next %d %ld\n", at.what, at.n);
    else
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
    bool began = false, ended = false, more = false;
    long n;
    int c, status = 0, used;

    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "at %d %ld", &at->what, &at->n) == 2)
            began = true;
        else if (sscanf(line, "next %d %ld", &at->what, &at->n) == 2)
            more = at->measured = true;
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
    if (ended || stopped || more)
        return more && !stopped;
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
        if (strstr(name, "OUT_OF_DEVICE_MEMORY") || strstr(name, "EXTENSION_NOT_PRESENT"))
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
    right = mmap(NULL, sizeof *right, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (right == MAP_FAILED) {
        perror("torture");
        return 2;
    }
    for (int i = 0; scene_at(i) && !stopped; i++)
        torture(scene_at(i));
    scene_clean();
    rmdir(scene_directory);
    if (asked.list)
        return 0;
    code = report();
    return stopped ? 1 : code;
}
