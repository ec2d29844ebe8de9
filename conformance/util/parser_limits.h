/* What a parser that is not ours may take to read one file: libhdf5, libjpeg, libpng.  It runs in
 * a child process (parser.h), and these limits are the child's; others are in base/limits.def. JSON
 * is parsed in this process (json_parse.h): its text is limited in bytes, its values in memory, and
 * its depth by jansson. */
#ifndef ASSAY_CONFORMANCE_UTIL_PARSER_LIMITS_H
#define ASSAY_CONFORMANCE_UTIL_PARSER_LIMITS_H

enum {
    PARSER_WAIT_S = 120, /* until an answer: for a machine with other work */
    /* The memory of any JSON's values: this, and so many bytes for each byte of the text. */
    PARSER_JSON_VALUES_MIB = 16,
    PARSER_JSON_VALUES_FACTOR = 32
};

struct parser_limits {
    unsigned memory_mib, cpu_s, wait_s;
};
/* Others than those of limits.def (parser_bytes, beyond what this program had when the child was
 * made and the bytes that the caller expects, and parser_seconds) and PARSER_WAIT_S, where they are
 * not 0.  Set before a parser is started. */
extern struct parser_limits parser_limits;
/* Those that hold. */
struct parser_limits parser_limits_now(void);

#endif
