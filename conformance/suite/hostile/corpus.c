#include "conformance/suite/hostile/corpus.h"

#include "conformance/suite/cases/suite.h"
#include "conformance/util/random.h"
#include "reference/base/diag.h"
#include "reference/base/memory.h"
#include "reference/text/hostile_row.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables of fuzz/hostile, packed into the program. */

/* A gzip file, made by the Makefile. */
extern const uint8_t corpus_packed[];
extern const size_t corpus_packed_count;

#define ZLIB_CONST
#include <zlib.h>

enum { GZIP = 16, TEXT_BYTES_MAX = 4 << 20 };

/* The size without the packing: the last four bytes of a gzip file. */
static size_t unpacked_bytes(void)
{
    size_t bytes = 0;

    for (int i = 0; i < 4; i++)
        bytes |= (size_t)corpus_packed[corpus_packed_count - 4 + (size_t)i] << 8 * i;
    return bytes;
}

/* The text, of *count bytes; mem_free. */
static enum status corpus_text_unpack(char **text, size_t *count, struct diag *diag)
{
    z_stream z = { .next_in = corpus_packed, .avail_in = (uInt)corpus_packed_count };
    int answer;

    *count = unpacked_bytes();
    *text = *count <= TEXT_BYTES_MAX ? mem_alloc(*count, 1) : NULL;
    if (!*text || inflateInit2(&z, MAX_WBITS + GZIP) != Z_OK) {
        mem_free(*text);
        return diag_fail(diag, STATUS_NO_MEMORY, "corpus: out of memory");
    }
    z.next_out = (Bytef *)*text;
    z.avail_out = (uInt)*count;
    answer = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    if (answer == Z_STREAM_END && z.avail_out == 0)
        return STATUS_OK;
    mem_free(*text);
    return diag_fail(diag, STATUS_INVALID, "corpus: it cannot be unpacked: %d", answer);
}

/* Small models of which every byte counts; rows of fuzz/hostile/whole.txt. */
static const char *const base_names[] = { "whole.conv", "whole.dense", "whole.control",
                                          "whole.moves" };
enum { BASES = sizeof base_names / sizeof base_names[0] };

struct corpus_base {
    const char *name; /* behind "whole." */
    struct tflite_file file;
    uint16_t *parts;
};

/* ---- rows ---- */

/* LiteRT's CompiledModel finds inputs and outputs by name, and ends the process where two have
 * none: that would hide what a row is about. */
static enum status name_ends(struct model *m, struct diag *diag)
{
    static const char prefix[] = "end_";

    for (size_t g = 0; g < m->subgraph_count; g++) {
        const struct model_subgraph *const graph = &m->subgraphs[g];

        for (size_t i = 0; i < graph->inputs.count + graph->outputs.count; i++) {
            const int32_t index = i < graph->inputs.count
                                      ? graph->inputs.data[i]
                                      : graph->outputs.data[i - graph->inputs.count];
            struct model_tensor *t;
            char *name;

            if (index < 0 || (size_t)index >= graph->tensor_count)
                continue;
            t = (struct model_tensor *)&graph->tensors[index];
            if (t->name.count > 0)
                continue;
            name = arena_alloc(&m->arena, sizeof prefix + 12, 1);
            if (!name)
                return diag_fail(diag, STATUS_NO_MEMORY, "names of tensors");
            snprintf(name, sizeof prefix + 12, "%s%d", prefix, (int)index);
            t->name = (struct model_string){ name, strlen(name) };
        }
    }
    return STATUS_OK;
}

/* The file of a row before it is damaged. */
static enum status write_row(const struct hostile_row *row, struct tflite_file *file,
                             struct diag *diag)
{
    struct model m = { .version = 0 };
    enum status s = hostile_text_build(row->model, row->edit, &m, diag);

    *file = (struct tflite_file){ NULL, 0 };
    if (s == STATUS_OK)
        s = name_ends(&m, diag);
    if (s == STATUS_OK)
        s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}

static enum status make_row(const struct hostile_row *row, struct tflite_file *file,
                            struct diag *diag)
{
    TRY(write_row(row, file, diag));
    for (int i = 0; i < row->damage_count; i++)
        TRY(hostile_damage(file, row->damage[i], diag));
    return STATUS_OK;
}

static const struct hostile_row *find_row(const struct corpus *c, const char *name)
{
    for (size_t i = 0; i < c->table.count; i++)
        if (strcmp(c->table.rows[i].name, name) == 0)
            return &c->table.rows[i];
    return NULL;
}

/* Rows of a graph that no file has, of a device and not of a file (LiteRT is not asked then),
 * without a verdict, or of a model that tests alone have are none. */
static bool is_case(const struct hostile_row *row)
{
    return !row->graph && row->litert && !row->pending && strcmp(row->model, "sample") != 0;
}

/* Where LiteRT runs what ours refuses, the row says why: nobody has to refuse it.  A device may run
 * what is known to be wrong in the inference alone, and a runtime that goes by signatures another
 * subgraph than the first. */
