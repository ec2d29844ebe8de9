/* Whether the tests are compiled with a sanitizer, and what they then leave out. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_SANITIZED_H
#define ASSAY_REFERENCE_TESTS_KIT_SANITIZED_H

/* Of addresses or threads: gcc defines macros for sanitizers, clang has __has_feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KIT_HAS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KIT_HAS_SANITIZER
#endif
#ifdef KIT_HAS_SANITIZER
enum { KIT_SANITIZED = 1 };
#else
enum { KIT_SANITIZED = 0 };
#endif

/* The step of a loop over mutations or cases that are many of a kind: make check takes all of them,
 * and each n-th under a sanitizer, where they cost several times as much. */
#define KIT_EACH(n) (KIT_SANITIZED ? (n) : 1)

#endif
