/* A hash of the delegate's sources, so that another build's serialized constants are not taken for
 * this one's; the Makefile writes it. */
#ifndef ASSAY_DELEGATE_BASE_SOURCE_ID_H
#define ASSAY_DELEGATE_BASE_SOURCE_ID_H

extern const char source_id[];

#endif
