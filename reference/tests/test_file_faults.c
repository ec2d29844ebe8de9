/* System calls that fail or are interrupted while a file is read or written: the error names the
 * path, an old file keeps its bytes, and nothing is left beside it. */
/* Wrap: read write fsync close fstat fcntl rename realpath */
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call {
    CALL_NONE,
    CALL_READ,
    CALL_WRITE,
    CALL_FSYNC,
    CALL_CLOSE,
    CALL_FSTAT,
    CALL_FCNTL,
    CALL_RENAME,
    CALL_REALPATH
};

static struct fault {
    enum call call;
    int error;
    int times;      /* how often the call still fails */
    bool one_byte;  /* writes take a byte at a time */
    unsigned count; /* calls that failed */
    mode_t kind;    /* what fstat says that a file is, but for 0 */
} fault;

static bool fails(enum call call)
{
    if (call != fault.call || fault.times == 0)
        return false;
    fault.times--;
    fault.count++;
    errno = fault.error;
    return true;
}

__typeof__(read) __real_read, __wrap_read;
__typeof__(write) __real_write, __wrap_write;
__typeof__(fsync) __real_fsync, __wrap_fsync;
__typeof__(close) __real_close, __wrap_close;
__typeof__(fstat) __real_fstat, __wrap_fstat;
__typeof__(fcntl) __wrap_fcntl;
__typeof__(rename) __real_rename, __wrap_rename;
__typeof__(realpath) __real_realpath, __wrap_realpath;

ssize_t __wrap_read(int fd, void *to, size_t count)
{
    return fails(CALL_READ) ? -1 : __real_read(fd, to, count);
}

ssize_t __wrap_write(int fd, const void *from, size_t count)
{
    if (fails(CALL_WRITE))
        return -1;
    return __real_write(fd, from, fault.one_byte && count > 1 ? 1 : count);
}

int __wrap_fsync(int fd)
{
    return fails(CALL_FSYNC) ? -1 : __real_fsync(fd);
}

int __wrap_close(int fd)
{
    const int result = __real_close(fd);

    return fails(CALL_CLOSE) ? -1 : result;
}

int __wrap_fstat(int fd, struct stat *info)
{
    if (fails(CALL_FSTAT) || __real_fstat(fd, info) != 0)
        return -1;
    if (fault.kind)
        info->st_mode = (info->st_mode & ~(mode_t)S_IFMT) | fault.kind;
    return 0;
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(CALL_RENAME) ? -1 : __real_rename(from, to);
}

char *__wrap_realpath(const char *name, char *to)
{
    return fails(CALL_REALPATH) ? NULL : __real_realpath(name, to);
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;
    long value;

    va_start(args, command);
    value = va_arg(args, long);
    va_end(args);
    return fails(CALL_FCNTL) ? -1 : (int)syscall(SYS_fcntl, fd, command, value);
}

static char folder[] = P_tmpdir "/assay-test-faults-XXXXXX";
static char path[sizeof folder + 16];

FIXTURE(make_file)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/kept", folder);
    return file_write(path, "old bytes", 9, NULL) == STATUS_OK ? 0 : -1;
}

/* Fails when something was left beside the file. */
FIXTURE(remove_file)
{
    return unlink(path) != 0 || rmdir(folder) != 0;
}

static void expect_bytes(const char *text)
{
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    size_t count;

    assert_int_equal(file_read(path, 100, &bytes, &count, &err), STATUS_OK);
    assert_int_equal(count, strlen(text));
    assert_memory_equal(bytes, text, count);
}

TEST(interrupted_calls_are_repeated)
{
    fault = (struct fault){ .call = CALL_READ, .error = EINTR, .times = 3 };
    expect_bytes("old bytes");
    assert_int_equal(fault.count, 3);
    fault = (struct fault){ .call = CALL_WRITE, .error = EINTR, .times = 2 };
    assert_int_equal(file_write(path, "other", 5, NULL), STATUS_OK);
    assert_int_equal(fault.count, 2);
    fault = (struct fault){ .one_byte = true };
    assert_int_equal(file_write(path, "old bytes", 9, NULL), STATUS_OK);
    fault = (struct fault){ 0 };
    expect_bytes("old bytes");
}

TEST(failed_reads_name_the_path)
{
    static const enum call calls[] = { CALL_READ, CALL_FSTAT, CALL_FCNTL };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct diag diag = { 0 };
        uint8_t *bytes = (uint8_t *)path;
        size_t count = 7;

        fault = (struct fault){ .call = calls[i], .error = EIO, .times = 1 };
        assert_int_equal(file_read(path, 100, &bytes, &count, &diag), STATUS_IO);
        assert_int_equal(fault.count, 1);
        assert_non_null(strstr(diag.text, path));
        assert_non_null(strstr(diag.text, strerror(EIO)));
        assert_null(bytes);
        assert_int_equal(count, 0);
    }
    expect_bytes("old bytes");
}

