/* Days of the calendar, written as ISO 8601 does: 2027-01-31. */
#ifndef ASSAY_CONFORMANCE_UTIL_DATE_H
#define ASSAY_CONFORMANCE_UTIL_DATE_H

#include <stdbool.h>

struct date {
    int year, month, day; /* year 0: no date */
};

enum { DATE_TEXT_BYTES = 16 };

/* Reads four, two and two digits of a day that the Gregorian calendar has. */
bool date_read(const char *text, struct date *date);
/* Returns text. */
const char *date_text(struct date date, char text[DATE_TEXT_BYTES]);
/* Today, in UTC, so that the machines of a farm agree. */
struct date date_today(void);
/* Days from a to b; negative where b is earlier. */
int date_days_between(struct date a, struct date b);

#endif
