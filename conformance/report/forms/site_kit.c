#include "conformance/report/forms/site_kit.h"

#include "conformance/report/forms/html_text.h"

#include <string.h>

enum { TEXT_BYTES = 300, BAR = 120, TREND_WIDTH = 110, TREND_HEIGHT = 24 };

void site_text(FILE *out, const char *text)
{
    char cut[TEXT_BYTES + 4];
    const size_t length = text ? strlen(text) : 0;
    size_t n = TEXT_BYTES;

    if (length <= TEXT_BYTES) {
        html_text(out, text);
        return;
    }
    /* Not within a character. */
    while (n > TEXT_BYTES - 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    snprintf(cut, sizeof cut, "%.*s...", (int)n, text);
    html_text(out, cut);
}

const char *site_version(const struct board_run *run)
{
    return run->x.version ? run->x.version : "version not known";
}

const char *site_date(const struct board_run *run, char text[11])
{
    snprintf(text, 11, "%.10s", run->x.started ? run->x.started : "");
    return text;
}

size_t site_judged(const struct board_run *run)
{
    return run->all - run->count[CASE_DECLINED];
}

double site_share(const struct board_run *run)
{
    const size_t judged = site_judged(run);

    return judged ? 100.0 * (double)(judged - run->bad) / (double)judged : 0;
}

void site_bar(FILE *out, const struct board_run *run)
{
    static const enum case_status order[] = { CASE_PASS, CASE_WAIVED,  CASE_DECLINED,
                                              CASE_FAIL, CASE_TIMEOUT, CASE_UNEXPECTED_PASS,
                                              CASE_CRASH };
    double x = 0;

    fprintf(out,
            "<svg class=\"stacked\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">",
            BAR);
    for (size_t i = 0; i < sizeof order / sizeof order[0] && run->all; i++) {
        const double width = (double)BAR * (double)run->count[order[i]] / (double)run->all;

        if (width > 0)
            fprintf(out, "<rect class=\"s%d\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/>", order[i],
                    x, width);
        x += width;
    }
    fputs("</svg>", out);
}

/* From the lowest share to 100 %, which is the upper edge. */
void site_trend(FILE *out, struct board_run *const *runs, size_t count)
{
    double low = 100;

    if (count < 2)
        return;
    for (size_t i = 0; i < count; i++)
        low = site_share(runs[i]) < low ? site_share(runs[i]) : low;
    low = low > 99.9 ? 99 : low;
    fprintf(
        out,
        "<svg class=\"trend\" viewBox=\"-3 -3 %d %d\" role=\"img\" aria-label=\"passed, of what "
        "was judged: ",
        TREND_WIDTH + 6, TREND_HEIGHT + 6);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.1f %%", i ? ", " : "", site_share(runs[i]));
    fprintf(out,
            "\"><line class=\"full\" x1=\"0\" x2=\"%d\" y1=\"0\" y2=\"0\"/><polyline points=\"",
            TREND_WIDTH);
    for (int dots = 0; dots < 2; dots++) {
        for (size_t i = 0; i < count; i++) {
            const double x = (double)TREND_WIDTH * (double)i / (double)(count - 1);
            const double y = TREND_HEIGHT * (100 - site_share(runs[i])) / (100 - low);

            if (dots)
                fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\"/>", x, y);
            else
                fprintf(out, "%s%.1f,%.1f", i ? " " : "", x, y);
        }
        fputs(dots ? "</svg>" : "\"/>", out);
    }
}

void site_notes(FILE *out, const char *head, const struct notes *notes, size_t most,
                const char *about)
{
    size_t shown = 0, all = 0;

    for (size_t i = 0; i < notes->count; i++) {
        if (about && strncmp(notes->items[i], about, strlen(about)) != 0)
            continue;
        if (all++ >= most)
            continue;
        fprintf(out, "<p class=\"banner\"><strong>%s:</strong> ", head);
        site_text(out, notes->items[i] + (about ? strlen(about) : 0));
        fputs("</p>\n", out);
        shown++;
    }
    if (all > shown)
        fprintf(out, "<p class=\"banner\">%zu more of these are left out.</p>\n", all - shown);
}

bool site_has_room(FILE *out, long bytes)
{
    return ftell(out) < bytes;
}
