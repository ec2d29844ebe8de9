/* Tests that register themselves:
 *
 *     TEST(an_empty_graph_is_refused)
 *     {
 *         assert_int_equal(graph_check(&g, &diag), STATUS_INVALID);
 *     }
 *
 * A file of tests has no main and no list: the runner of its layer is linked with all files, and
 * runs one of them (test.c).  Assertions, skip() and the text of a run are those of cmocka.
 *
 * Comments of a file, a line each, that the Makefile reads:
 *     Needs: what of $(B) the tests open, built before them
 *     Wrap: functions that the linker replaces by __wrap_NAME of this file, for all tests of the
 *         runner: unless a test of this file asks for it, that calls __real_NAME
 *     Alone: why the file is a program of its own */
#ifndef ASSAY_REFERENCE_TESTS_KIT_TEST_H
#define ASSAY_REFERENCE_TESTS_KIT_TEST_H

#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/err.h"
#include "reference/tests/kit/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test {
    const char *name, *file;
    int line;
    CMUnitTestFunction run;
    CMFixtureFunction setup, teardown;
    struct test *next;
};

/* What a file has beside its tests; every member may be left out. */
struct test_file {
    const char *file;
    /* Called before the tests with the name of the file, to look for a device. */
    void (*before)(const char *file);
    const bool *needs; /* all tests are skipped where this is false */
    /* Around all tests, and around each that names none of its own. */
    CMFixtureFunction setup, teardown, each_setup, each_teardown;
    /* Called in place of the tests where there are other arguments: argv[0] is the name of the
     * file. Returns an exit status, or -1 where it knows no such arguments. */
    int (*main)(int argc, char **argv);
    const char *asan_options; /* of AddressSanitizer */
    /* What the scratch directory may hold in the end, a pattern of scratch_close. */
    const char *leaves;
    struct test_file *next;
};

void test_add(struct test *t);
void test_file_add(struct test_file *f);

/* TEST(name), or TEST(name, .setup = open, .teardown = close). */
#define TEST(...) TEST_(__VA_ARGS__, )
#define TEST_(name_, ...)                                                                          \
    static void name_(void **state);                                                               \
    __attribute__((constructor)) static void test_add_##name_(void)                                \
    {                                                                                              \
        static struct test t = {                                                                   \
            .name = #name_, .file = __FILE__, .line = __LINE__, .run = name_, __VA_ARGS__          \
        };                                                                                         \
        test_add(&t);                                                                              \
    }                                                                                              \
    static void name_(void **state __attribute__((unused)))

/* cmocka catches the signals of crashes in every test, and a process that it starts inherits that:
 * a crash would not end it, but go on with the tests. */
void default_signals(void);

/* What TEST or TEST_FILE names as a setup or teardown; it returns 0 where all went well. */
#define FIXTURE(name) static int name(void **state __attribute__((unused)))

/* TEST_FILE(.before = kit_find_device, .setup = open, .teardown = close); once in a file. */
#define TEST_FILE(...)                                                                             \
    __attribute__((constructor)) static void test_file_describe(void)                              \
    {                                                                                              \
        static struct test_file f = { .file = __FILE__, __VA_ARGS__ };                             \
        test_file_add(&f);                                                                         \
    }                                                                                              \
    struct test_file

#endif
