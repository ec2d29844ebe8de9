/* Which source this program was built from. */
#ifndef ASSAY_CONFORMANCE_UTIL_GIT_STATE_H
#define ASSAY_CONFORMANCE_UTIL_GIT_STATE_H

/* "5faf3b7", or "5faf3b7-dirty" where files were changed; NULL: not known, as in a tarball.  main
 * sets it, so that a commit does not make every test program link again. */
const char *git_state(void);
void git_state_set(const char *state);

#endif
