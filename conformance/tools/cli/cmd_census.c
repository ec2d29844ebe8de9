/* assay census: what ops, operands, options and shapes models have, and which the suite covers. */
#include "conformance/suite/census/cover.h"
#include "conformance/suite/census/real_nodes.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/csv.h"
#include "conformance/util/json_text.h"
#include "conformance/util/output.h"
#include "conformance/util/progress.h"
#include "reference/base/arena.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* What could not be read, and why. */
struct unread {
    const char *path, *why;
};

struct request {
    struct arena arena;
    const char **paths; /* of models */
    struct unread *unread;
    size_t count, room, unread_count, unread_room;
    struct census census, cases, left_out; /* left_out: custom ops, by name */
    struct cover_sum sum;
    int fields; /* of kinds */
    bool real;  /* the census of real_nodes.h */
    bool missing;
};

/* ---- files ---- */

static bool grow(void **items, size_t count, size_t *room, size_t size)
{
    void *const more = count < *room ? *items : mem_resize(*items, 2 * count + 64, size);

    if (!more)
        return false;
    if (count >= *room)
        *room = 2 * count + 64;
    *items = more;
    return true;
}

static bool add_unread(struct request *r, const char *path, const char *why)
{
    const size_t length = strlen(path);
    struct unread u;
    void *items = r->unread;

    if (!grow(&items, r->unread_count, &r->unread_room, sizeof *r->unread))
        return false;
    r->unread = items;
    u.path = arena_string(&r->arena, path);
    /* Some messages begin with the path. */
    u.why = arena_string(
        &r->arena, strncmp(why, path, length) == 0 && why[length] == ':' ? why + length + 2 : why);
    r->unread[r->unread_count++] = u;
    return u.path && u.why;
}

static bool add_path(struct request *r, const char *path)
{
    void *items = r->paths;

    if (!grow(&items, r->count, &r->room, sizeof *r->paths))
        return false;
    r->paths = items;
    return (r->paths[r->count++] = arena_string(&r->arena, path)) != NULL;
}

static struct request *walking; /* nftw passes no pointer on */

/* Links are followed: caches of downloaded models are made of them. */
static int visit(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    const size_t length = strlen(path);
    const bool named = length > 7 && strcasecmp(path + length - 7, ".tflite") == 0;

    (void)st;
    if (kind == FTW_D || (kind == FTW_F && !named && ftw->level > 0))
        return 0;
    if (kind == FTW_F)
        return add_path(walking, path) ? 0 : ENOMEM;
    if (kind == FTW_DNR)
        return add_unread(walking, path, "the directory cannot be read") ? 0 : ENOMEM;
    return !named || add_unread(walking, path, "the file cannot be reached") ? 0 : ENOMEM;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum status find_models(struct request *r, const struct args *args, struct diag *diag)
{
    walking = r;
    for (size_t i = 0; i < args->count; i++) {
        const size_t before = r->count + r->unread_count;
        const int code = nftw(args->items[i], visit, 32, 0);

        if (code == ENOMEM)
            return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", args->items[i]);
        if (code != 0)
            return diag_fail(diag, STATUS_IO, "%s: %s", args->items[i], strerror(errno));
        if (r->count + r->unread_count == before)
            return diag_fail(diag, STATUS_IO, "%s: expected models (.tflite), found none",
                             args->items[i]);
    }
    if (r->count > 0)
        qsort(r->paths, r->count, sizeof *r->paths, by_name);
    return STATUS_OK;
}

/* A model that cannot be read is counted as such; fails only without memory. */
static enum status count_model(struct request *r, const char *path, struct diag *diag)
{
    struct diag why = { .status = STATUS_OK };
    struct model m = { 0 };
    struct file_model file;
    enum status s = model_file_read(path, &file, &why);

    if (s == STATUS_OK)
        s = tflite_read_accepting(&m, file.bytes, file.count, ACCEPT_LEGAL, &why);
    if (s == STATUS_OK)
        s = census_add_model(&r->census, &m, r->fields, diag);
    else
        s = add_unread(r, path, why.text) ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "memory");
    model_close(&m);
    file_model_close(&file);
    return s;
}

/* Adds a kind by its first fields. */
static enum status add_part(struct request *r, struct census *to, const struct census_kind *k,
                            int fields, struct diag *diag)
{
    struct census_kind part = *k;
    char *const text = arena_string(&r->arena, k->text);

    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "census: out of memory");
    text[census_prefix(text, fields)] = '\0';
    part.text = text;
    part.last_model = 0;
    return census_add(to, &part, diag);
}

static enum status count_real(struct request *r, struct diag *diag)
{
    const struct census_kind *k;

    r->census.models = REAL_MODELS;
    for (size_t i = 0; (k = real_nodes_at(i)) != NULL; i++)
        TRY(add_part(r, &r->census, k, r->fields, diag));
    return STATUS_OK;
}

static enum status count_all(struct request *r, const struct args *args, bool quiet,
                             struct diag *diag)
{
    struct progress p;
    enum status s = STATUS_OK;

