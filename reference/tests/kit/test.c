/* The main function of a runner of tests:
 *     RUNNER --list                      the files
 *     RUNNER FILE --list                 the tests of a file
 *     RUNNER FILE [--filter=PATTERN]     runs them in this process
 *     RUNNER FILE ARGUMENT...            what the file does beside its tests
 * FILE is the name of the source without .c.  A file that is a program of its own lies beside the
 * runner as RUNNER.FILE, which then takes the place of this process. */
#include "reference/tests/kit/test.h"

#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USAGE = 2, FILE_NAME_MAX = 64 };

static struct test *tests;
static struct test_file *files;
static char program[PATH_MAX];

void test_add(struct test *t)
{
    t->next = tests;
    tests = t;
}

void test_file_add(struct test_file *f)
{
    f->next = files;
    files = f;
}

/* conformance/tests/test_plan.c: test_plan. */
static const char *name_of(const char *path, char name[FILE_NAME_MAX])
{
    const char *const slash = strrchr(path, '/');

    snprintf(name, FILE_NAME_MAX, "%s", slash ? slash + 1 : path);
    if (strrchr(name, '.'))
        *strrchr(name, '.') = '\0';
    return name;
}

static bool is_in(const char *path, const char *file)
{
    char name[FILE_NAME_MAX];

    return strcmp(name_of(path, name), file) == 0;
}

static int by_place(const void *left, const void *right)
{
    const struct test *const a = *(const struct test *const *)left, *const b = *(
                                                                        const struct test *const *)
                                                                                   right;
    const int order = strcmp(a->file, b->file);

    return order != 0           ? order
           : a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                                : strcmp(a->name, b->name);
}

/* The tests of a file whose names match the pattern, of all files where that is NULL; in the order
 * of the source. */
static const struct test **choose(const char *file, const char *pattern, size_t *count)
{
    const struct test **chosen;
    size_t n = 0, room = 1;

    for (const struct test *t = tests; t; t = t->next)
        room++;
    if (!(chosen = calloc(room, sizeof(struct test *)))) /* NOLINT(bugprone-sizeof-expression) */
        abort();
    for (const struct test *t = tests; t; t = t->next)
        if (!file || (is_in(t->file, file) && fnmatch(pattern, t->name, 0) == 0))
            chosen[n++] = t;
    qsort(chosen, n, sizeof *chosen, by_place);
    *count = n;
    return chosen;
}

static bool has_tests_of(const char *file)
{
    for (const struct test *t = tests; t; t = t->next)
        if (is_in(t->file, file))
            return true;
    return false;
}

/* Files of this program, and of those beside it. */
static int list_files(void)
{
    char name[FILE_NAME_MAX], beside[PATH_MAX + 8];
    const char *last = "";
    glob_t alone;
    size_t count;
    const struct test **const all = choose(NULL, NULL, &count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i]->file, last) != 0)
            puts(name_of(last = all[i]->file, name));
    free(all);
    snprintf(beside, sizeof beside, "%s.test_*", program);
    if (glob(beside, 0, NULL, &alone) == 0) {
        for (size_t i = 0; i < alone.gl_pathc; i++) {
            const char *const file = alone.gl_pathv[i] + strlen(program) + 1;

            /* Not one that was a program of its own in an earlier build. */
            if (!strchr(file, '.') && !has_tests_of(file))
                puts(file);
        }
        globfree(&alone);
    }
    return 0;
}

static int list_tests(const char *file)
{
    size_t count;
    const struct test **chosen CLOSED_BY(kit_free) = choose(file, "*", &count);

    for (size_t i = 0; i < count; i++)
        puts(chosen[i]->name);
    return 0;
}

static void skipped(void **state)
{
    (void)state;
    skip();
}

void default_signals(void)
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_DFL);
}

/* The setup of each test. */
static int begin(void **state)
{
    const CMFixtureFunction *const setup = *state;

    *state = NULL;
    diag_clear(&err);
    return *setup ? (*setup)(state) : 0;
}

static int run_file(const char *file, const struct test_file *about, const char *pattern)
{
    size_t count;
    const struct test **const chosen = choose(file, pattern, &count);
    struct CMUnitTest *list = calloc(count + 1, sizeof *list);
    CMFixtureFunction *const setups = calloc(count + 1, sizeof *setups);
    int failed;

    if (!list || !setups)
        abort();
    for (size_t i = 0; i < count; i++) {
        const bool own = chosen[i]->setup || chosen[i]->teardown;

        setups[i] = own ? chosen[i]->setup : about->each_setup;
        list[i] =
            (struct CMUnitTest){ chosen[i]->name, chosen[i]->run, begin,
                                 own ? chosen[i]->teardown : about->each_teardown, &setups[i] };
    }
    free(chosen);
    if (count == 0) {
        fprintf(stderr, "%s: no test matches %s\n", file, pattern);
        free(list);
        free(setups);
        return USAGE;
    }
    if (about->before)
        about->before(file);
    for (size_t i = 0; i < count && about->needs && !*about->needs; i++)
        list[i] = (struct CMUnitTest){ list[i].name, skipped, NULL, NULL, NULL };
    failed = _cmocka_run_group_tests(file, list, count, about->setup, about->teardown);
    failed += scratch_close(about->leaves);
    free(list);
    free(setups);
    return failed;
}

/* AddressSanitizer reads its options when a process starts. */
static void start_with_options(const char *options, char **argv)
{
    const char *const given = getenv("ASAN_OPTIONS");
    char all[1024];

    if (!options || getenv("ASSAY_TEST_STARTED"))
        return;
    snprintf(all, sizeof all, "%s:%s", options, given ? given : "");
    setenv("ASAN_OPTIONS", all, 1);
    setenv("ASSAY_TEST_STARTED", "1", 1);
    execv(program, argv);
}

int main(int argc, char **argv)
{
    static const struct test_file nothing;
    const struct test_file *about = files;
    const char *const file = argc > 1 ? argv[1] : "--help", *pattern = "*";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    int result = -1;

    program[length > 0 ? length : 0] = '\0';
    if (argc == 2 && strcmp(file, "--list") == 0)
        return list_files();
    if (!has_tests_of(file)) {
        char beside[PATH_MAX + FILE_NAME_MAX];

        snprintf(beside, sizeof beside, "%s.%.*s", program, FILE_NAME_MAX - 2, file);
        if (file[0] != '-')
            execv(beside, argv);
        fprintf(stderr,
                "usage: %s --list | FILE [--filter=PATTERN] | FILE --list | FILE ARGUMENT...\n"
                "%s: no such file of tests\n",
                argv[0], file);
        return USAGE;
    }
    while (about && !is_in(about->file, file))
        about = about->next;
    if (!about)
        about = &nothing;
    if (argc == 3 && strcmp(argv[2], "--list") == 0)
        return list_tests(file);
    start_with_options(about->asan_options, argv);
    if (argc == 3 && strncmp(argv[2], "--filter=", 9) == 0)
        pattern = argv[2] + 9;
    else if (argc > 2) {
        if (about->main)
            result = about->main(argc - 1, argv + 1);
        if (result < 0)
            fprintf(stderr, "%s: no such arguments: %s ...\n", file, argv[2]);
        return result < 0 ? USAGE : result;
    }
    return run_file(file, about, pattern);
}
