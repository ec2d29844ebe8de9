/* The kinds of subjects, and those that need no file of their own. */
#include "conformance/suite/subject/kinds.h"

#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/line.h"
#include "conformance/suite/subject/subject.h"
#include "conformance/suite/subject/subject_find.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/util/shell_word.h"
#include "reference/base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- behind a line ---- */

/* exec:CMD, ssh:HOST and adb:SERIAL are commands, remote:ADDRESS a socket; the line is opened when
 * the subject is loaded. */

static const struct subject_kind subject_kind_exec, subject_kind_remote, subject_kind_ssh;
static const struct subject_kind subject_kind_adb;

/* No file of this machine is judged: path is what stands in the report in its place. */
static enum status find(struct subject *s, const char *where, struct diag *diag)
{
    const size_t bytes = strlen(s->kind->name) + strlen(where) + 2;
    const char *const silence = subject_option(s, "silence_s");
    const char *const late = subject_option(s, "late_refusal");
    char *end;

    if (late && strcmp(late, "failed") != 0 && strcmp(late, "declined") != 0)
        return diag_fail(diag, STATUS_USAGE, "late_refusal=%s: expected failed or declined", late);
    if (silence && (!(strtod(silence, &end) > 0) || *end))
        return diag_fail(diag, STATUS_USAGE, "silence_s=%s: expected seconds", silence);

    s->what = mem_alloc(strlen(where) + 1, 1);
    s->path = mem_alloc(bytes, 1);
    if (!s->what || !s->path)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    strcpy(s->what, where);
    snprintf(s->path, bytes, "%s:%s", s->kind->name, where);
    return STATUS_OK;
}

/* ---- commands that reach another machine ---- */

static const char *agent_of(const struct subject *s)
{
    const char *const agent = subject_option(s, "agent");

    return agent ? agent : "assay-agent";
}

/* Its own failures end with 255. */
static bool ssh_lost(int exit_status, const char *words)
{
    (void)words;
    return exit_status == 255;
}

/* Its own failures end with 1, as an agent's may: what it prints says whose they are. */
static bool adb_lost(int exit_status, const char *words)
{
    return exit_status == 255 || strncmp(words, "adb: ", 5) == 0 ||
           strncmp(words, "error: ", 7) == 0;
}

/* Without a terminal, which would change bytes.  The agent's words are for the shell over there. */
static void print_command(const struct subject *s, FILE *out)
{
    if (s->kind == &subject_kind_exec) {
        fputs(s->what, out);
        return;
    }
    if (s->kind == &subject_kind_ssh) {
        fputs("exec ssh -T -o BatchMode=yes -- ", out);
        shell_word_print(s->what, out);
    } else {
        fputs("exec adb ", out);
        if (s->what[0]) {
            fputs("-s ", out);
            shell_word_print(s->what, out);
            fputc(' ', out);
        }
        fputs("shell -e none -T", out);
    }
    fputc(' ', out);
    shell_word_print(agent_of(s), out);
}

static enum status make_line(struct subject *s, struct line **line, struct diag *diag)
{
    struct line_place place = { .address = s->what };
    char *command = NULL;
    size_t count;
    FILE *out;
    enum status status;

    if (s->kind == &subject_kind_remote)
        return line_make(line, s, &place, diag);
    out = open_memstream(&command, &count);
    if (!out)
        return diag_fail(diag, STATUS_NO_MEMORY, "subject: out of memory");
    print_command(s, out);
    fclose(out);
    place.command = command;
    place.is_lost = s->kind == &subject_kind_ssh   ? ssh_lost
                    : s->kind == &subject_kind_adb ? adb_lost
                                                   : NULL;
    status = line_make(line, s, &place, diag);
    free(command);
    return status;
}

/* A line that cannot be opened stays, so that the next case tries again. */
static enum status load(struct subject *s, struct diag *diag)
{
    struct line *line;
    const enum status status = make_line(s, &line, diag);

    s->runtime = line;
    return status == STATUS_OK ? line_open(line, diag) : status;
}

static void unload(struct subject *s)
{
    line_close(s->runtime);
    s->runtime = NULL;
}

static void describe(const struct subject *s, char *device, size_t device_bytes, char *runtime,
                     size_t runtime_bytes)
{
    snprintf(device, device_bytes, "%s", line_device(s->runtime));
    snprintf(runtime, runtime_bytes, "%s", line_runtime(s->runtime));
}

/* Others are the agent's. */
static const char *const keys[] = { "secret_file", "silence_s", "late_refusal", NULL };
static const char *const far_keys[] = { "agent", "silence_s", "late_refusal", NULL };

#define KIND(name_text, place, key_list)                                                           \
    {                                                                                              \
        .name = name_text, .library = place, .keys = key_list, .takes_options = true,              \
        .shown = true, .engine = &engine_line, .find = find, .load = load, .unload = unload,       \
        .describe = describe,                                                                      \
    }

static const struct subject_kind subject_kind_exec = KIND("exec", "CMD", keys);
static const struct subject_kind subject_kind_remote = KIND("remote", "HOST:PORT|unix:PATH", keys);
static const struct subject_kind subject_kind_ssh = KIND("ssh", "HOST", far_keys);
static const struct subject_kind subject_kind_adb = KIND("adb", "[SERIAL]", far_keys);

/* ---- all kinds ---- */

static enum status find_reference(struct subject *s, const char *library, struct diag *diag)
{
    (void)s, (void)library, (void)diag;
    return STATUS_OK;
}

static enum status find_delegate(struct subject *s, const char *library, struct diag *diag)
{
    char found[PATH_MAX];

    if (!library) {
        TRY(subject_find_ours(found, diag));
        library = found;
    }
    TRY(subject_find_file(&s->path, library, diag));
    TRY(subject_find_file(&s->plugin, library, diag));
    return subject_hash(s, diag);
}

static const char *const no_keys[] = { NULL };

const struct subject_kind subject_kind_reference = {
    .name = "reference",
    .keys = no_keys,
    .engine = &engine_interpreter,
    .shown = true,
    .find = find_reference,
};

const struct subject_kind subject_kind_delegate = {
    .name = "delegate",
    .library = "PATH",
    .keys = no_keys,
    .takes_options = true,
    .engine = &engine_interpreter,
    .find = find_delegate,
};

const struct subject_kind *subject_kind_at(size_t index)
{
    static const struct subject_kind *const kinds[] = {
        &subject_kind_reference, &subject_kind_delegate, &subject_kind_litert,
        &subject_kind_tflite_c,  &subject_kind_exec,     &subject_kind_remote,
        &subject_kind_ssh,       &subject_kind_adb
    };

    return index < sizeof kinds / sizeof kinds[0] ? kinds[index] : NULL;
}
