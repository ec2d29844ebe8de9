#include "conformance/suite/subject/line_dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

typedef int socket_use(int fd, const struct sockaddr *a, socklen_t bytes);

/* errno of what failed, else 0. */
static int try_address(int family, const struct sockaddr *a, socklen_t bytes, socket_use *use,
                       int *out)
{
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int why;

    if (fd >= 0 && use(fd, a, bytes) == 0) {
        *out = fd;
        return 0;
    }
    why = errno;
    if (fd >= 0)
        close(fd);
    return why;
}

/* A socket without a path would be in a space of names that has no permissions. */
static enum status use_unix(const char *path, socket_use *use, int *out, struct diag *diag)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int why;

    if (!path[0] || strlen(path) >= sizeof a.sun_path)
        return diag_fail(diag, STATUS_USAGE,
                         "unix:%s: a socket needs a path of less than %zu bytes", path,
                         sizeof a.sun_path);
    strcpy(a.sun_path, path);
    why = try_address(AF_UNIX, (const struct sockaddr *)&a, sizeof a, use, out);
    return why ? diag_fail(diag, STATUS_IO, "unix:%s: %s", path, strerror(why)) : STATUS_OK;
}

static enum status use_tcp(const char *text, const char *host, socket_use *use, int *out,
                           struct diag *diag)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    const char *const colon = strrchr(text, ':'), *const port = colon ? colon + 1 : text;
    const int bracket = text[0] == '[';
    struct addrinfo *list = NULL;
    char own[256] = "";
    int why = 0;

    if (colon && colon - text < (ptrdiff_t)sizeof own && colon - text > 2 * bracket)
        snprintf(own, sizeof own, "%.*s", (int)(colon - text - 2 * bracket), text + bracket);
    if (!colon && host)
        snprintf(own, sizeof own, "%s", host);
    if (!own[0] || !port[0])
        return diag_fail(diag, STATUS_USAGE, "%s: expected %sHOST:PORT or unix:PATH", text,
                         host ? "PORT, " : "");
    why = getaddrinfo(own, port, &hints, &list);
    if (why)
        return diag_fail(diag, STATUS_IO, "%s: %s", text, gai_strerror(why));
    for (const struct addrinfo *a = list; a && *out < 0; a = a->ai_next)
        why = try_address(a->ai_family, a->ai_addr, a->ai_addrlen, use, out);
    freeaddrinfo(list);
    return why ? diag_fail(diag, STATUS_IO, "%s: %s", text, strerror(why)) : STATUS_OK;
}

enum status line_socket(const char *address, const char *host, socket_use *use, int *out,
                        struct diag *diag)
{
    *out = -1;
    return strncmp(address, "unix:", 5) == 0 ? use_unix(address + 5, use, out, diag)
                                             : use_tcp(address, host, use, out, diag);
}

/* An address where nobody answers is given up before the case's time is over. */
static int dial(int fd, const struct sockaddr *a, socklen_t bytes)
{
    const struct timeval limit = { .tv_sec = 10 };

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
    if (connect(fd, a, bytes) == 0)
        return 0;
    if (errno == EINPROGRESS)
        errno = ETIMEDOUT;
    return -1;
}

enum status line_dial(const char *address, int *out, struct diag *diag)
{
    return line_socket(address, NULL, dial, out, diag);
}

enum status line_secret(const char *path, char secret[LINE_SECRET_BYTES], struct diag *diag)
{
    FILE *const f = fopen(path, "re");
    struct stat st = { .st_mode = 0 };
    bool ok;

    if (!f)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    ok = fgets(secret, LINE_SECRET_BYTES, f) && fstat(fileno(f), &st) == 0;
    fclose(f);
    if (st.st_mode & 077)
        return diag_fail(diag, STATUS_IO, "%s: others may read it: mode %04o, expected 0600", path,
                         (unsigned)st.st_mode & 07777);
    secret[ok ? strcspn(secret, "\r\n") : 0] = '\0';
    return secret[0] ? STATUS_OK
                     : diag_fail(diag, STATUS_IO, "%s: no secret in its first line", path);
}
