#include "conformance/report/forms/text_kit.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

void text_list_word(struct text_list *l, const char *word)
{
    const size_t length = strlen(word);

    if (l->column > 0 && l->column + 1 + length > TEXT_COLUMNS - 1) {
        fputc('\n', l->out);
        l->column = 0;
    }
    fprintf(l->out, "%s%s", l->column == 0 ? "    " : " ", word);
    l->column += length + (l->column == 0 ? 4 : 1);
}

void text_list_words(struct text_list *l, const char *sentence)
{
    char word[64];

    while (*sentence) {
        const size_t length = strcspn(sentence, " ");

        snprintf(word, sizeof word, "%.*s", (int)length, sentence);
        text_list_word(l, word);
        sentence += length + (sentence[length] == ' ');
    }
}

/* ---- groups ---- */

static int compare_texts(const void *a, const void *b, void *user)
{
    const char *const *const texts = user;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const int order = strcmp(texts[i], texts[j]);

    return order ? order : (i > j) - (i < j);
}

static int compare_firsts(const void *a, const void *b)
{
    const size_t i = ((const struct text_group *)a)->items[0];
    const size_t j = ((const struct text_group *)b)->items[0];

    return (i > j) - (i < j);
}

enum status text_group(struct arena *arena, const char *const *texts, size_t count,
                       struct text_group **groups, size_t *group_count, struct diag *diag)
{
    size_t *const sorted = ARENA_NEW(arena, count, size_t);
    struct text_group *const all = ARENA_NEW(arena, count, struct text_group);
    size_t n = 0, used = 0;

    if (!sorted || !all)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = 0; i < count; i++) {
        if (texts[i])
            sorted[used++] = i;
    }
    qsort_r(sorted, used, sizeof *sorted, compare_texts, (void *)(uintptr_t)texts);
    for (size_t i = 0; i < used; i++) {
        if (i == 0 || strcmp(texts[sorted[i]], texts[sorted[i - 1]]) != 0)
            all[n++] = (struct text_group){ .text = texts[sorted[i]], .items = &sorted[i] };
        all[n - 1].count++;
    }
    qsort(all, n, sizeof *all, compare_firsts);
    *groups = all;
    *group_count = n;
    return STATUS_OK;
}
