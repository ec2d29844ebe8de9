#include "conformance/tools/cli/conformance_setup.h"

#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/hostile/hostile.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/suite/models/digits.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/sha256.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUBJECTS_OURS = 4 };

/* ---- what runs ---- */

static bool names_option(const struct string_list *options, const char *key)
{
    const size_t length = strlen(key);

    for (size_t i = 0; i < options->count; i++) {
        if (strncmp(options->items[i], key, length) == 0 && options->items[i][length] == '=')
            return true;
    }
    return false;
}

bool conformance_runs_ours(const struct conformance_request *q)
{
    const struct args_common *const common = &q->common;

    return !q->hostile && q->subjects.count == 0 && !common->delegate &&
           common->delegate_option.count == (common->device ? 1 : 0);
}

/* Opens one more subject, with one more option where value is not NULL. */
static enum status open_subject(const struct conformance_request *q, struct subject *subjects,
                                size_t *count, const char *key, const char *value,
                                struct diag *diag)
{
    const struct args_common *const common = &q->common;
    struct subject *const s = &subjects[*count];

    TRY(subject_init(s, common->delegate, &common->delegate_option, diag));
    ++*count;
    if (value)
        TRY(subject_set(s, key, value, diag));
    return q->bounds ? subject_hold_to(s, q->bounds, diag) : STATUS_OK;
}

/* Opens what --subject names, a column each. */
static enum status open_named_subjects(const struct conformance_request *q,
                                       struct subject *subjects, size_t *count, struct diag *diag)
{
    if (q->common.delegate || q->common.delegate_option.count > 0)
        return diag_fail(diag, STATUS_USAGE,
                         "--subject and %s do not mix; options of a subject stand behind its "
                         "name: --subject='delegate:PATH?KEY=VALUE&KEY=VALUE'",
                         q->common.delegate ? "--delegate" : "--delegate-option");
    if (q->subjects.count > CONFORMANCE_SUBJECTS_MAX)
        return diag_fail(diag, STATUS_USAGE, "expected at most %d --subject, found %zu",
                         CONFORMANCE_SUBJECTS_MAX, q->subjects.count);
    for (size_t i = 0; i < q->subjects.count; i++) {
        struct subject *const s = &subjects[*count];

        TRY(subject_parse(s, q->subjects.items[i], diag));
        ++*count;
        if (q->bounds && !s->bounds_given)
            TRY(subject_hold_to(s, q->bounds, diag));
    }
    return STATUS_OK;
}

/* Our delegate is four subjects: floats in fp32 and fp16, 8-bit models exact and in float view.
 * Where an option names one of these modes, or --delegate a library, one subject runs all cases. */
enum status conformance_open_subjects(const struct conformance_request *q, struct subject *subjects,
                                      size_t *count, struct diag *diag)
{
    static const struct {
        const char *key, *value;
        bool skips_floats, skips_quantized;
    } ours[SUBJECTS_OURS] = {
        { "precision", "fp32", false, true },
        { "precision", "fp16", false, true },
        { "quantized", "exact", true, false },
        { "quantized", "float_view", true, false },
    };
    const struct string_list *const options = &q->common.delegate_option;

    if (q->subjects.count > 0)
        return open_named_subjects(q, subjects, count, diag);
    if (q->hostile || q->common.delegate || names_option(options, "precision") ||
        names_option(options, "allow_precision_loss") || names_option(options, "quantized"))
        return open_subject(q, subjects, count, NULL, NULL, diag);
    for (size_t i = 0; i < SUBJECTS_OURS; i++) {
        TRY(open_subject(q, subjects, count, ours[i].key, ours[i].value, diag));
        subjects[i].skips_floats = ours[i].skips_floats;
        subjects[i].skips_quantized = ours[i].skips_quantized;
        subjects[i].optional = true;
    }
    return STATUS_OK;
}

const char *conformance_lack(const struct subject *s, const char *text)
{
    const size_t label = strlen(s->label);
    const bool labelled =
        strncmp(text, s->label, label) == 0 && strncmp(text + label, ": ", 2) == 0;

    return labelled ? text + label + 2 : text;
}

void conformance_drop_idle(const struct conformance_cases *cases, struct subject *subjects,
                           size_t *count)
{
    const size_t all = *count;

    *count = 0;
    for (size_t i = 0; i < all; i++) {
        bool runs = cases->list_count == 0;

        for (size_t c = 0; c < cases->list_count && !runs; c++)
            runs = subject_runs(&subjects[i], &cases->list[c]);
        if (!runs) {
            subject_close(&subjects[i]);
        } else {
            const struct subject s = subjects[i];

            if (*count < i)
                subjects[i] = (struct subject){ .path = NULL };
            subjects[(*count)++] = s;
        }
    }
}

/* ---- cases ---- */

/* The SHA-256 of the names of all cases, a line feed behind each: two runs have the same list when
 * it is the same. */
static enum status hash_names(struct conformance_cases *x, struct diag *diag)
{
    size_t bytes = 0, used = 0;
    char *text;

