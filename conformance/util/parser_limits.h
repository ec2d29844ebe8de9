/* What a parser that is not ours may take to read one file: libhdf5, libjpeg, libpng.  It runs in
 * a child process (parser.h), and these limits are the child's.  JSON is parsed in this process
 * (json_parse.h): its text is limited in bytes, its values in memory, and its depth by jansson. */
#ifndef ASSAY_CONFORMANCE_UTIL_PARSER_LIMITS_H
#define ASSAY_CONFORMANCE_UTIL_PARSER_LIMITS_H

enum {
    /* Memory beyond what this program had when the child was made, and beyond the bytes that the
     * caller expects of the file.  A progressive JPEG of IMAGE_PIXELS_MAX pixels needs 300. */
    PARSER_MEMORY_MIB = 512,
    PARSER_CPU_S = 30, /* processor time, for one file */
    PARSER_WAIT_S =
        120, /* until an answer: more than PARSER_CPU_S, for a machine with other work */
    /* The bytes of one dataset of an HDF5 file, and those of a chunk of it: a chunk is unpacked
     * whole. */
    PARSER_HDF5_DATASET_MIB = 1024,
    PARSER_HDF5_CHUNK_MIB = 128,
    /* The bytes of annotations in JSON; and the memory of any JSON's values: this, and so many
     * bytes for each byte of the text. */
    PARSER_JSON_MIB = 1024,
    PARSER_JSON_VALUES_MIB = 16,
    PARSER_JSON_VALUES_FACTOR = 32
};

struct parser_limits {
    unsigned memory_mib, cpu_s, wait_s;
};
/* Those that hold: at first the constants above.  Set before a parser is started. */
extern struct parser_limits parser_limits;

#endif
