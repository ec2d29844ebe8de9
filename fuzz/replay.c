/* Runs a fuzz target over files and folders without a fuzzer, so that every build can replay the
 * corpora.  The name of the target is that of the program, replay_<name>. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS_MAX = 60 }; /* for one input: a longer run is a hang */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *target = "?";

static int complain(const char *path)
{
    fprintf(stderr, "replay: %s: %s: %s\n", target, path, strerror(errno));
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
        LLVMFuzzerTestOneInput(bytes, size);
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

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    long inputs = 0;

    if (argc > 0)
        target = slash ? slash + 1 : argv[0];
    if (strncmp(target, "replay_", 7) == 0)
        target += 7;
    for (int i = 1; i < argc; i++) {
        const long more = replay(argv[i]);

        if (more < 0)
            return 1;
        inputs += more;
    }
    printf("replay: %s: %ld inputs\n", target, inputs);
    return inputs > 0 ? 0 : 1;
}
