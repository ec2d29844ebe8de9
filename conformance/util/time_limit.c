#include "conformance/util/time_limit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Made beforehand: a handler may write and exit, and little else. */
static char message[256];

static void say_and_exit(int number)
{
    const ssize_t written = write(STDERR_FILENO, message, strlen(message));

    (void)number;
    (void)written;
    _exit(1);
}

static void set_timer(double seconds)
{
    const time_t whole = (time_t)seconds;
    const struct itimerval timer = {
        .it_value = { .tv_sec = whole, .tv_usec = (suseconds_t)((seconds - (double)whole) * 1e6) }
    };

    setitimer(ITIMER_PROF, &timer, NULL);
}

void time_limit_begin(double seconds, const char *what)
{
    struct sigaction action = { .sa_handler = say_and_exit };

    set_timer(0);
    snprintf(message, sizeof message, "assay: %.160s: over %g s of processor time\n", what,
             seconds);
    sigemptyset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    set_timer(seconds);
}

void time_limit_end(void)
{
    set_timer(0);
    signal(SIGPROF, SIG_DFL);
}