static enum hostile_answer answer_of(const struct hostile_row *row)
{
    if (row->stage == HOSTILE_RUNS)
        return strstr(row->model, "signature ") ? ANSWER_ANY : ANSWER_RIGHT;
    return row->device || (row->litert && strcmp(row->litert, "runs") == 0) ? ANSWER_ANY
                                                                            : ANSWER_REFUSED;
}

/* ---- parts ---- */

/* Of an edit: the field that it names. */
static const char *edited_part(const char *edit)
{
    static const struct {
        const char *word, *part;
    } words[] = { { ".dims", "Tensor.shape" },
                  { ".type", "Tensor.type" },
                  { ".q=", "Tensor.quantization" },
                  { ".blocks", "Tensor.quantization" },
                  { ".data", "Buffer.data" },
                  { ".variable", "Tensor.is_variable" },
                  { "options", "options" },
                  { "op=", "OperatorCode.builtin_code" },
                  { "version", "OperatorCode.version" } };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(edit, words[i].word))
            return words[i].part;
    return "Operator.inputs";
}

/* Of damage: that of the first byte that it changes. */
static enum status damaged_part(const struct hostile_row *row, const char **part, struct diag *diag)
{
    struct tflite_file sound, file = { NULL, 0 };
    enum status s = write_row(row, &sound, diag);
    uint16_t *const parts = s == STATUS_OK ? mem_alloc(sound.count, sizeof *parts) : NULL;
    size_t at = 0;

    if (s == STATUS_OK)
        s = make_row(row, &file, diag);
    if (s == STATUS_OK && !parts)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s", row->name);
    *part = "length";
    if (s == STATUS_OK) {
        part_map(&sound, parts);
        while (at < sound.count && at < file.count && sound.bytes[at] == file.bytes[at])
            at++;
        if (at < sound.count && at < file.count)
            *part = part_text(parts[at]);
    }
    mem_free(parts);
    mem_free(sound.bytes);
    mem_free(file.bytes);
    return s;
}

static enum status part_of_row(const struct hostile_row *row, const char **part, struct diag *diag)
{
    if (row->damage_count > 0)
        return damaged_part(row, part, diag);
    *part = row->edit ? edited_part(row->edit) : "model";
    return STATUS_OK;
}

/* ---- the corpus ---- */

static enum status open_base(struct corpus *c, const char *name, struct diag *diag)
{
    const struct hostile_row *const row = find_row(c, name);
    struct corpus_base *const b = &c->bases[c->base_count++];

    *b = (struct corpus_base){ .name = strchr(name, '.') + 1 };
    if (!row)
        return diag_fail(diag, STATUS_INVALID, "the corpus lacks %s", name);
    TRY(write_row(row, &b->file, diag));
    b->parts = mem_alloc(b->file.count, sizeof *b->parts);
    if (!b->parts)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s", name);
    part_map(&b->file, b->parts);
    return STATUS_OK;
}

enum status corpus_open(struct corpus *c, struct diag *diag)
{
    char *text;
    size_t count;
    enum status s;

    *c = (struct corpus){ .bases = mem_alloc(BASES, sizeof *c->bases) };
    if (!c->bases)
        return diag_fail(diag, STATUS_NO_MEMORY, "corpus: out of memory");
    TRY(corpus_text_unpack(&text, &count, diag));
    s = hostile_table_open(&c->table, text, count, diag);
    mem_free(text);
    for (size_t i = 0; i < BASES && s == STATUS_OK; i++)
        s = open_base(c, base_names[i], diag);
    return s;
}

void corpus_close(struct corpus *c)
{
    for (size_t i = 0; i < c->base_count; i++) {
        mem_free(c->bases[i].file.bytes);
        mem_free(c->bases[i].parts);
    }
    mem_free(c->bases);
    hostile_table_close(&c->table);
    arena_close(&c->arena);
    *c = (struct corpus){ .bases = NULL };
}

/* ---- the list ---- */

static const struct op_case no_row = { .name = NULL };

static struct test_case *add(struct test_case *cases, size_t *count, const char *op,
                             const char *part)
{
    struct test_case *const t = &cases[(*count)++];

    *t = (struct test_case){ .row = &no_row, .op = op, .type_name = part, .version = 1 };
    return t;
}

/* "reader" of "fuzz/hostile/reader.txt". */
static const char *table_name(struct corpus *c, const struct hostile_row *row)
{
    const char *const slash = strrchr(row->file, '/');
    const char *const stem = slash ? slash + 1 : row->file;
    const size_t length = strcspn(stem, ".");
    char *const name = arena_alloc(&c->arena, length + 1, 1);

    if (name)
        memcpy(name, stem, length);
    return name;
}

static enum status add_rows(struct corpus *c, struct test_case *cases, size_t *count,
                            struct diag *diag)
{
    const char *file = NULL, *name = NULL;

