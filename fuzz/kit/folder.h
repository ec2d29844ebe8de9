/* A private folder of this process: in TMPDIR, else in memory where there is /dev/shm.  It is
 * removed at the end, but not where the fuzzer ends the process: run.sh gives a TMPDIR, and removes
 * that. */
#ifndef ASSAY_FUZZ_KIT_FOLDER_H
#define ASSAY_FUZZ_KIT_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Its path; made when it is first asked for. */
const char *fuzz_folder(void);
/* Writes a file of the folder, mode 600. */
void fuzz_folder_write(const char *name, const void *bytes, size_t size);

#endif
