#include "reference/tests/kit/capture.h"

#include <stdlib.h>
#include <unistd.h>

void capture_begin(struct capture *c, FILE *stream)
{
    c->stream = stream;
    fflush(stream);
    c->saved = dup(fileno(stream));
    c->file = tmpfile();
    if (c->saved < 0 || !c->file || dup2(fileno(c->file), fileno(stream)) < 0)
        abort();
}

const char *capture_end(struct capture *c)
{
    size_t n;

    fflush(c->stream);
    if (dup2(c->saved, fileno(c->stream)) < 0)
        abort();
    close(c->saved);
    rewind(c->file);
    n = fread(c->text, 1, sizeof c->text - 1, c->file);
    c->text[n] = '\0';
    fclose(c->file);
    return c->text;
}