    for (size_t i = 0; i < x->list_count; i++)
        bytes += strlen(x->list[i].name) + 1;
    text = mem_alloc(bytes + 1, 1);
    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "list of cases: out of memory");
    for (size_t i = 0; i < x->list_count; i++)
        used += (size_t)snprintf(text + used, bytes + 1 - used, "%s\n", x->list[i].name);
    sha256_hex(text, bytes, x->list_sha256);
    mem_free(text);
    return STATUS_OK;
}

/* Copies the list to items, keeps there the cases of one shard, and notes where they stood. */
static enum status keep_shard(struct conformance_cases *x, const struct selection *selection,
                              struct diag *diag)
{
    size_t kept = 0;

    x->items = mem_alloc(x->list_count + 1, sizeof *x->items);
    x->indices = mem_alloc(x->list_count + 1, sizeof *x->indices);
    if (!x->items || !x->indices)
        return diag_fail(diag, STATUS_NO_MEMORY, "list of cases: out of memory");
    for (size_t i = 0; i < x->list_count; i++) {
        if (select_shard_of(x->list[i].name, selection->shards) != selection->shard)
            continue;
        x->items[kept] = x->list[i];
        x->indices[kept++] = i;
    }
    x->count = kept;
    return STATUS_OK;
}

/* The hostile models, in place of the suite's cases. */
static enum status open_models(const struct conformance_request *q, struct conformance_cases *cases,
                               struct diag *diag)
{
    struct selection whole = { .filters = q->selection.filters };

    TRY(corpus_open(&q->hostile->corpus, diag));
    TRY(corpus_cases(&q->hostile->corpus, &cases->list, &cases->list_count, diag));
    TRY(select_cases(cases->list, &cases->list_count, &whole, diag));
    corpus_draw(cases->list, &cases->list_count, q->selection.limit, q->common.seed);
    TRY(hash_names(cases, diag));
    return keep_shard(cases, &q->selection, diag);
}

enum status conformance_open_cases(const struct conformance_request *q,
                                   struct conformance_cases *cases, struct diag *diag)
{
    struct selection whole = q->selection;
    struct habit_choice habits;

    whole.shard = whole.shards = 0;
    whole.other_name = q->models ? digits_name : NULL;
    *cases = (struct conformance_cases){ .items = NULL };
    if (q->hostile)
        return open_models(q, cases, diag);
    TRY(cases_list(&cases->list, &cases->list_count, diag));
    TRY(random_cases_append(q->common.seed, q->graphs, &cases->list, &cases->list_count,
                            &cases->graphs, diag));
    TRY(select_cases(cases->list, &cases->list_count, &whole, diag));
    if (q->quick) {
        cases->quick_of = cases->list_count;
        TRY(quick_select(cases->list, &cases->list_count, q->common.seed, diag));
    }
    TRY(habits_parse(q->habits, &habits, diag));
    habits.quick = q->quick;
    TRY(habits_draw(&habits, cases->list, cases->list_count, q->common.seed, diag));
    TRY(hash_names(cases, diag));
    return keep_shard(cases, &q->selection, diag);
}

void conformance_close_cases(struct conformance_cases *cases)
{
    mem_free(cases->indices);
    mem_free(cases->graphs);
    mem_free(cases->items);
    mem_free(cases->list);
    *cases = (struct conformance_cases){ .items = NULL };
}

/* ---- before the run ---- */

enum status conformance_try_output(const char *path, struct diag *diag)
{
    char name[PATH_MAX];
    struct stat st;
    int fd;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        if (S_ISDIR(st.st_mode))
            return diag_fail(diag, STATUS_IO, "%s: is a directory", path);
        return access(path, W_OK) == 0
                   ? STATUS_OK
                   : diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    }
    if (snprintf(name, sizeof name, "%s.XXXXXX", path) >= (int)sizeof name)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", path);
    fd = mkstemp(name);
    if (fd < 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    close(fd);
    unlink(name);
    return STATUS_OK;
}

enum status conformance_try_directory(const char *path, struct diag *diag)
{
    struct stat st;

    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) != 0)
        return diag_fail(diag, STATUS_IO, "%s: expected a directory that can be written to", path);
    return STATUS_OK;
}

/* Makes Mesa keep the many shaders of the suite apart from those of the user's programs. */
static void use_private_shader_cache(void)
{
    static const char name[] = "MESA_SHADER_CACHE_DIR";
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    char path[PATH_MAX];
    int n = -1;

    if (getenv(name))
        return;
    if (cache && cache[0] == '/')
        n = snprintf(path, sizeof path, "%s/assay", cache);
    else if (home && home[0] == '/')
        n = snprintf(path, sizeof path, "%s/.cache/assay", home);
    if (n < 0 || (size_t)n >= sizeof path - 16)
        return;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
    strcat(path, "/shaders");
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        setenv(name, path, 0);
}

void conformance_prepare_environment(size_t jobs)
{
    use_private_shader_cache();
    /* Each processor has a worker, beside which threads of lavapipe would take turns with it. */
    if (jobs != 1)
        setenv("LP_NUM_THREADS", "0", 0);
}
