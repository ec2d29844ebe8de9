/* Reading and writing whole files: contents, limits, and no file left behind by a failure. */
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[] = P_tmpdir "/assay-test-file-XXXXXX";

FIXTURE(make_folder)
{
    return mkdtemp(folder) ? 0 : -1;
}

/* Fails when a test has left a file in the folder. */
FIXTURE(remove_folder)
{
    return rmdir(folder);
}

static char *path_in(char *text, size_t room, const char *name)
{
    snprintf(text, room, "%s/%s", folder, name);
    return text;
}

static size_t entries(void)
{
    DIR *d = opendir(folder);
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

TEST(reads_what_was_written)
{
    static uint8_t text[200000];
    static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, sizeof text };
    char path[256];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 7 >> 3);
    path_in(path, sizeof path, "data");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct diag diag = { 0 };
        uint8_t *bytes;
        size_t count;

        assert_int_equal(file_write(path, text, sizes[i], &diag), STATUS_OK);
        assert_int_equal(entries(), 1);
        assert_int_equal(file_read(path, sizes[i], &bytes, &count, &diag), STATUS_OK);
        assert_int_equal(count, sizes[i]);
        assert_memory_equal(bytes, text, count);
        mem_free(bytes);
        assert_int_equal(file_read(path, SIZE_MAX, &bytes, &count, &diag), STATUS_OK);
        assert_int_equal(count, sizes[i]);
        mem_free(bytes);
        if (sizes[i] == 0)
            continue;
        assert_int_equal(file_read(path, sizes[i] - 1, &bytes, &count, &diag), STATUS_IO);
        assert_non_null(strstr(diag.text, "more than"));
        assert_null(bytes);
        assert_int_equal(count, 0);
    }
    unlink(path);
}

TEST(reads_a_pipe)
{
    static uint8_t text[150000];
    char path[64];
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    size_t count;
    int ends[2];
    pid_t child;

    memset(text, 'p', sizeof text);
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        size_t done = 0;

        close(ends[0]);
        while (done < sizeof text) {
            const ssize_t n = write(ends[1], text + done, sizeof text - done);

            if (n <= 0)
                _exit(1);
            done += (size_t)n;
        }
        _exit(0);
    }
    assert_true(child > 0);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(file_read(path, 1 << 20, &bytes, &count, NULL), STATUS_OK);
    close(ends[0]);
    assert_int_equal(count, sizeof text);
    assert_memory_equal(bytes, text, count);
}

/* Neither is waited for, nor read without an end. */
TEST(what_is_no_file_is_refused_at_once)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct file_model file;
    char path[64];
    uint8_t *bytes;
    size_t count;
    int listener;

    alarm(20); /* a failure hangs */
    path_in(path, sizeof path, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_read(path, 100, &bytes, &count, &err), STATUS_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "a named pipe, expected a regular file"));
    assert_int_equal(file_model_open(path, &file, &err), STATUS_IO);
    unlink(path);

    path_in(path, sizeof path, "socket");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(file_read(path, 100, &bytes, &count, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "a socket"));
    close(listener);
    unlink(path);

    assert_int_equal(file_read("/dev/zero", SIZE_MAX, &bytes, &count, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "/dev/zero: a character device"));
    assert_int_equal(file_read(folder, 100, &bytes, &count, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "a directory"));
    assert_null(bytes);
    alarm(0);
}

/* What is shorter is read, so that its bytes stay whatever becomes of the file. */
TEST(long_models_are_mapped)
{
    for (int more = -1; more < 2; more++) {
        const size_t count = (size_t)(FILE_MAPPED_MIN + more);
        struct file_model file;
        char path[64];
        int fd;

        path_in(path, sizeof path, "model");
        fd = open(path, O_RDWR | O_CREAT, 0600);
        assert_int_equal(ftruncate(fd, (off_t)count), 0);
        assert_int_equal(pwrite(fd, "end", 3, (off_t)count - 3), 3);
        assert_int_equal(file_model_open(path, &file, &err), STATUS_OK);
        assert_int_equal(file.count, count);
        assert_int_equal(file.mapped, more < 0 ? 0 : count);
        assert_memory_equal(file.bytes + count - 3, "end", 3);
        if (more < 0) {
            assert_int_equal(ftruncate(fd, 0), 0);
            assert_memory_equal(file.bytes + count - 3, "end", 3);
        }
        file_model_close(&file);
        assert_null(file.bytes);
        close(fd);
        unlink(path);
    }
}

