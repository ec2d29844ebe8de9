/* Runs a fuzz target over files and folders without a fuzzer, so that every build can replay the
 * corpora:
 *     replay TARGET PATH...
 *     replay --list           the targets
 *     replay PATH...          as the engine of one target (build.sh) */
#include "fuzz/replay.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS_MAX = 60 }; /* for one input: a longer run is a hang */

/* Where there is one target, which keeps its name. */
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct replay_target *targets;
static struct replay_target target = { "the target", NULL, NULL, NULL };

void replay_add(struct replay_target *t)
{
    t->next = targets;
    targets = t;
}

static int complain(const char *path)
{
    fprintf(stderr, "replay: %s: %s: %s\n", target.name, path, strerror(errno));
    return -1;
}

/* Returns 1, or -1 when the file cannot be read. */
static long replay_file(const char *path, size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);
    FILE *f = fopen(path, "rb");
    long result = 1;

    if (!bytes || !f || fread(bytes, 1, size, f) != size)
        result = complain(path);
    else {
        alarm(SECONDS_MAX);
        target.run(bytes, size);
        alarm(0);
    }
    if (f)
        fclose(f);
    free(bytes);
    return result;
}

/* Returns how many inputs were run, or -1. */
static long replay(const char *path)
{
    const struct dirent *entry;
    struct stat info;
    long inputs = 0;
    DIR *d;

    if (stat(path, &info) != 0)
        return complain(path);
    if (!S_ISDIR(info.st_mode))
        return replay_file(path, (size_t)info.st_size);
    if (!(d = opendir(path)))
        return complain(path);
    while (inputs >= 0 && (entry = readdir(d))) {
        char inner[4096];
        long more;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        more = replay(inner);
        inputs = more < 0 ? more : inputs + more;
    }
    closedir(d);
    return inputs;
}

static bool find_target(const char *name)
{
    for (const struct replay_target *t = targets; t; t = t->next)
        if (strcmp(t->name, name) == 0) {
            target = *t;
            return true;
        }
    return false;
}

/* AddressSanitizer reads the options of a target when a process starts. */
static void start_with_options(char **argv)
{
    const char *const given = getenv("ASAN_OPTIONS");
    char options[1024];

    if (!target.asan_options || getenv("REPLAY_STARTED"))
        return;
    snprintf(options, sizeof options, "%s:%s", target.asan_options(), given ? given : "");
    setenv("ASAN_OPTIONS", options, 1);
    setenv("REPLAY_STARTED", "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    int first = 1;
    long inputs = 0;

    if (LLVMFuzzerTestOneInput)
        target.run = LLVMFuzzerTestOneInput;
    else if (argc > 1 && find_target(argv[1]))
        first = 2;
    else if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (const struct replay_target *t = targets; t; t = t->next)
            puts(t->name);
        return 0;
    } else {
        fprintf(stderr, "usage: replay --list | TARGET PATH...\n");
        return 2;
    }
    start_with_options(argv);
    for (int i = first; i < argc; i++) {
        const long more = replay(argv[i]);

        if (more < 0)
            return 1;
        inputs += more;
    }
    printf("replay: %s: %ld inputs\n", target.name, inputs);
    return inputs > 0 ? 0 : 1;
}