    if (r->real)
        return count_real(r, diag);
    TRY(find_models(r, args, diag));
    progress_begin(&p, "models", (double)r->count, quiet);
    for (size_t i = 0; i < r->count && s == STATUS_OK; i++) {
        progress_update(&p, (double)i, "%s", r->paths[i]);
        s = count_model(r, r->paths[i], diag);
    }
    progress_end(&p);
    return s;
}

static enum status cover(struct request *r, bool quiet, struct diag *diag)
{
    /* All cases are built to know theirs: not where no model could be read. */
    if (r->census.models > 0)
        TRY(cover_open(&r->cases, quiet, diag));
    r->sum = cover_sum(&r->cases, &r->census);
    census_sort_by_nodes(&r->census);
    for (size_t i = 0; i < r->census.count; i++)
        if (cover_leaves_out(r->census.kinds[i].text))
            TRY(add_part(r, &r->left_out, &r->census.kinds[i], 1, diag));
    return STATUS_OK;
}

/* ---- what is printed ---- */

static const char *const shared_words[] = { "none", "op", "operands", "options" };

/* What the cases share with a kind: "options": op, operands and options. */
static const char *case_word(const struct request *r, const char *kind)
{
    return cover_leaves_out(kind) ? "left out" : shared_words[cover_shared(&r->cases, kind)];
}

static bool is_listed(const struct request *r, const char *kind)
{
    const int most = r->fields <= CENSUS_OPTIONS ? r->fields : CENSUS_OPTIONS + 1;

    return !r->missing || (!cover_leaves_out(kind) && cover_shared(&r->cases, kind) < most);
}

/* Copies a field, and returns it. */
static const char *field_text(const char *kind, enum census_field field, char *text, size_t bytes)
{
    size_t length;
    const char *const at = census_field(kind, field, &length);

    snprintf(text, bytes, "%.*s", (int)length, at);
    return text;
}

static const char *const columns[] = { "op", "operands", "options", "version", "broadcast" };

static void print_text(FILE *f, const struct request *r)
{
    char text[512];

    fprintf(f, "%" PRIu64 " nodes of %" PRIu64 " models, %zu kinds\n", r->census.nodes,
            r->census.models, r->census.count);
    for (int n = CENSUS_OP + 1; n <= CENSUS_OPTIONS + 1 && n <= r->fields; n++)
        fprintf(f, "%6.2f %%  share op%s%s with a case\n", 100 * cover_share(&r->sum, n),
                n > 1 ? ", operands" : "", n > 2 ? ", options" : "");
    for (size_t i = 0; i < r->left_out.count; i++)
        fprintf(f, "%s%s", i ? ", " : "left out, as the suite does not know these custom ops: ",
                r->left_out.kinds[i].text + strlen(CENSUS_CUSTOM));
    fputs(r->left_out.count > 0 ? "\n" : "", f);
    fprintf(f, "\n   nodes  models  case      op and operands {options}\n");
    for (size_t i = 0; i < r->census.count; i++) {
        const struct census_kind *const k = &r->census.kinds[i];

        if (!is_listed(r, k->text))
            continue;
        fprintf(f, "%8" PRIu64 " %7" PRIu64 "  %-8s ", k->nodes, k->models, case_word(r, k->text));
        for (int n = 0; n < CENSUS_FIELDS; n++)
            if (*field_text(k->text, (enum census_field)n, text, sizeof text))
                fprintf(f,
                        n == CENSUS_OPTIONS   ? " {%s}"
                        : n == CENSUS_VERSION ? " v%s"
                                              : " %s",
                        text);
        fputc('\n', f);
    }
    for (size_t i = 0; i < r->unread_count; i++)
        fprintf(f, "%snot read  %s: %s\n", i ? "" : "\n", r->unread[i].path, r->unread[i].why);
}

static void print_csv(FILE *f, const struct request *r)
{
    char text[512];

    fputs("nodes,models,case", f);
    for (int n = 0; n < CENSUS_FIELDS; n++)
        fprintf(f, ",%s", columns[n]);
    fputc('\n', f);
    for (size_t i = 0; i < r->census.count; i++) {
        const struct census_kind *const k = &r->census.kinds[i];

        if (!is_listed(r, k->text))
            continue;
        fprintf(f, "%" PRIu64 ",%" PRIu64 ",%s", k->nodes, k->models, case_word(r, k->text));
        for (int n = 0; n < CENSUS_FIELDS; n++) {
            fputc(',', f);
            csv_text(f, field_text(k->text, (enum census_field)n, text, sizeof text));
        }
        fputc('\n', f);
    }
}

static json_t *json_kind(const struct request *r, const struct census_kind *k)
{
    json_t *const o = json_object();
    char text[512];

    json_object_set_new(o, "nodes", json_integer((json_int_t)k->nodes));
    json_object_set_new(o, "models", json_integer((json_int_t)k->models));
    json_object_set_new(o, "case", json_text(case_word(r, k->text)));
    for (int n = 0; n < r->fields && !(r->real && n > CENSUS_OPTIONS); n++) {
        field_text(k->text, (enum census_field)n, text, sizeof text);
        json_object_set_new(o, columns[n],
                            n == CENSUS_VERSION     ? json_integer(atoi(text))
                            : n == CENSUS_BROADCAST ? json_boolean(*text)
                                                    : json_text(text));
    }
    return o;
}