TEST(failed_writes_leave_the_old_file)
{
    static const struct {
        enum call call;
        int error;
    } rows[] = { { CALL_WRITE, ENOSPC },
                 { CALL_FSYNC, EIO },
                 { CALL_CLOSE, EDQUOT },
                 { CALL_RENAME, EXDEV },
                 { CALL_REALPATH, ELOOP } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diag diag = { 0 };

        fault = (struct fault){ .call = rows[i].call, .error = rows[i].error, .times = 1 };
        assert_int_equal(file_write(path, "newer", 5, &diag), STATUS_IO);
        assert_int_equal(fault.count, 1);
        assert_non_null(strstr(diag.text, path));
        assert_non_null(strstr(diag.text, strerror(rows[i].error)));
        fault = (struct fault){ 0 };
        expect_bytes("old bytes");
    }
    /* In place, what a device took is gone; the error is told all the same. */
    fault = (struct fault){ .call = CALL_CLOSE, .error = EIO, .times = 1 };
    assert_int_equal(file_write("/dev/null", "x", 1, NULL), STATUS_IO);
    fault = (struct fault){ 0 };
}

/* Another process of the same number, before a reboot, may have left its file. */
TEST(names_that_are_taken_are_passed_over)
{
    char taken[sizeof path + 32];
    int fd;

    snprintf(taken, sizeof taken, "%s.%ld.0~", path, (long)getpid());
    assert_true((fd = open(taken, O_WRONLY | O_CREAT | O_EXCL, 0600)) >= 0);
    close(fd);
    assert_int_equal(file_write(path, "new", 3, NULL), STATUS_OK);
    expect_bytes("new");
    assert_int_equal(unlink(taken), 0); /* it was not touched */
}

TEST(all_names_may_be_taken)
{
    enum { NAMES = 1000 };
    char taken[sizeof path + 32];

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < NAMES; i++) {
            snprintf(taken, sizeof taken, "%s.%ld.%d~", path, (long)getpid(), i);
            if (pass == 0)
                assert_int_equal(close(open(taken, O_WRONLY | O_CREAT | O_EXCL, 0600)), 0);
            else
                assert_int_equal(unlink(taken), 0); /* none was touched */
        }
        if (pass == 0)
            assert_int_equal(file_write(path, "newer", 5, &err), STATUS_IO);
    }
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, strerror(EEXIST)));
    expect_bytes("new");
}

TEST(other_kinds_of_files_have_words)
{
    static const struct {
        mode_t kind;
        const char *words;
    } rows[] = { { S_IFSOCK, "a socket" },
                 { S_IFBLK, "a block device" },
                 { S_IFLNK, "no regular file" } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diag diag = { 0 };
        uint8_t *bytes;
        size_t count;

        fault = (struct fault){ .kind = rows[i].kind };
        assert_int_equal(file_read(path, 100, &bytes, &count, &diag), STATUS_IO);
        fault = (struct fault){ 0 };
        assert_non_null(strstr(diag.text, rows[i].words));
        assert_null(bytes);
    }
}

/* A pipe is read in room that grows, up to the limit and as far as memory goes. */
TEST(a_pipe_is_read_to_the_limit)
{
    static const uint8_t zeros[100000];
    const int before = dup(STDIN_FILENO);

    for (int i = 0; i < 3; i++) {
        static const enum status expected[] = { STATUS_OK, STATUS_LIMIT, STATUS_NO_MEMORY };
        uint8_t *bytes CLOSED_BY(kit_mem_free);
        size_t count;
        int ends[2];
        enum status s;

        assert_int_equal(pipe(ends), 0);
        assert_true(fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) >= (int)sizeof zeros);
        assert_int_equal(write(ends[1], zeros, sizeof zeros), sizeof zeros);
        close(ends[1]);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        if (i == 2)
            mem_fail_after(1);
        s = file_read("/dev/stdin", i == 1 ? sizeof zeros - 1 : 1 << 20, &bytes, &count, &err);
        mem_fail_after(-1);
        assert_int_equal(s == STATUS_IO && i == 1 ? STATUS_LIMIT : s, expected[i]);
        if (i == 0)
            assert_int_equal(count, sizeof zeros);
        else
            assert_null(bytes);
    }
    dup2(before, STDIN_FILENO);
    close(before);
}

TEST_FILE(.setup = make_file, .teardown = remove_file);
