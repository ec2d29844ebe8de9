/* How many threads the process has. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_THREAD_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_THREAD_KIT_H

int kit_count_threads(void);
/* Fails unless there are so many within a second: the kernel may list a thread for a moment after
 * it was joined. */
void kit_expect_threads(int count);

#endif