/* What a library opens by its path, or what is read twice. */
TEST(what_has_to_be_a_regular_file)
{
    char path[64], text[160];
    int fd = 5, ends[2];

    alarm(20);
    path_in(path, sizeof path, "file");
    assert_int_equal(file_write(path, "abc", 3, &err), STATUS_OK);
    assert_int_equal(file_expect_regular(path, &err), STATUS_OK);
    assert_int_equal(file_open_regular(path, &fd, &err), STATUS_OK);
    assert_int_equal(read(fd, text, sizeof text), 3);
    assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    close(fd);
    unlink(path);
    assert_int_equal(file_open_regular(path, &fd, &err), STATUS_IO);
    assert_int_equal(fd, -1);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_expect_regular(path, &err), STATUS_IO);
    snprintf(text, sizeof text, "%s: a named pipe, expected a regular file", path);
    assert_string_equal(err.text, text);
    unlink(path);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(file_open_regular(path, &fd, &err), STATUS_IO);
    assert_int_equal(fd, -1);
    snprintf(text, sizeof text, "%s: a named pipe, expected a regular file", path);
    assert_string_equal(err.text, text);
    close(ends[0]);
    close(ends[1]);
    alarm(0);
}

TEST(failures_name_the_path)
{
    uint8_t *bytes = (uint8_t *)folder;
    size_t count = 5;
    char path[256];

    path_in(path, sizeof path, "absent");
    assert_int_equal(file_read(path, 100, &bytes, &count, &err), STATUS_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "No such file"));
    assert_null(bytes);
    assert_int_equal(count, 0);
    assert_int_equal(file_read(folder, 100, &bytes, &count, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "directory"));
    assert_null(bytes);
    assert_int_equal(file_write(folder, "x", 1, &err), STATUS_IO);
    assert_non_null(strstr(err.text, folder));
    path_in(path, sizeof path, "no/such/folder");
    assert_int_equal(file_write(path, "x", 1, &err), STATUS_IO);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(entries(), 0);
}

TEST(a_failed_write_leaves_the_old_file)
{
    uint8_t *bytes;
    size_t count;
    char path[256];

    path_in(path, sizeof path, "kept");
    assert_int_equal(file_write(path, "old", 3, &err), STATUS_OK);
    mem_fail_after(0);
    assert_int_equal(file_write(path, "newer", 5, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_int_equal(entries(), 1);
    assert_int_equal(file_read(path, 100, &bytes, &count, &err), STATUS_OK);
    assert_int_equal(count, 3);
    assert_memory_equal(bytes, "old", 3);
    mem_free(bytes);
    mem_fail_after(0);
    assert_int_equal(file_read(path, 100, &bytes, &count, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_null(bytes);
    unlink(path);
}

TEST(links_and_devices_stay)
{
    struct stat info;
    char target[256], name[256];

    path_in(target, sizeof target, "target");
    path_in(name, sizeof name, "link");
    assert_int_equal(file_write(target, "old", 3, NULL), STATUS_OK);
    assert_int_equal(symlink("target", name), 0);
    assert_int_equal(file_write(name, "newer", 5, NULL), STATUS_OK);
    assert_int_equal(lstat(name, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(target, &info), 0);
    assert_int_equal(info.st_size, 5);
    unlink(name);
    unlink(target);
    assert_int_equal(file_write("/dev/null", "gone", 4, NULL), STATUS_OK);
    assert_int_equal(lstat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(file_write("/dev/full", "full", 4, NULL), STATUS_IO);
}

TEST_FILE(.setup = make_folder, .teardown = remove_folder);
