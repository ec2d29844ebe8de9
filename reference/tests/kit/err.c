#include "reference/tests/kit/err.h"

_Thread_local struct diag err;
