/* The first bytes of every file of the cache. */
#ifndef ASSAY_DELEGATE_CACHE_MAGIC_H
#define ASSAY_DELEGATE_CACHE_MAGIC_H

static const char cache_magic[8] = { 'A', 'S', 'S', 'A', 'Y', 'G', 'P', 'U' };

#endif
