#include "conformance/util/date.h"

#include <stddef.h>
#include <stdio.h>
#include <time.h>

/* 0: there is no such month.  month is at least 0. */
static int days_in_month(int year, int month)
{
    static const int days[] = { 0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month <= 12 ? days[month] + (month == 2 && leap) : 0;
}

/* Reads exactly count digits, and then the character `end`. */
static bool read_digits(const char **text, int count, char end, int *value)
{
    *value = 0;
    for (int i = 0; i < count; i++, ++*text) {
        if (**text < '0' || **text > '9')
            return false;
        *value = 10 * *value + (**text - '0');
    }
    return *(*text)++ == end;
}

bool date_read(const char *text, struct date *date)
{
    struct date d;

    if (!read_digits(&text, 4, '-', &d.year) || !read_digits(&text, 2, '-', &d.month) ||
        !read_digits(&text, 2, '\0', &d.day) || d.year < 1 || d.day < 1 ||
        d.day > days_in_month(d.year, d.month))
        return false;
    *date = d;
    return true;
}

const char *date_text(struct date d, char text[DATE_TEXT_BYTES])
{
    snprintf(text, DATE_TEXT_BYTES, "%04u-%02u-%02u", (unsigned)d.year % 10000,
             (unsigned)d.month % 100, (unsigned)d.day % 100);
    return text;
}

struct date date_today(void)
{
    const time_t now = time(NULL);
    struct tm utc;

    if (!gmtime_r(&now, &utc))
        return (struct date){ .year = 0 };
    return (struct date){ utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday };
}

/* Days since 1 March of the year 0: years begin in March, so that the leap day ends them. */
static int day_number(struct date d)
{
    const int year = d.month > 2 ? d.year : d.year - 1;
    const int month = d.month > 2 ? d.month - 3 : d.month + 9;

    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + d.day - 1;
}

int date_days_between(struct date a, struct date b)
{
    return day_number(b) - day_number(a);
}
