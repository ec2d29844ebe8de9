#include "conformance/suite/judge/checkpoint.h"

#include "conformance/util/message.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".partial", resume_auto[] = "auto";

/* Names the log beside a report; of a pipe or a device there is none. */
static bool name_log(const char *report, char path[PATH_MAX])
{
    struct stat st;

    path[0] = '\0';
    if (stat(report, &st) == 0 && !S_ISREG(st.st_mode))
        return false;
    if (snprintf(path, PATH_MAX, "%s%s", report, ending) < PATH_MAX)
        return true;
    path[0] = '\0';
    return false;
}

static bool is_log(const char *path)
{
    const size_t length = strlen(path), tail = sizeof ending - 1;

    return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool checkpoint_is_log(const char *resume)
{
    char beside[PATH_MAX];

    return strcmp(resume, resume_auto) == 0 || is_log(resume) ||
           (name_log(resume, beside) && access(beside, R_OK) == 0);
}

static enum status read_log(struct checkpoint *c, const char *path, const struct run_request *run,
                            const struct run_keys *keys, struct diag *diag)
{
    const size_t count = run->subject_count * run->case_count;

    TRY(run_log_read(path, run, keys, &c->known, &c->before_s, diag));
    for (size_t i = 0; i < count; i++)
        c->known_count += !c->known[i].absent;
    return STATUS_OK;
}

/* --resume=auto, for schedulers that start a run again: there may be nothing to go on from. */
static enum status take_over_own(struct checkpoint *c, const struct run_request *run,
                                 const struct run_keys *keys, struct diag *diag)
{
    if (!c->path[0])
        return diag_fail(diag, STATUS_USAGE, "--resume=auto needs --out=FILE, a regular file");
    if (access(c->path, F_OK) == 0 && read_log(c, c->path, run, keys, diag) != STATUS_OK) {
        message_error(c->what, "the run starts anew: %s", diag->text);
        diag_clear(diag);
    }
    return STATUS_OK;
}

/* Reads what --resume names. */
static enum status take_over(struct checkpoint *c, const char *resume,
                             const struct run_request *run, const struct run_keys *keys,
                             struct diag *diag)
{
    char beside[PATH_MAX];

    if (strcmp(resume, resume_auto) == 0)
        return take_over_own(c, run, keys, diag);
    if (!is_log(resume) && name_log(resume, beside))
        resume = beside;
    return read_log(c, resume, run, keys, diag);
}

enum status checkpoint_open(struct checkpoint *c, struct run_request *run,
                            const struct judge_device *device, const char *out, const char *resume,
                            double before_s, struct diag *diag)
{
    struct run_keys keys;

    *c = (struct checkpoint){ .what = run->what ? run->what : "conformance", .before_s = before_s };
    if (out)
        name_log(out, c->path);
    if (!resume && !c->path[0])
        return STATUS_OK;
    TRY(run_keys_make(&keys, run, device, diag));
    if (resume)
        TRY(take_over(c, resume, run, &keys, diag));
    if (c->known)
        run->known = c->known;
    if (!c->path[0])
        return STATUS_OK;
    run->stored = run_log_store;
    run->stored_user = &c->log;
    return run_log_open(&c->log, c->path, run, &keys, c->before_s, diag);
}

/* "interrupted by SIGINT: 282 of 1098 checks done; go on with --resume=report.json" */
static void tell(const struct checkpoint *c, const struct run_outcome *o)
{
    size_t all = o->missing;
    char why[sizeof o->stopped + 32];

    for (size_t i = 0; i < o->count; i++)
        all += !o->results[i].absent;
    snprintf(why, sizeof why, "%s%s", o->signal ? "interrupted by " : "", o->stopped);
    if (c->log.file)
        message_error(c->what, "%s: %zu of %zu checks done; go on with --resume=%s", why,
                      all - o->missing, all, c->path);
    else
        message_error(c->what, "%s: %zu of %zu checks done; a run with --out=FILE can be resumed",
                      why, all - o->missing, all);
}

void checkpoint_close(struct checkpoint *c, const struct run_outcome *outcome, bool reported)
{
    const bool cut = outcome->missing > 0 || outcome->signal;

    if (cut && outcome->count > 0)
        tell(c, outcome);
    if (c->log.broken.text[0])
        message_error("the log of the run", "%s", c->log.broken.text);
    run_log_close(&c->log, !reported || cut);
    mem_free(c->known);
    *c = (struct checkpoint){ .known = NULL };
}
