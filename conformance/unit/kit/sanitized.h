/* Whether the tests are compiled with a sanitizer of addresses or threads. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_SANITIZED_H
#define ASSAY_CONFORMANCE_UNIT_KIT_SANITIZED_H

/* gcc defines macros for sanitizers, clang has __has_feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KIT_SANITIZED 1
#endif
#endif
#if !defined(KIT_SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define KIT_SANITIZED 1
#elif !defined(KIT_SANITIZED)
#define KIT_SANITIZED 0
#endif

#endif
