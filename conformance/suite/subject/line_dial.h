/* Where the two ends of a line meet: a socket's address, and the secret that both know. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LINE_DIAL_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LINE_DIAL_H

#include "reference/base/diag.h"

#include <sys/socket.h>

enum { LINE_SECRET_BYTES = 256 };

/* Opens a socket for "HOST:PORT", "[::1]:PORT" or "unix:PATH", and calls `use` for each of its
 * addresses until that returns 0, as connect and bind do.  A port alone is one of `host`; NULL:
 * it needs its own.  STATUS_USAGE where the text is none of these, else STATUS_IO with the reason;
 * *out is -1 then. */
enum status line_socket(const char *address, const char *host,
                        int (*use)(int fd, const struct sockaddr *a, socklen_t bytes), int *out,
                        struct diag *diag);
/* The same, connected to an agent. */
enum status line_dial(const char *address, int *out, struct diag *diag);
/* The first line of a file that nobody else may read. */
enum status line_secret(const char *path, char secret[LINE_SECRET_BYTES], struct diag *diag);

#endif
