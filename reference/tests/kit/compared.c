/* Wrap: strcmp */
#include "reference/tests/kit/compared.h"

_Thread_local long compared;

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);

int __wrap_strcmp(const char *a, const char *b)
{
    compared++;
    return __real_strcmp(a, b);
}
