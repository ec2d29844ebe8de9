/* How often strings are compared, for tests of what has to be found without a look at all. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_COMPARED_H
#define ASSAY_REFERENCE_TESTS_KIT_COMPARED_H

extern _Thread_local long compared; /* calls of strcmp by this thread; a test sets it to 0 */

#endif
