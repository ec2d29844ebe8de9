/* assay report site: a board of many reports. */
#include "conformance/report/forms/site.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/output.h"
#include "reference/base/clean.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char what[] = "report site";

struct site {
    struct board board;
    const char *out;
    struct diag diag;
};

static enum status add(void *user, const char *file)
{
    struct site *const s = user;

    return board_add(&s->board, file, &s->diag);
}

/* Writes DIR/NAMEsuffix whole, or not at all. */
static enum status
write_file(struct site *s, const char *name, const char *suffix, const struct board_page *page,
           enum status write(struct site *s, const struct board_page *page, FILE *out))
{
    char path[PATH_MAX], *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status status;

    if (!f)
        return diag_fail(&s->diag, STATUS_NO_MEMORY, "out of memory");
    status = write(s, page, f);
    if (fclose(f) != 0 && status == STATUS_OK)
        status = diag_fail(&s->diag, STATUS_NO_MEMORY, "%s%s: out of memory", name, suffix);
    if (status == STATUS_OK &&
        snprintf(path, sizeof path, "%s/%s%s", s->out, name, suffix) >= (int)sizeof path)
        status = diag_fail(&s->diag, STATUS_IO, "%.200s: its path is too long", s->out);
    if (status == STATUS_OK)
        status = output_write_file(path, text, bytes, &s->diag);
    free(text); /* from open_memstream, hence not of mem_alloc */
    return status;
}

static enum status write_index(struct site *s, const struct board_page *page, FILE *out)
{
    (void)page;
    return site_index(&s->board, out, &s->diag);
}

static enum status write_feed(struct site *s, const struct board_page *page, FILE *out)
{
    (void)page;
    return site_feed(&s->board, out, &s->diag);
}

static enum status write_page(struct site *s, const struct board_page *page, FILE *out)
{
    return site_page(&s->board, page, out, &s->diag);
}

static enum status write_badge(struct site *s, const struct board_page *page, FILE *out)
{
    (void)s;
    site_badge(page, out);
    return STATUS_OK;
}

/* The index comes last, so that what it leads to is there. */
static enum status write_all(struct site *s)
{
    if (mkdir(s->out, 0777) != 0 && errno != EEXIST)
        return diag_fail(&s->diag, STATUS_IO, "%s: %s", s->out, strerror(errno));
    for (size_t i = 0; i < s->board.page_count; i++) {
        const struct board_page *const page = &s->board.pages[i];

        TRY(write_file(s, page->slug, ".html", page, write_page));
        TRY(write_file(s, page->slug, ".svg", page, write_badge));
    }
    TRY(write_file(s, "feed", ".json", NULL, write_feed));
    return write_file(s, "index", ".html", NULL, write_index);
}

static int make(struct site *s, const struct args *args)
{
    for (size_t i = 0; i < args->count; i++) {
        if (board_files(args->items[i], add, s, &s->diag) != STATUS_OK)
            return message_fail(what, &s->diag);
    }
    if (board_settle(&s->board, &s->diag) != STATUS_OK)
        return message_fail(what, &s->diag);
    if (s->board.run_count == 0) {
        message_error(what, "expected reports of `assay conformance --format=json`, found none%s%s",
                      s->board.broken.count ? " that can be read, such as " : "",
                      s->board.broken.count ? s->board.broken.items[0] : "");
        return EXIT_USAGE;
    }
    if (write_all(s) != STATUS_OK)
        return message_fail(what, &s->diag);
    for (size_t i = 0; i < s->board.broken.count; i++)
        message_error(what, "%s", s->board.broken.items[i]);
    for (size_t i = 0; i < s->board.remarks.count; i++)
        message_error(what, "note: %s", s->board.remarks.items[i]);
    clean_print(stdout, s->out);
    printf("/index.html: %zu subject%s, %zu run%s", s->board.page_count,
           s->board.page_count == 1 ? "" : "s", s->board.run_count,
           s->board.run_count == 1 ? "" : "s");
    if (s->board.broken.count)
        printf("; %zu report%s cannot be read", s->board.broken.count,
               s->board.broken.count == 1 ? "" : "s");
    putchar('\n');
    return s->board.broken.count ? EXIT_FAILED : EXIT_AS_EXPECTED;
}

int report_site_run(const struct command *self, int argc, char **argv)
{
    struct site s = { .out = "site", .diag = { .status = STATUS_OK } };
    const struct args_flag flags[] = {
        ARG("out", ARGS_STRING, &s.out, "DIR",
            "directory of the pages, made where there is none (default: site)"),
        ARG("o", ARGS_STRING, &s.out, "DIR", "the same"),
    };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0], 0, NULL, &args, 1,
                    10000, &code))
        return code;
    code = make(&s, &args);
    board_close(&s.board);
    return code;
}
