/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How the headers of shaone tell the linker's name of a function.
 *
 * Several libraries have a function sha1_init or sha1_init_ctx, with other arguments.
 * So that no call of one goes to another, the linker looks for a name that only shaone
 * has, such as shaone_init, whatever the function is called in C.
 */
#ifndef SHAONE_SYMBOLS_H
#define SHAONE_SYMBOLS_H

/* What `make SYMBOL_PREFIX=...` has put before each of these names. */
#define SHAONE_SYMBOL_PREFIX ""

/* Behind a declaration: the linker's name. Compilers that are not of this kind take the
 * name of the function itself. */
#if defined(__APPLE__) || (defined(_WIN32) && defined(__i386__))
#define SHAONE_SYMBOL(name) __asm__("_" SHAONE_SYMBOL_PREFIX #name)
#elif defined(__GNUC__) || defined(__TINYC__)
#define SHAONE_SYMBOL(name) __asm__(SHAONE_SYMBOL_PREFIX #name)
#else
#define SHAONE_SYMBOL(name)
#endif

/* The program is compiled for clang's MemorySanitizer: see msan.h. */
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define SHAONE_MSAN
#endif
#endif

#endif /* SHAONE_SYMBOLS_H */
