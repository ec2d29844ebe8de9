/* make soak: a long life in short.  Processes that share a directory of serialized files run random
 * lives in several threads: a model, options, a delegate, inferences, a resize; one process is
 * killed again and again, and in the others the device is lost at times.
 *
 * Outputs are those of the first run, bit for bit; a life fails only while a device is lost.  After
 * each round, when no thread runs, the libraries' blocks and bytes, Vulkan objects and open files
 * are as many as after the third round, exactly.  The resident set, without free blocks that malloc
 * keeps, grows by at most 16 MiB and 4 KiB a life between the second and the last fifth of the
 * rounds.  On lavapipe it grew by 0.5 to 1.1 KiB a life in 2100 lives, and by up to 20 with those
 * free blocks.  NVIDIA's driver (580.159, H100) keeps more at first: 10 to 15 MiB in 300 to 1488
 * lives, but 3.5 to 6 in 8052. */
#include "conformance/tests/torture/faults.h"
#include "conformance/tests/torture/lives.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

enum { PROCESSES = 2, THREADS = 2, LIVES = 6, ROUNDS_MAX = 100000, SETTLED = 3, JUDGED = 25 };

/* What the resident set may grow by, once and with each life. */
enum { GROWTH = 16 << 20, GROWTH_OF_LIFE = 4 << 10 };

static char directory[] = "/tmp/assay-soak-XXXXXX";
static atomic_bool losing; /* the device is being lost */
static atomic_long losses; /* begun or ended */
static atomic_long lives, failed, wrong;
static uint64_t *resident; /* after each round */
static long rounds;
static const char *models;
static double seconds;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- one process ---- */

static void *run_lives(void *user)
{
    uint64_t random = *(uint64_t *)user;

    for (int i = 0; i < LIVES; i++) {
        const long before = atomic_load(&losses);
        const bool lost = atomic_load(&losing);
        struct life_end end;

        life_run(next(&random), directory, &end);
        lives++;
        if (end.kind == LIFE_WRONG) {
            wrong++;
            printf("soak: WRONG %s: %s\n", end.what, end.messages);
        } else if (end.kind == LIFE_FAILED && !lost && atomic_load(&losses) == before) {
            wrong++;
            printf("soak: FAILED %s: %s\n", end.what, end.messages);
        } else if (end.kind == LIFE_FAILED) {
            failed++;
        }
        fflush(stdout);
    }
    return NULL;
}

static void lose_device(uint64_t random)
{
    const struct fault f = { .kind = FAULT_VULKAN,
                             .result = VK_ERROR_DEVICE_LOST,
                             .after = (long)(random % 12),
                             .stays = true };
    struct fault_state s = { .fired = false };

    atomic_store(&losing, true);
    losses++;
    fault_arm(&f);
    for (int i = 0; i < 200 && !s.fired; i++) {
        usleep(5000);
        fault_look(&s);
    }
    usleep(20000);
    fault_disarm();
    losses++;
    atomic_store(&losing, false);
}

