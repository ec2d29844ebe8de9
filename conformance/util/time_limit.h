/* A limit for what may loop for ever in the process itself, such as a kernel of the reference. */
#ifndef ASSAY_CONFORMANCE_UTIL_TIME_LIMIT_H
#define ASSAY_CONFORMANCE_UTIL_TIME_LIMIT_H

/* After so many seconds of processor time, whatever the load of the machine, the process says on
 * stderr what took them, and exits with 1.  A second call begins anew; one limit a process. */
void time_limit_begin(double seconds, const char *what);
void time_limit_end(void);

#endif
