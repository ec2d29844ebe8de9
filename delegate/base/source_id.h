/* A hash of the delegate's sources, which the Makefile writes.  Serialized files of a build from
 * other sources are not used. */
#ifndef ASSAY_DELEGATE_BASE_SOURCE_ID_H
#define ASSAY_DELEGATE_BASE_SOURCE_ID_H

extern const char source_id[];

#endif
