/* Packs the shaders while the delegate is built, in the form that unpack.h describes:
 *     pack FILE.spv...             writes it before it is deflated
 *     pack -c FILE.gz FILE.spv...  writes the C file that has it, if it unpacks to the same words
 */
#include "delegate/shaders/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    uint32_t *at;
    size_t count;
};

static struct words all, heads;
static struct words plain[SPIRV_LISTS], distant[SPIRV_LISTS];

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "pack: %s: %s\n", what, why);
    exit(1);
}

static void *not_null(void *block)
{
    if (!block)
        stop("memory", "none");
    return block;
}

static void add(struct words *to, uint32_t word)
{
    if ((to->count & (to->count - 1)) == 0)
        to->at = not_null(realloc(to->at, (to->count ? 2 * to->count : 1) * sizeof word));
    to->at[to->count++] = word;
}

static void read_shader(struct spirv *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strlen(name) > 4 ? strlen(name) - 4 : 0;
    FILE *f = fopen(path, "rb");
    uint32_t word;

    if (!f)
        stop(path, "cannot be read");
    if (length == 0 || length >= sizeof s->name || strcmp(name + length, ".spv") != 0)
        stop(path, "expected NAME.spv, of fewer characters than struct spirv has room for");
    memcpy(s->name, name, length);
    s->first = (uint32_t)all.count;
    while (fread(&word, sizeof word, 1, f) == 1)
        add(&all, word);
    s->count = (uint32_t)all.count - s->first;
    fclose(f);
}

/* Puts the words of a shader into their lists, the operands in both forms. */
static void split(const struct spirv *s)
{
    const uint32_t *word = all.at + s->first, *end = word + s->count;
    uint32_t newest = 0;

    for (int i = 0; i < SPIRV_HEADER && word < end; i++)
        add(&heads, *word++);
    while (word < end) {
        const uint32_t head = *word++;

        add(&heads, head);
        for (uint32_t i = 0; i + 1 < head >> 16 && word < end; i++, word++) {
            const uint32_t list = spirv_list(head, i);

            add(&plain[list], *word);
            add(&distant[list], newest + 1 - *word);
            newest += *word == newest + 1;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static size_t distinct(const struct words *list)
{
    uint32_t *sorted = not_null(malloc(list->count * sizeof *sorted));
    size_t n = 1;

    memcpy(sorted, list->at, list->count * sizeof *sorted);
    qsort(sorted, list->count, sizeof *sorted, compare);
    for (size_t i = 1; i < list->count; i++)
        n += sorted[i] != sorted[i - 1];
    free(sorted);
    return n;
}

/* A list is stored in the form that has fewer different words. */
static void append_lists(void)
{
    for (int i = 0; i < SPIRV_LISTS; i++) {
        if (plain[i].count > 0) {
            const bool distances = distinct(&distant[i]) < distinct(&plain[i]);
            const struct words *form = distances ? &distant[i] : &plain[i];

            add(&heads, distances);
            for (size_t j = 0; j < form->count; j++)
                add(&heads, form->at[j]);
        }
    }
}

/* The packed form before it is deflated: four planes. */
static void write_planes(void)
{
    for (int shift = 0; shift < 32; shift += 8)
        for (size_t i = 0; i < heads.count; i++)
            putchar(heads.at[i] >> shift & 0xff);
}

static void write_c(const struct spirv *shaders, size_t count, const char *path)
{
    uint32_t *again = not_null(calloc(all.count, sizeof *again));
    FILE *f = fopen(path, "rb");
    uint8_t *file = not_null(malloc(4 * all.count));
    const size_t bytes = f ? fread(file, 1, 4 * all.count, f) : 0;

    if (!spirv_unpack(again, shaders, count, file, bytes) ||
        memcmp(again, all.at, all.count * sizeof *again) != 0)
        stop(path, "does not unpack to the words of the shaders");
    puts("#include \"delegate/shaders/spirv.h\"\nconst struct spirv spirv_shaders[] = {");
    for (size_t i = 0; i < count; i++)
        printf("    { \"%s\", %u, %u },\n", shaders[i].name, shaders[i].first, shaders[i].count);
    printf("};\nconst size_t spirv_shader_count = %zu;\n", count);
    printf("uint32_t spirv_words[%zu];\nconst size_t spirv_word_count = %zu;\n", all.count,
           all.count);
    printf("const size_t spirv_packed_bytes = %zu;\nconst uint8_t spirv_packed[] = {", bytes);
    for (size_t i = 0; i < bytes; i++)
        printf("%s%u,", i % 25 ? "" : "\n", file[i]);
    puts("\n};");
}

int main(int argc, char **argv)
{
    const int first = argc > 2 && strcmp(argv[1], "-c") == 0 ? 3 : 1;
    const size_t count = argc > first ? (size_t)(argc - first) : 0;
    struct spirv *shaders = not_null(calloc(count + 1, sizeof *shaders));

    for (size_t i = 0; i < count; i++) {
        read_shader(&shaders[i], argv[first + (int)i]);
        split(&shaders[i]);
    }
    append_lists();
    if (first == 1)
        write_planes();
    else
        write_c(shaders, count, argv[2]);
    if (fclose(stdout) != 0)
        stop("standard output", "cannot be written");
    return 0;
}
