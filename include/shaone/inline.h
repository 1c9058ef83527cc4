/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* static inline for the functions that headers of shaone define. */
#ifndef SHAONE_INLINE_H
#define SHAONE_INLINE_H

/* C89 has no inline, but its compilers do. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define SHAONE_INLINE static inline
#elif defined(__GNUC__) || defined(_MSC_VER)
#define SHAONE_INLINE static __inline
#else
#define SHAONE_INLINE static
#endif

#endif /* SHAONE_INLINE_H */
