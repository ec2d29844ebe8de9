/* Reads and writes subjects as --subject takes them. */
#include "conformance/suite/subject/subject_spec.h"

#include "conformance/suite/subject/kinds.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

static enum status find(struct subject *s, const char *library, struct diag *diag)
{
    TRY(s->kind->find(s, library, diag));
    return subject_settle(s, diag);
}

/* ---- --delegate and --delegate-option ---- */

static enum status add_option(struct subject *s, const char *text, struct diag *diag)
{
    const char *const equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    char key[256];

    if (length == 0 || length >= sizeof key)
        return diag_fail(diag, STATUS_USAGE, "delegate option %s: expected KEY=VALUE", text);
    snprintf(key, sizeof key, "%.*s", (int)length, text);
    return subject_set(s, key, equals + 1, diag);
}

enum status subject_init(struct subject *s, const char *path, const struct string_list *options,
                         struct diag *diag)
{
    const bool reference = path && strcmp(path, "none") == 0;
    enum status status;

    *s = (struct subject){ .kind = reference ? &subject_kind_reference : &subject_kind_delegate,
                           .bounds = BOUNDS_FP32 };
    status = find(s, path, diag);
    for (size_t i = 0; status == STATUS_OK && options && i < options->count; i++)
        status = add_option(s, options->items[i], diag);
    if (status != STATUS_OK)
        subject_close(s);
    return status;
}

/* ---- --subject ---- */

static const struct subject_kind *find_kind(const char *name, size_t length)
{
    const struct subject_kind *kind;

    for (size_t i = 0; (kind = subject_kind_at(i)); i++) {
        if (strlen(kind->name) == length && memcmp(kind->name, name, length) == 0)
            return kind;
    }
    return NULL;
}

static enum status no_kind(const char *text, struct diag *diag)
{
    const struct subject_kind *kind;
    char names[256] = "";

    for (size_t i = 0; (kind = subject_kind_at(i)); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s%s%s", i ? ", " : "",
                 kind->name, kind->library ? ":" : "", kind->library ? kind->library : "");
    return diag_fail(diag, STATUS_USAGE, "subject %s: expected one of %s", text, names);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Replaces %XX in place. */
static enum status decode(char *word, const char *text, struct diag *diag)
{
    char *to = word;

    for (const char *from = word; *from; from++) {
        if (*from == '%') {
            const int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);

            if (low < 0 || high + low == 0)
                return diag_fail(diag, STATUS_USAGE,
                                 "subject %s: expected %%XX with two hexadecimal digits, not 00, "
                                 "found '%.3s'",
                                 text, from);
            *to++ = (char)(high * 16 + low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return STATUS_OK;
}

static enum status set_bounds(struct subject *s, const char *names, const char *text,
                              struct diag *diag)
{
    return diag_prefix(diag, subject_hold_to(s, names, diag), "subject %s", text);
}

static enum status set_key(struct subject *s, char *pair, const char *text, struct diag *diag)
{
    char *const equals = strchr(pair, '=');

    if (!equals || equals == pair)
        return diag_fail(diag, STATUS_USAGE, "subject %s: expected KEY=VALUE, found '%s'", text,
                         pair);
    *equals = '\0';
    TRY(decode(pair, text, diag));
    TRY(decode(equals + 1, text, diag));
    if (subject_option(s, pair))
        return diag_fail(diag, STATUS_USAGE, "subject %s: the key %s is given twice", text, pair);
    if (strcmp(pair, "bounds") == 0)
        return set_bounds(s, equals + 1, text, diag);
    if (!s->kind->takes_options && !subject_kind_has_key(s->kind, pair))
        return diag_fail(diag, STATUS_USAGE, "subject %s: a %s has no key %s", text, s->kind->name,
                         pair);
    return subject_set(s, pair, equals + 1, diag);
}

/* Reads the parts of text, which a copy of the caller holds as words. */
static enum status parse(struct subject *s, char *words, const char *text, struct diag *diag)
{
    char *query = strchr(words, '?'), *library;

    if (query)
        *query++ = '\0';
    library = strchr(words, ':');
    if (library)
        *library++ = '\0';
    s->kind = find_kind(words, strlen(words));
    if (!s->kind || (s->kind->library && (!library || (!*library && s->kind->library[0] != '['))) ||
        (!s->kind->library && library))
        return no_kind(text, diag);
    if (library)
        TRY(decode(library, text, diag));
    while (query && *query) {
        char *const next = strchr(query, '&');

        if (next)
            *next = '\0';
        TRY(set_key(s, query, text, diag));
        query = next ? next + 1 : NULL;
    }
    return diag_prefix(diag, find(s, library, diag), "subject %s", text);
}

enum status subject_parse(struct subject *s, const char *text, struct diag *diag)
{
    char *const words = mem_alloc(strlen(text) + 1, 1);
    enum status status;

    *s = (struct subject){ .kind = &subject_kind_reference, .bounds = BOUNDS_FP32 };
    if (!words)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    strcpy(words, text);
    status = parse(s, words, text, diag);
    mem_free(words);
    if (status != STATUS_OK)
        subject_close(s);
    return status;
}

/* Appends word, with %XX for what has a meaning in the grammar. */
static bool append(char *text, size_t bytes, const char *word, const char *escaped)
{
    size_t at = strlen(text);

    for (; *word; word++) {
        const bool plain = !strchr(escaped, *word) && (unsigned char)*word > ' ';

        if (at + 4 > bytes)
            return false;
        at +=
            (size_t)snprintf(text + at, bytes - at, plain ? "%c" : "%%%02X", (unsigned char)*word);
    }
    return true;
}

bool subject_spec(const struct subject *s, char *text, size_t bytes)
{
    char floats[BOUNDS_TEXT_BYTES], integers[BOUNDS_TEXT_BYTES];
    bool ok = bytes > 0;

    if (ok)
        text[0] = '\0';
    ok = ok && append(text, bytes, s->kind->name, "");
    if (s->kind->library)
        ok = ok && append(text, bytes, ":", "") &&
             append(text, bytes, s->what ? s->what : s->path, "?%");
    for (size_t i = 0; i < s->option_count; i++)
        ok = ok && append(text, bytes, i ? "&" : "?", "") &&
             append(text, bytes, s->options[i].key, "=&%") && append(text, bytes, "=", "") &&
             append(text, bytes, s->options[i].value, "&%");
    if (s->bounds_given)
        ok = ok && append(text, bytes, s->option_count ? "&bounds=" : "?bounds=", "") &&
             append(text, bytes, bounds_text(s->bounds, floats), "") &&
             append(text, bytes, ",", "") &&
             append(text, bytes, bounds_text(s->quantized, integers), "");
    return ok;
}
