/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the test programs share: checks that count, seeded random numbers, hex,
 * memory between guard pages, and SHA-1 as FIPS 180-4 writes it down, so that
 * no test depends on a peer being installed.
 *
 * The environment: SHAONE_SEED (a number) gives other random inputs,
 * SHAONE_QUICK=1 fewer of them (for valgrind).
 */
#ifndef SHAONE_TESTS_TEST_H
#define SHAONE_TESTS_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEST_STATIC static __attribute__((unused))

/* --- checks --- */

static unsigned long test_passed, test_failed;

TEST_STATIC uint64_t test_seed(void)
{
    const char *seed = getenv("SHAONE_SEED");
    return seed ? strtoull(seed, NULL, 0) : 0x5eed;
}

TEST_STATIC int test_quick(void)
{
    static int quick = -1;
    if (quick < 0)
        quick = getenv("SHAONE_QUICK") != NULL;
    return quick;
}

/* CHECK(condition, "where %d", ...): the rest is printed on failure only. */
#define CHECK(condition, ...) test_check((condition) != 0, #condition, __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) TEST_STATIC void test_check(int good, const char *what,
                                                                  const char *file, int line,
                                                                  const char *format, ...)
{
    va_list list;
    if (good) {
        test_passed++;
        return;
    }
    /* One mistake can fail a million times. */
    if (test_failed++ >= 20)
        return;
    printf("%s:%d: %s: ", file, line, what);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf(" (SHAONE_SEED=%#llx)\n", (unsigned long long)test_seed());
    fflush(stdout);
}

/* For what must work before anything can be tested. */
#define REQUIRE(condition) ((condition) ? (void)0 : test_require(#condition, __FILE__, __LINE__))

__attribute__((noreturn)) TEST_STATIC void test_require(const char *what, const char *file, int line)
{
    printf("%s:%d: ", file, line);
    fflush(stdout);
    perror(what);
    exit(2);
}

/* The last line of each program, and its exit status. */
TEST_STATIC int test_end(const char *name)
{
    printf("%s: %lu passed, %lu failed\n", name, test_passed, test_failed);
    return test_failed != 0 || test_passed == 0;
}

/* --- random numbers (splitmix64) --- */

static uint64_t test_state;

TEST_STATIC uint64_t test_random(void)
{
    uint64_t z;
    if (test_state == 0)
        test_state = test_seed() * 2 + 1;
    z = test_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 to limit - 1 */
TEST_STATIC size_t test_below(size_t limit)
{
    return (size_t)(test_random() % limit);
}

TEST_STATIC void test_fill(void *to, size_t len)
{
    unsigned char *p = to;
    size_t i;
    for (i = 0; i < len; i += 8) {
        uint64_t r = test_random();
        memcpy(p + i, &r, len - i < 8 ? len - i : 8);
    }
}

/* A length for one call: mostly about a block or two, sometimes more, often 0. */
TEST_STATIC size_t test_piece(void)
{
    switch (test_below(8)) {
    case 0:
        return 0;
    case 1:
        return 64 * test_below(4);
    case 2:
        return test_below(700);
    case 3:
        return test_below(8) ? 1 : test_below(5000);
    default:
        return test_below(140);
    }
}

/* --- hex --- */

TEST_STATIC const char *test_hex(const unsigned char digest[20])
{
    static char text[41];
    int i;
    for (i = 0; i < 20; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

TEST_STATIC int same_digest(const unsigned char digest[20], const char *hex)
{
    return strcmp(test_hex(digest), hex) == 0;
}

/* --- memory between two pages that cannot be touched --- */

struct guarded {
    unsigned char *start;
    unsigned char *end;
};

TEST_STATIC struct guarded guarded_new(size_t pages)
{
    struct guarded g;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *all = mmap(NULL, (pages + 2) * page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED);
    g.start = all + page;
    g.end = g.start + pages * page;
    REQUIRE(mprotect(all, page, PROT_NONE) == 0);
    REQUIRE(mprotect(g.end, page, PROT_NONE) == 0);
    return g;
}

TEST_STATIC void guarded_free(struct guarded g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    REQUIRE(munmap(g.start - page, (size_t)(g.end - g.start) + 2 * page) == 0);
}

/* --- SHA-1, plainly (FIPS 180-4, sections 5.1.1 and 6.1.2) --- */

TEST_STATIC uint32_t plain_rol(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

TEST_STATIC void plain_block(uint32_t h[5], const unsigned char block[64])
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    int t;
    for (t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (; t < 80; t++)
        w[t] = plain_rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (t = 0; t < 80; t++) {
        uint32_t f = t < 20   ? ((b & c) ^ (~b & d)) + 0x5a827999
                     : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                     : t < 60 ? ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc
                              : (b ^ c ^ d) + 0xca62c1d6;
        uint32_t next = plain_rol(a, 5) + f + e + w[t];
        e = d;
        d = c;
        c = plain_rol(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

/* The digest of data that follow `before` bytes (whole blocks), which led to h. */
TEST_STATIC void plain_rest(uint32_t h[5], uint64_t before, const void *data, size_t len,
                            unsigned char out[20])
{
    const unsigned char *p = data;
    unsigned char last[128] = {0};
    uint64_t bits = (before + len) * 8;
    size_t i, n, left = len;
    for (; left >= 64; left -= 64, p += 64)
        plain_block(h, p);
    if (left > 0)
        memcpy(last, p, left);
    last[left] = 0x80;
    n = left < 56 ? 64 : 128;
    for (i = 0; i < 8; i++)
        last[n - 1 - i] = (unsigned char)(bits >> 8 * i);
    for (i = 0; i < n; i += 64)
        plain_block(h, last + i);
    for (i = 0; i < 20; i++)
        out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

TEST_STATIC void plain_sha1(const void *data, size_t len, unsigned char out[20])
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    plain_rest(h, 0, data, len, out);
}

#endif
