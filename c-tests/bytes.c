/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* shaone/be.h, and the functions of the same names that the library exports. */

/* The header's own under another name, to have both in one program. */
#define get_be16 inline_get_be16
#define get_be32 inline_get_be32
#define get_be64 inline_get_be64
#define put_be16 inline_put_be16
#define put_be32 inline_put_be32
#define put_be64 inline_put_be64
#define get_le16 inline_get_le16
#define get_le32 inline_get_le32
#define get_le64 inline_get_le64
#define put_le16 inline_put_le16
#define put_le32 inline_put_le32
#define put_le64 inline_put_le64
#include "shaone/be.h"
#undef get_be16
#undef get_be32
#undef get_be64
#undef put_be16
#undef put_be32
#undef put_be64
#undef get_le16
#undef get_le32
#undef get_le64
#undef put_le16
#undef put_le32
#undef put_le64

#include "test.h"

uint16_t get_be16(const void *);
uint32_t get_be32(const void *);
uint64_t get_be64(const void *);
void put_be16(void *, uint16_t);
void put_be32(void *, uint32_t);
void put_be64(void *, uint64_t);
uint16_t get_le16(const void *);
uint32_t get_le32(const void *);
uint64_t get_le64(const void *);
void put_le16(void *, uint16_t);
void put_le32(void *, uint32_t);
void put_le64(void *, uint64_t);

/* One width and order, as functions of uint64_t. */
struct pair {
    const char *name;
    size_t width;
    int big;
    uint64_t (*get)(const void *);
    void (*put)(void *, uint64_t);
};

#define PAIR(kind, bits)                                                                     \
    static uint64_t exported_get_##kind(const void *p) { return get_##kind(p); }             \
    static void exported_put_##kind(void *p, uint64_t v) { put_##kind(p, (uint##bits##_t)v); } \
    static uint64_t header_get_##kind(const void *p) { return inline_get_##kind(p); }        \
    static void header_put_##kind(void *p, uint64_t v) { inline_put_##kind(p, (uint##bits##_t)v); }

PAIR(be16, 16)
PAIR(be32, 32)
PAIR(be64, 64)
PAIR(le16, 16)
PAIR(le32, 32)
PAIR(le64, 64)

static const struct pair pairs[] = {
    {"exported be16", 2, 1, exported_get_be16, exported_put_be16},
    {"exported be32", 4, 1, exported_get_be32, exported_put_be32},
    {"exported be64", 8, 1, exported_get_be64, exported_put_be64},
    {"exported le16", 2, 0, exported_get_le16, exported_put_le16},
    {"exported le32", 4, 0, exported_get_le32, exported_put_le32},
    {"exported le64", 8, 0, exported_get_le64, exported_put_le64},
    {"header's be16", 2, 1, header_get_be16, header_put_be16},
    {"header's be32", 4, 1, header_get_be32, header_put_be32},
    {"header's be64", 8, 1, header_get_be64, header_put_be64},
    {"header's le16", 2, 0, header_get_le16, header_put_le16},
    {"header's le32", 4, 0, header_get_le32, header_put_le32},
    {"header's le64", 8, 0, header_get_le64, header_put_le64},
};

/* Arithmetic, not shifts: digits in base 256. */
static uint64_t value_of(const unsigned char *p, size_t width, int big)
{
    uint64_t value = 0;
    size_t i;
    for (i = 0; i < width; i++)
        value = value * 256 + p[big ? i : width - 1 - i];
    return value;
}

static void test_pair(const struct pair *pair, unsigned char *at)
{
    unsigned char random[8];
    uint64_t value;

    test_fill(random, sizeof random);
    memcpy(at, random, pair->width);
    value = value_of(at, pair->width, pair->big);
    CHECK(pair->get(at) == value, "%s: %llx", pair->name, (unsigned long long)value);
    CHECK(memcmp(at, random, pair->width) == 0, "%s: get changed the bytes", pair->name);

    memset(at, 0, pair->width);
    pair->put(at, value);
    CHECK(memcmp(at, random, pair->width) == 0, "%s: put of %llx", pair->name, (unsigned long long)value);
    CHECK(pair->get(at) == value, "%s: there and back", pair->name);
}

static void test_known(void)
{
    static const unsigned char bytes[8] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    static const uint64_t want[] = {0x0123, 0x01234567, UINT64_C(0x0123456789abcdef),
                                    0x2301, 0x67452301, UINT64_C(0xefcdab8967452301)};
    size_t i;
    for (i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        CHECK(pairs[i].get(bytes) == want[i % 6], "%s", pairs[i].name);
    CHECK(bswap16(0x0123) == 0x2301, "bswap16");
    CHECK(bswap32(0x01234567) == 0x67452301, "bswap32");
    CHECK(bswap64(UINT64_C(0x0123456789abcdef)) == UINT64_C(0xefcdab8967452301), "bswap64");
    for (i = 0; i < 1000; i++) {
        uint64_t value = test_random();
        unsigned char p[8];
        header_put_be64(p, value);
        CHECK(bswap64(value) == value_of(p, 8, 0), "bswap64 of %llx", (unsigned long long)value);
        CHECK(bswap32((uint32_t)value) == value_of(p + 4, 4, 0), "bswap32 of %llx", (unsigned long long)value);
        CHECK(bswap16((uint16_t)value) == value_of(p + 6, 2, 0), "bswap16 of %llx", (unsigned long long)value);
    }
}

int main(void)
{
    struct guarded page = guarded_new(1);
    unsigned char room[96];
    size_t i, at, round;

    test_known();
    for (i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        size_t width = pairs[i].width, k;
        for (round = 0; round < 20; round++) {
            for (at = 0; at < 64; at++) {
                memset(room, 0x5a, sizeof room);
                test_pair(&pairs[i], room + 8 + at);
                for (k = 0; k < sizeof room; k++) {
                    if (k < 8 + at || k >= 8 + at + width)
                        CHECK(room[k] == 0x5a, "%s at %zu wrote at %zu", pairs[i].name, 8 + at, k);
                }
            }
            test_pair(&pairs[i], page.start);
            test_pair(&pairs[i], page.end - width);
        }
    }
    guarded_free(page);
    return test_end("bytes");
}
