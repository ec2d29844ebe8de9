#include "reference/tests/kit/thread_kit.h"
#include "reference/tests/kit/test.h"

#include <dirent.h>
#include <unistd.h>

int kit_count_threads(void)
{
    DIR *const d = opendir("/proc/self/task");
    int count = -2; /* "." and ".." */

    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

void kit_expect_threads(int count)
{
    for (int i = 0; i < 1000 && kit_count_threads() != count; i++)
        usleep(1000);
    assert_int_equal(kit_count_threads(), count);
}
