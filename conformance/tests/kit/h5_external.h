/* An HDF5 dataset whose values lie in another file. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_H5_EXTERNAL_H
#define ASSAY_CONFORMANCE_TESTS_KIT_H5_EXTERNAL_H

#include <hdf5.h>
#include <stdint.h>

/* H5Pset_external with the offset that libhdf5 was compiled for, of 64 bits; the off_t of a program
 * for i386 has 32, unless it asks for more. */
herr_t h5_set_external(hid_t list, const char *file, int64_t offset,
                       hsize_t bytes) __asm__("H5Pset_external");

#endif
