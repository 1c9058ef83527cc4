/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Integers in memory, big-endian (get_be*, put_be*) and little-endian (get_le*,
 * put_le*), and byte swapping (bswap*).
 *
 * The pointers may have any alignment. There is no cast to an integer type, so
 * neither alignment nor aliasing can go wrong; compilers turn each function
 * into one load or store and one byte swap (c-tests/be_asm.c is looked at by
 * the tests). get_be* and put_be32/64 are those of git's compat/bswap.h.
 * Works in C89, given a <stdint.h>, and in C++.
 *
 * The library also exports get_* and put_* under the same names, for callers
 * over FFI; a C program that includes this header does not need them.
 */
#ifndef SHAONE_BE_H
#define SHAONE_BE_H

#include <stdint.h>

#include "inline.h"

SHAONE_INLINE uint16_t get_be16(const void *ptr)
{
    const unsigned char *p = (const unsigned char *)ptr;

    return (uint16_t)((unsigned)p[0] << 8 | (unsigned)p[1]);
}

SHAONE_INLINE uint32_t get_be32(const void *ptr)
{
    const unsigned char *p = (const unsigned char *)ptr;

    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
           (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

SHAONE_INLINE uint64_t get_be64(const void *ptr)
{
    const unsigned char *p = (const unsigned char *)ptr;

    return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
           (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
           (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
           (uint64_t)p[6] << 8 | (uint64_t)p[7];
}

SHAONE_INLINE void put_be16(void *ptr, uint16_t value)
{
    unsigned char *p = (unsigned char *)ptr;

    p[0] = (unsigned char)(value >> 8);
    p[1] = (unsigned char)(value);
}

SHAONE_INLINE void put_be32(void *ptr, uint32_t value)
{
    unsigned char *p = (unsigned char *)ptr;

    p[0] = (unsigned char)(value >> 24);
    p[1] = (unsigned char)(value >> 16);
    p[2] = (unsigned char)(value >> 8);
    p[3] = (unsigned char)(value);
}

SHAONE_INLINE void put_be64(void *ptr, uint64_t value)
{
    unsigned char *p = (unsigned char *)ptr;

    p[0] = (unsigned char)(value >> 56);
    p[1] = (unsigned char)(value >> 48);
    p[2] = (unsigned char)(value >> 40);
    p[3] = (unsigned char)(value >> 32);
    p[4] = (unsigned char)(value >> 24);
    p[5] = (unsigned char)(value >> 16);
    p[6] = (unsigned char)(value >> 8);
    p[7] = (unsigned char)(value);
}

SHAONE_INLINE uint16_t get_le16(const void *ptr)
{
    const unsigned char *p = (const unsigned char *)ptr;

    return (uint16_t)((unsigned)p[1] << 8 | (unsigned)p[0]);
}

SHAONE_INLINE uint32_t get_le32(const void *ptr)
{
    const unsigned char *p = (const unsigned char *)ptr;

    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 |
           (uint32_t)p[1] << 8 | (uint32_t)p[0];
}

SHAONE_INLINE uint64_t get_le64(const void *ptr)
{
    const unsigned char *p = (const unsigned char *)ptr;

    return (uint64_t)p[7] << 56 | (uint64_t)p[6] << 48 |
           (uint64_t)p[5] << 40 | (uint64_t)p[4] << 32 |
           (uint64_t)p[3] << 24 | (uint64_t)p[2] << 16 |
           (uint64_t)p[1] << 8 | (uint64_t)p[0];
}

SHAONE_INLINE void put_le16(void *ptr, uint16_t value)
{
    unsigned char *p = (unsigned char *)ptr;

    p[0] = (unsigned char)(value);
    p[1] = (unsigned char)(value >> 8);
}

SHAONE_INLINE void put_le32(void *ptr, uint32_t value)
{
    unsigned char *p = (unsigned char *)ptr;

    p[0] = (unsigned char)(value);
    p[1] = (unsigned char)(value >> 8);
    p[2] = (unsigned char)(value >> 16);
    p[3] = (unsigned char)(value >> 24);
}

SHAONE_INLINE void put_le64(void *ptr, uint64_t value)
{
    unsigned char *p = (unsigned char *)ptr;

    p[0] = (unsigned char)(value);
    p[1] = (unsigned char)(value >> 8);
    p[2] = (unsigned char)(value >> 16);
    p[3] = (unsigned char)(value >> 24);
    p[4] = (unsigned char)(value >> 32);
    p[5] = (unsigned char)(value >> 40);
    p[6] = (unsigned char)(value >> 48);
    p[7] = (unsigned char)(value >> 56);
}

SHAONE_INLINE uint16_t bswap16(uint16_t value)
{
    return (uint16_t)((unsigned)value << 8 | (unsigned)value >> 8);
}

SHAONE_INLINE uint32_t bswap32(uint32_t value)
{
    return value << 24 | (value & 0xff00u) << 8 |
           (value >> 8 & 0xff00u) | value >> 24;
}

SHAONE_INLINE uint64_t bswap64(uint64_t value)
{
    return (uint64_t)bswap32((uint32_t)value) << 32 |
           bswap32((uint32_t)(value >> 32));
}

#endif /* SHAONE_BE_H */
