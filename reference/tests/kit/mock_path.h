/* Where runners of tests ($(B)/tests/reference) find what else was built: $(B)/mock/delegate.so. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_MOCK_PATH_H
#define ASSAY_REFERENCE_TESTS_KIT_MOCK_PATH_H

/* Below $(B).  Valid until the next call. */
const char *build_path(const char *directory, const char *name);
const char *mock_path(const char *name);

#endif
