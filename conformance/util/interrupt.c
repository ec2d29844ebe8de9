#include "conformance/util/interrupt.h"

#include "conformance/util/clock.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
    int number;
    const char *name;
} signals[] = { { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" }, { SIGHUP, "SIGHUP" } };
enum { COUNT = sizeof signals / sizeof signals[0] };

static volatile sig_atomic_t noted;
static struct sigaction before[COUNT];
static bool begun;

/* timeout(1) and schedulers signal the process and its group: the same request comes twice. */
static const double one_request_s = 0.5;
static double noted_s;

static void note(int number)
{
    const double now = clock_s();

    if (noted && now - noted_s < one_request_s)
        return;
    noted_s = now;
    if (noted) {
        signal(number, SIG_DFL);
        raise(number); /* it is delivered when this handler returns */
    }
    noted = number;
}

void interrupt_begin(void)
{
    struct sigaction action = { .sa_handler = note }; /* no SA_RESTART: poll returns */

    noted = 0;
    begun = true;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT; i++) {
        sigaction(signals[i].number, NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i].number, &action, NULL);
    }
}

int interrupt_signal(void)
{
    return noted;
}

const char *interrupt_name(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (signals[i].number == noted)
            return signals[i].name;
    }
    return NULL;
}

void interrupt_end(void)
{
    if (!begun)
        return;
    begun = false;
    for (size_t i = 0; i < COUNT; i++)
        sigaction(signals[i].number, &before[i], NULL);
}