static long open_files(void)
{
    DIR *const d = opendir("/proc/self/fd");
    long n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Without what malloc keeps of freed blocks: arenas of threads fragment while a driver allocates
 * from four threads, by some 50 KiB a life with lavapipe alone, although nothing is in use. */
static uint64_t resident_bytes(void)
{
    FILE *f;
    unsigned long long size, pages = 0;

#ifdef __GLIBC__
    malloc_trim(0);
#endif
    f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%llu %llu", &size, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t most(long from, long to)
{
    uint64_t m = 0;

    for (long i = from; i < to; i++)
        m = resident[i] > m ? resident[i] : m;
    return m;
}

static bool same(const struct fault_state *s, long files, const struct fault_state *first,
                 long first_files)
{
    char text[2048], objects[512];

    if (s->blocks == first->blocks && s->bytes == first->bytes && s->objects == first->objects &&
        files == first_files)
        return true;
    fault_leaks(text, sizeof text);
    fault_objects(objects, sizeof objects);
    printf("soak: round %ld: %ld blocks, %ld bytes, %ld objects, %ld files; expected %ld, %ld, "
           "%ld, %ld: %s; %s\n",
           rounds, s->blocks, s->bytes, s->objects, files, first->blocks, first->bytes,
           first->objects, first_files, text, objects);
    return false;
}

static void run_round(uint64_t *random)
{
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];

    for (int i = 0; i < THREADS; i++) {
        seeds[i] = next(random);
        if (pthread_create(&threads[i], NULL, run_lives, &seeds[i]) != 0)
            abort();
    }
    if (rounds % 3 == 2)
        lose_device(next(random));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static int serve(uint64_t seed)
{
    const double end = now() + seconds;
    const struct fault quiet = { .kind = FAULT_NONE };
    struct fault_state s, first = { .blocks = 0 };
    long files = 0, first_files = 0, grown = 0;
    uint64_t random = seed, early, late;
    bool flat;

    if (!lives_open(models))
        return 2;
    resident = calloc(ROUNDS_MAX, sizeof *resident);
    for (; rounds < ROUNDS_MAX && (now() < end || rounds < 2 * SETTLED); rounds++) {
        if (rounds == SETTLED)
            fault_arm(&quiet); /* from here on blocks count as leaks */
        run_round(&random);
        fault_look(&s);
        files = open_files();
        if (rounds < SETTLED) {
            first = s;
            first_files = files;
        } else {
            grown += !same(&s, files, &first, first_files);
        }
        resident[rounds] = resident_bytes();
    }
    early = most(rounds / 5, 2 * rounds / 5);
    late = most(rounds - rounds / 5, rounds);
    flat = rounds < JUDGED ||
           late <= early + GROWTH + (uint64_t)rounds * THREADS * LIVES * GROWTH_OF_LIFE;
    printf("soak: process %d: %ld rounds, %ld lives, %ld of them with a lost device; %ld wrong or "
           "failed; blocks %ld, objects %ld, files %ld: %s; resident %.1f MiB early, %.1f late: "
           "%s\n",
           (int)getpid(), rounds, (long)lives, (long)failed, (long)wrong, s.blocks, s.objects,
           files, grown ? "GROW" : "as at the start", (double)early / (1 << 20),
           (double)late / (1 << 20),
           rounds < JUDGED ? "too few rounds to judge"
           : flat          ? "flat"
                           : "GROWS");
    lives_close();
    return wrong || grown || !flat;
}

/* ---- all processes ---- */

static pid_t start(uint64_t seed, bool quiet)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid < 0) {
        perror("soak");
        exit(2);
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (quiet && !freopen("/dev/null", "w", stdout))
            exit(2);
        exit(serve(seed));
    }
    return pid;
}

static void empty(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0)
        perror(directory);
}

/* Waits for the processes; meanwhile one more is started and killed. */
static int wait_all(uint64_t seed, long *kills)
{
    pid_t victim = start(seed, true);
    int left = PROCESSES, status, bad = 0;

    while (left > 0) {
        const pid_t pid = waitpid(-1, &status, WNOHANG);

        if (pid > 0 && pid != victim) {
            left--;
            if (WIFSIGNALED(status))
                printf("soak: a process crashed: %s\n", strsignal(WTERMSIG(status)));
            bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        } else if (pid == 0) {
            usleep((useconds_t)(500000 + next(&seed) % 2000000));
            kill(victim, SIGKILL);
            waitpid(victim, &status, 0);
            ++*kills;
            victim = start(next(&seed), true);
        }
    }
    kill(victim, SIGKILL);
    waitpid(victim, &status, 0);
    return bad;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    const double begin = now();
    long kills = 0;
    int bad;

    if (argc < 3) {
        fprintf(stderr, "soak MODELS SECONDS [SEED]\n");
        return 2;
    }
    models = argv[1];
    seconds = atof(argv[2]);
    if (!mkdtemp(directory)) {
        perror(directory);
        return 2;
    }
    for (int i = 0; i < PROCESSES; i++)
        start(seed + 100 * (uint64_t)i, false);
    bad = wait_all(seed + 7, &kills);
    empty();
    printf("soak: %.0f s, %d processes of %d threads, one more killed %ld times, seed %llu: %s\n",
           now() - begin, PROCESSES, THREADS, kills, (unsigned long long)seed,
           bad ? "FAILED" : "passed");
    return bad > 0;
}
