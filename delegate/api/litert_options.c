#include "delegate/api/litert_options.h"

#include "reference/base/clean.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A piece of a text. */
struct piece {
    const char *begin;
    size_t length;
};

enum { SHOWN_BYTES = 60 }; /* of a text in a message */

static int shown(struct piece p)
{
    return (int)(p.length < SHOWN_BYTES ? p.length : SHOWN_BYTES);
}

static bool equals(struct piece p, const char *text)
{
    return strlen(text) == p.length && memcmp(p.begin, text, p.length) == 0;
}

/* ---- syntax ---- */

static const char *skip_separators(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n;");
        if (*text != '#')
            return text;
        text += strcspn(text, "\n");
    }
}

/* A value up to its closing mark, which is left out of a text in quotes. */
static enum status read_closed(const char **at, char mark, struct piece *value, const char *source,
                               struct diag *diag)
{
    const bool quoted = mark == '"';
    const char *begin = *at + quoted, *end = strchr(*at + 1, mark);

    if (!end)
        return diag_fail(diag, STATUS_USAGE, "%s: expected a closing %c, found '%.*s'", source,
                         mark, SHOWN_BYTES, *at);
    *value = (struct piece){ begin, (size_t)(end - begin) + !quoted };
    *at = end + 1;
    return STATUS_OK;
}

/* Reads the next "key = value" and moves *at behind it. */
static enum status read_pair(const char **at, struct piece *key, struct piece *value,
                             const char *source, struct diag *diag)
{
    const char *text = *at;

    *key = (struct piece){ text, strcspn(text, " \t\r\n;=") };
    text += key->length;
    text += strspn(text, " \t");
    if (key->length == 0 || *text != '=')
        return diag_fail(diag, STATUS_USAGE, "%s: expected key=value, found '%.*s'", source,
                         SHOWN_BYTES, *at);
    text++;
    text += strspn(text, " \t");
    *at = text;
    if (*text == '"' || *text == '[')
        return read_closed(at, *text == '[' ? ']' : '"', value, source, diag);
    *value = (struct piece){ text, strcspn(text, " \t\r\n;") };
    *at += value->length;
    return STATUS_OK;
}

/* ---- our keys ---- */

static const char *keep(struct litert_options *o, struct piece p)
{
    char *copy = arena_alloc(&o->arena, p.length + 1, 1);

    if (copy) {
        memcpy(copy, p.begin, p.length);
        copy[p.length] = '\0';
    }
    return copy;
}

static enum status add(struct litert_options *o, struct piece key, struct piece value,
                       struct diag *diag)
{
    const size_t i = o->count;

    if (i == LITERT_OPTIONS_MAX)
        return diag_fail(diag, STATUS_USAGE, "expected at most %d options, found more",
                         LITERT_OPTIONS_MAX);
    o->keys[i] = keep(o, key);
    o->values[i] = keep(o, value);
    if (!o->keys[i] || !o->values[i])
        return diag_fail(diag, STATUS_NO_MEMORY, "options: out of memory");
    o->count++;
    return STATUS_OK;
}

enum status litert_options_add(struct litert_options *o, const char *source, const char *text,
                               struct diag *diag)
{
    while (*(text = skip_separators(text)) != '\0') {
        struct piece key, value;

        TRY(read_pair(&text, &key, &value, source, diag));
        TRY(add(o, key, value, diag));
    }
    return STATUS_OK;
}

/* ---- LiteRT's GPU options ---- */

static const char gpu_source[] = "gpu_options";

enum kind {
    KIND_NUMBER, /* one of the values below */
    KIND_TEXT    /* passed on; none: the default */
};

/* A key of LiteRT, the key of the delegate, and by its number the delegate's value; NULL is
 * LiteRT's default, which leaves the delegate's. */
struct gpu_key {
    const char *litert, *ours;
    enum kind kind;
    int count;
    const char *values[4];
};