    for (size_t i = 0; i < c->table.count; i++) {
        const struct hostile_row *const row = &c->table.rows[i];
        const char *part;

        if (!is_case(row))
            continue;
        if (row->file != file)
            name = table_name(c, row);
        file = row->file;
        if (!name)
            return diag_fail(diag, STATUS_NO_MEMORY, "corpus: out of memory");
        TRY(part_of_row(row, &part, diag));
        snprintf(add(cases, count, name, part)->name, CASE_NAME_BYTES, "%s", row->name);
    }
    return STATUS_OK;
}

/* Every length. */
static void add_cuts(const struct corpus_base *b, struct test_case *cases, size_t *count)
{
    for (size_t at = 0; at < b->file.count; at++)
        snprintf(add(cases, count, "cut", part_text(b->parts[at]))->name, CASE_NAME_BYTES,
                 "cut.%s.%zu", b->name, at);
}

/* Two flips of every byte: of all bits, and of one that wanders. */
static void add_flips(const struct corpus_base *b, struct test_case *cases, size_t *count)
{
    for (size_t at = 0; at < b->file.count; at++) {
        const unsigned flips[] = { 0xff, 1u << at % 8 };

        for (int i = 0; i < 2; i++)
            snprintf(add(cases, count, "flip", part_text(b->parts[at]))->name, CASE_NAME_BYTES,
                     "flip.%s.%zu.%02x", b->name, at, flips[i]);
    }
}

enum status corpus_cases(struct corpus *c, struct test_case **cases, size_t *count,
                         struct diag *diag)
{
    size_t most = c->table.count;

    for (size_t i = 0; i < c->base_count; i++)
        most += 3 * c->bases[i].file.count;
    *count = 0;
    *cases = mem_alloc(most, sizeof **cases);
    if (!*cases)
        return diag_fail(diag, STATUS_NO_MEMORY, "corpus: out of memory");
    TRY(add_rows(c, *cases, count, diag));
    for (size_t i = 0; i < c->base_count; i++)
        add_cuts(&c->bases[i], *cases, count);
    for (size_t i = 0; i < c->base_count; i++)
        add_flips(&c->bases[i], *cases, count);
    return STATUS_OK;
}

static bool is_damaged(const struct test_case *t)
{
    return strcmp(t->op, "cut") == 0 || strcmp(t->op, "flip") == 0;
}

void corpus_draw(struct test_case *cases, size_t *count, uint64_t limit, uint64_t seed)
{
    uint64_t left = 0, wanted = limit;
    struct random_stream stream;
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++)
        left += is_damaged(&cases[i]);
    if (limit == 0 || left <= limit)
        return;
    random_init(&stream, seed, "hostile", 0, 0, 0);
    for (size_t i = 0; i < *count; i++) {
        if (is_damaged(&cases[i])) {
            const bool keep = random_below(&stream, left--) < wanted;

            wanted -= keep;
            if (!keep)
                continue;
        }
        cases[kept++] = cases[i];
    }
    *count = kept;
}

/* ---- files ---- */

/* "conv.120.ff": the model, the byte, and behind it what is changed there; cuts have no change. */
static enum status make_damaged(const struct corpus *c, const char *name, bool flips,
                                struct tflite_file *file, struct diag *diag)
{
    const char *const what = strchr(name, '.') + 1, *const dot = strchr(what, '.');
    const struct corpus_base *base = NULL;
    unsigned long at = 0, change = 0;
    char *end = NULL;

    for (size_t i = 0; i < c->base_count && dot; i++)
        if (strlen(c->bases[i].name) == (size_t)(dot - what) &&
            strncmp(c->bases[i].name, what, (size_t)(dot - what)) == 0)
            base = &c->bases[i];
    if (base)
        at = strtoul(dot + 1, &end, 10);
    if (base && flips && *end == '.')
        change = strtoul(end + 1, &end, 16);
    if (!base || *end || at >= base->file.count || change > 0xff || flips != (change > 0))
        return diag_fail(diag, STATUS_USAGE, "%s: there is no such model", name);
    TRY(tflite_file_copy(file, &base->file, diag));
    if (flips)
        file->bytes[at] ^= (uint8_t)change;
    else
        file->count = at;
    return STATUS_OK;
}

enum status corpus_make(const struct corpus *c, const char *name, struct hostile_case *out,
                        struct diag *diag)
{
    const bool cuts = strncmp(name, "cut.", 4) == 0, flips = strncmp(name, "flip.", 5) == 0;

    *out = (struct hostile_case){ .answer = ANSWER_ANY };
    if (cuts || flips)
        return make_damaged(c, name, flips, &out->file, diag);
    out->row = find_row(c, name);
    if (!out->row || !is_case(out->row))
        return diag_fail(diag, STATUS_USAGE, "%s: there is no such model", name);
    out->answer = answer_of(out->row);
    return make_row(out->row, &out->file, diag);
}