static void print_json(FILE *f, const struct request *r)
{
    json_t *const root = json_object(), *const kinds = json_array(), *const unread = json_array();
    json_t *const shares = json_object(), *const left_out = json_object();

    json_object_set_new(root, "assay", json_text(ASSAY_VERSION));
    json_object_set_new(root, "models", json_integer((json_int_t)r->census.models));
    json_object_set_new(root, "nodes", json_integer((json_int_t)r->census.nodes));
    for (size_t i = 0; i < r->left_out.count; i++)
        json_object_set_new(left_out, r->left_out.kinds[i].text + strlen(CENSUS_CUSTOM),
                            json_integer((json_int_t)r->left_out.kinds[i].nodes));
    json_object_set_new(root, "left_out", left_out);
    for (int n = CENSUS_OP + 1; n <= CENSUS_OPTIONS + 1 && n <= r->fields; n++)
        json_object_set_new(shares, shared_words[n], json_real(cover_share(&r->sum, n)));
    json_object_set_new(root, "shares", shares);
    for (size_t i = 0; i < r->census.count; i++)
        if (is_listed(r, r->census.kinds[i].text))
            json_array_append_new(kinds, json_kind(r, &r->census.kinds[i]));
    json_object_set_new(root, "kinds", kinds);
    for (size_t i = 0; i < r->unread_count; i++) {
        json_t *const o = json_object();

        json_object_set_new(o, "path", json_text(r->unread[i].path));
        json_object_set_new(o, "why", json_text(r->unread[i].why));
        json_array_append_new(unread, o);
    }
    json_object_set_new(root, "unread", unread);
    json_dumpf(root, f, JSON_INDENT(1));
    fputc('\n', f);
    json_decref(root);
}

static int print(const struct request *r, const struct args_common *common)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("census", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        print_json(out.file, r);
    else if (common->format == FORMAT_CSV)
        print_csv(out.file, r);
    else
        print_text(out.file, r);
    out.plain = out.fold = common->format == FORMAT_TEXT;
    return output_close(&out, common->out, false);
}

static int run(const struct command *self, int argc, char **argv)
{
    static const char *const by[] = { "all", "op", "operands", "options", NULL };
    struct request r = { .fields = 0 };
    struct diag diag = { .status = STATUS_OK };
    int fields = 0;
    const struct args_flag flags[] = {
        { "by", ARGS_CHOICE, &fields, "FIELDS",
          "what makes a kind: the op alone, op and operands, or op, operands and options; all also "
          "tells versions and broadcasting",
          0, 0, by },
        ARG("missing", ARGS_BOOL, &r.missing, NULL,
            "list only kinds that no case of the suite has"),
    };
    struct args_common common;
    struct args args;
    enum status s;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_FORMAT | ARGS_CSV | ARGS_LIMIT | ARGS_QUIET, &common, &args, 0, SIZE_MAX,
                    &code))
        return code;
    r.fields = fields > 0 ? fields : CENSUS_FIELDS;
    r.real = args.count == 0;
    s = count_all(&r, &args, common.quiet, &diag);
    if (s == STATUS_OK)
        s = cover(&r, common.quiet, &diag);
    code = s == STATUS_OK ? print(&r, &common) : message_fail(self->name, &diag);
    if (code == EXIT_AS_EXPECTED && r.unread_count > 0) {
        message_error(self->name, "not read: %zu of %zu models; the first is %s: %s",
                      r.unread_count, r.unread_count + (size_t)r.census.models, r.unread[0].path,
                      r.unread[0].why);
        code = EXIT_USAGE;
    }
    census_close(&r.census);
    census_close(&r.cases);
    census_close(&r.left_out);
    mem_free(r.paths);
    mem_free(r.unread);
    arena_close(&r.arena);
    return code;
}

const struct command command_census = {
    .name = "census",
    .summary = "count what models are made of, and what of it has cases",
    .synopsis = "[DIR|MODEL]... [FLAG]...",
    .description =
        "Reads the models (.tflite) in directories and all below, and counts their nodes by kind: "
        "op, operands (type, rank, c for a constant, /q quantized, /ch by channel, /block by "
        "blocks), options, version, and whether an operand is broadcast.  Without a directory it "
        "prints the census of 357 models of applications and tests that is part of the program, of "
        "which versions and broadcasting are not known.\n\n"
        "Of each kind it says how much of it a case of the suite shares: options (with op and "
        "operands), operands, op, or none.  Sizes do not count.  Custom ops that nobody documents "
        "are named and left out of the shares.\n\n"
        "A model that cannot be read is named with the reason, and the others are counted; the "
        "exit code is then 2.",
    .examples = "  assay census\n"
                "  assay census --missing\n"
                "  assay census models/ --by=op\n"
                "  assay census models/ app/assets/ --missing --format=csv --out=todo.csv\n"
                "  assay census models/ --by=options --format=json\n",
    .suffix = ".tflite",
    .run = run,
};