static const struct gpu_key gpu_keys[] = {
    { "precision", "precision", KIND_NUMBER, 4, { NULL, "fp16", "fp32", "fp16" } },
    { "wait_type", "wait", KIND_NUMBER, 4, { NULL, "passive", "active", "none" } },
    /* The queue has one priority. */
    { "priority", NULL, KIND_NUMBER, 4, { NULL, "low", "normal", "high" } },
    { "serialization_dir", "serialization_dir", KIND_TEXT, 0, { NULL } },
    { "model_cache_key", "model_token", KIND_TEXT, 0, { NULL } },
    { "preferred_device_substr", "device", KIND_TEXT, 0, { NULL } },
};

static const struct gpu_key *find_key(struct piece key)
{
    for (size_t i = 0; i < sizeof gpu_keys / sizeof gpu_keys[0]; i++)
        if (equals(key, gpu_keys[i].litert))
            return &gpu_keys[i];
    return NULL;
}

static void say_ignored(struct piece key, struct piece value)
{
    struct diag diag;

    diag_fail(&diag, STATUS_OK, "%s: %.*s = %.*s has no effect here", gpu_source, shown(key),
              key.begin, shown(value), value.begin);
    clean_message("assay accelerator: WARNING: ", diag.text);
}

/* Values by which LiteRT says that it does not ask for anything. */
static bool is_nothing(struct piece value)
{
    return value.length == 0 || equals(value, "false") || equals(value, "0") ||
           equals(value, "-1") || equals(value, "[]");
}

static enum status add_number(struct litert_options *o, const struct gpu_key *k, struct piece key,
                              struct piece value, struct diag *diag)
{
    const char digit = value.length == 1 ? value.begin[0] : 'x';
    const char *ours;

    if (digit < '0' || digit >= '0' + k->count)
        return diag_fail(diag, STATUS_USAGE, "%s: %s: expected a number from 0 to %d, found '%.*s'",
                         gpu_source, k->litert, k->count - 1, shown(value), value.begin);
    if (!(ours = k->values[digit - '0']))
        return STATUS_OK;
    if (!k->ours) {
        if (strcmp(ours, "normal") != 0)
            say_ignored(key, value);
        return STATUS_OK;
    }
    return add(o, (struct piece){ k->ours, strlen(k->ours) }, (struct piece){ ours, strlen(ours) },
               diag);
}

enum status litert_options_add_gpu(struct litert_options *o, const char *text, struct diag *diag)
{
    bool serialize = true;
    const size_t before = o->count;

    while (*(text = skip_separators(text)) != '\0') {
        const struct gpu_key *k;
        struct piece key, value;

        TRY(read_pair(&text, &key, &value, gpu_source, diag));
        if (equals(key, "serialize_program_cache") && !equals(value, "true") &&
            !equals(value, "false"))
            return diag_fail(diag, STATUS_USAGE,
                             "%s: serialize_program_cache: expected true or false, found '%.*s'",
                             gpu_source, shown(value), value.begin);
        if (equals(key, "serialize_program_cache")) {
            serialize = equals(value, "true");
        } else if (!(k = find_key(key))) {
            if (!is_nothing(value))
                say_ignored(key, value);
        } else if (k->kind == KIND_NUMBER) {
            TRY(add_number(o, k, key, value, diag));
        } else if (value.length > 0) {
            TRY(add(o, (struct piece){ k->ours, strlen(k->ours) }, value, diag));
        }
    }
    /* Pipelines are most of what the delegate serializes. */
    for (size_t i = before; i < o->count && !serialize;)
        if (strcmp(o->keys[i], "serialization_dir") == 0) {
            o->count--;
            o->keys[i] = o->keys[o->count];
            o->values[i] = o->values[o->count];
        } else {
            i++;
        }
    return STATUS_OK;
}

void litert_options_close(struct litert_options *o)
{
    arena_close(&o->arena);
    o->count = 0;
}
