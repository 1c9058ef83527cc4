/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * sha1collisiondetection's API, included as its users include it.
 *
 * SHAONE_COLLISIONS names the directory of the collisions (tests/data/collisions),
 * SHAONE_PDFS one with the whole PDFs of SHAttered.
 */
#include <sha1dc/sha1.h>

#define STREAM_CTX_MAX sizeof(SHA1_CTX)
#include "streams.h"

#include <setjmp.h>

/* The reference's own declaration: the two must be the same to the last byte. */
struct reference_ctx {
    uint64_t total;
    uint32_t ihv[5];
    unsigned char buffer[64];
    int found_collision;
    int safe_hash;
    int detect_coll;
    int ubc_check;
    int reduced_round_coll;
    void (*callback)(uint64_t, const uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *);
    uint32_t ihv1[5];
    uint32_t ihv2[5];
    uint32_t m1[80];
    uint32_t m2[80];
    uint32_t states[80][5];
};

#define SAME(field)                                                                         \
    _Static_assert(offsetof(SHA1_CTX, field) == offsetof(struct reference_ctx, field) &&    \
                       sizeof((SHA1_CTX *)0)->field == sizeof((struct reference_ctx *)0)->field, \
                   #field)
SAME(total);
SAME(ihv);
SAME(buffer);
SAME(found_collision);
SAME(safe_hash);
SAME(detect_coll);
SAME(ubc_check);
SAME(reduced_round_coll);
SAME(callback);
SAME(ihv1);
SAME(ihv2);
SAME(m1);
SAME(m2);
SAME(states);
_Static_assert(sizeof(SHA1_CTX) == sizeof(struct reference_ctx), "size");
_Static_assert(_Alignof(SHA1_CTX) == _Alignof(struct reference_ctx), "alignment");
_Static_assert(sizeof(void *) != 8 || sizeof(SHA1_CTX) == 2400, "size, LP64");
_Static_assert(sizeof(void *) != 8 || _Alignof(SHA1_CTX) == 8, "alignment, LP64");
_Static_assert(_Alignof(SHA1_CTX) != 4 || sizeof(SHA1_CTX) == 2396, "size, i686");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, ihv) == 8, "ihv, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, buffer) == 28, "buffer, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, found_collision) == 92, "found_collision, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, safe_hash) == 96, "safe_hash, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, detect_coll) == 100, "detect_coll, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, ubc_check) == 104, "ubc_check, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, reduced_round_coll) == 108, "reduced_round_coll, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, callback) == 112, "callback, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, ihv1) == 120, "ihv1, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, ihv2) == 140, "ihv2, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, m1) == 160, "m1, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, m2) == 480, "m2, LP64");
_Static_assert(sizeof(void *) != 8 || offsetof(SHA1_CTX, states) == 800, "states, LP64");
_Static_assert(_Generic((collision_block_callback)0,
                        void (*)(uint64_t, const uint32_t *, const uint32_t *, const uint32_t *,
                                 const uint32_t *): 1,
                        default: 0),
               "type of the callback");
_Static_assert(_Generic(((SHA1_CTX *)0)->callback, collision_block_callback: 1, default: 0), "callback");

/* --- the two implementations --- */

struct sha1dc {
    void (*init)(SHA1_CTX *);
    void (*safe_hash)(SHA1_CTX *, int);
    void (*ubc)(SHA1_CTX *, int);
    void (*detect)(SHA1_CTX *, int);
    void (*reduced)(SHA1_CTX *, int);
    void (*callback)(SHA1_CTX *, collision_block_callback);
    void (*update)(SHA1_CTX *, const char *, size_t);
    int (*final)(unsigned char[20], SHA1_CTX *);
};

static const struct sha1dc ours = {SHA1DCInit,
                                   SHA1DCSetSafeHash,
                                   SHA1DCSetUseUBC,
                                   SHA1DCSetUseDetectColl,
                                   SHA1DCSetDetectReducedRoundCollision,
                                   SHA1DCSetCallback,
                                   SHA1DCUpdate,
                                   SHA1DCFinal};

/* All NULL where the peer is not here. */
static struct sha1dc peer;

static int have_peer(void)
{
    return peer.init != NULL;
}

static void bind_peer(void)
{
    struct sha1dc p;
    if (peer_bind(&p.init, "sha1dc", "SHA1DCInit") &&
        peer_bind(&p.safe_hash, "sha1dc", "SHA1DCSetSafeHash") &&
        peer_bind(&p.ubc, "sha1dc", "SHA1DCSetUseUBC") &&
        peer_bind(&p.detect, "sha1dc", "SHA1DCSetUseDetectColl") &&
        peer_bind(&p.reduced, "sha1dc", "SHA1DCSetDetectReducedRoundCollision") &&
        peer_bind(&p.callback, "sha1dc", "SHA1DCSetCallback") &&
        peer_bind(&p.update, "sha1dc", "SHA1DCUpdate") && peer_bind(&p.final, "sha1dc", "SHA1DCFinal"))
        peer = p;
    else
        printf("not run: sha1dc: verdicts and contexts of its own code\n");
}

/* The flags as bits of a number: all combinations are 0 to 15. */
enum { SAFE_HASH = 1, NO_UBC = 2, NO_DETECTION = 4, REDUCED = 8, COMBINATIONS = 16 };

/* What a truth value may look like. */
static int truth(int value)
{
    static const int yes[] = {1, 2, -1, 0x100, INT32_MIN};
    return value ? yes[test_below(5)] : 0;
}

static void begin(const struct sha1dc *api, SHA1_CTX *ctx, int flags)
{
    memset(ctx, 0xa5, sizeof *ctx);
    api->init(ctx);
    CHECK(ctx->total == 0 && ctx->found_collision == 0 && ctx->safe_hash == 1 && ctx->detect_coll == 1 &&
              ctx->ubc_check == 1 && ctx->reduced_round_coll == 0 && ctx->callback == NULL,
          "after init");
    api->safe_hash(ctx, truth(flags & SAFE_HASH));
    api->ubc(ctx, truth(!(flags & NO_UBC)));
    api->detect(ctx, truth(!(flags & NO_DETECTION)));
    api->reduced(ctx, truth(flags & REDUCED));
    CHECK(ctx->safe_hash == !!(flags & SAFE_HASH) && ctx->ubc_check == !(flags & NO_UBC) &&
              ctx->detect_coll == !(flags & NO_DETECTION) && ctx->reduced_round_coll == !!(flags & REDUCED),
          "after the setters, flags %d", flags);
}

/* --- the plain API on top, for the tests that every API passes --- */

static void init(void *ctx)
{
    SHA1DCInit(ctx);
    SHA1DCSetSafeHash(ctx, 0);
}

static void update(void *ctx, const void *data, size_t len)
{
    SHA1DCUpdate(ctx, data, len);
}

static void final(void *ctx, unsigned char *digest)
{
    CHECK(SHA1DCFinal(digest, ctx) == 0, "an attack in random data");
}

static void digest(const void *data, size_t len, unsigned char *out)
{
    SHA1_CTX ctx;
    SHA1DCInit(&ctx);
    SHA1DCUpdate(&ctx, data, len);
    CHECK(SHA1DCFinal(out, &ctx) == 0, "an attack in random data");
}

/* --- the collisions --- */

struct collision {
    const char *file;
    size_t len;
    /* The end of the block in which the attack ends; 0 if there is none. */
    size_t found;
    /* The same with the flag for reduced rounds. */
    size_t found_reduced;
    /* Digests: SHA-1's, with safe hash, and with the flag for reduced rounds too. */
    const char *plain, *safe, *safe_reduced;
    /* The file with the attack's other message; NULL: there is none. */
    const char *other;
    unsigned char *data;
};

#define PDF "38762cf7f55934b34d179ae6a4c80cadccbb7f0a"
#define HEAD "f92d74e3874587aaf443d1db961d4e26dde13e9c"
#define MBLES "8ac60ba76f1999a1ab70223f225aefdc78d4ddc0"
#define FEWER "a56374e1cf4c3746499bc7c0acb39498ad2ee185"

/* Published with sha1collisiondetection, but for those of the heads, whose
 * digests with safe hash are for the peer to tell. */
static struct collision collisions[] = {
    {"shattered-1.head", 320, 320, 256, HEAD, NULL, NULL, "shattered-2.head", NULL},
    {"shattered-2.head", 320, 320, 256, HEAD, NULL, NULL, "shattered-1.head", NULL},
    {"sha-mbles-1.bin", 640, 640, 640, MBLES, "4f3d9be4a472c4dae83c6314aa6c36a064c1fd14",
     "4f3d9be4a472c4dae83c6314aa6c36a064c1fd14", "sha-mbles-2.bin", NULL},
    {"sha-mbles-2.bin", 640, 640, 640, MBLES, "9ed5d77a4f48be1dbf3e9e15650733eb850897f2",
     "9ed5d77a4f48be1dbf3e9e15650733eb850897f2", "sha-mbles-1.bin", NULL},
    {"sha1_reducedsha_coll.bin", 128, 0, 128, FEWER, FEWER, "dd39885a2a5d8f59030b451e00cb45da9f9d3828", NULL,
     NULL},
    {"shattered-1.pdf", 422435, 320, 256, PDF, "16e96b70000dd1e7c85b8368ee197754400e58ec",
     "d3a1d09969c3b57113fd17b23e01dd3de74a99bb", "shattered-2.pdf", NULL},
    {"shattered-2.pdf", 422435, 320, 256, PDF, "e1761773e6a35916d99f891b77663e6405313587",
     "92246b0b718f4c704d37bb025717cbc66babf102", "shattered-1.pdf", NULL},
};

enum { COMMITTED = 5, ALL = sizeof collisions / sizeof collisions[0] };

/* How many of them are here. */
static size_t collision_count = COMMITTED;

static unsigned char *load(const char *dir, const char *file, size_t len)
{
    unsigned char *data = malloc(len + 1);
    char path[4096];
    FILE *f;
    REQUIRE(data != NULL && (size_t)snprintf(path, sizeof path, "%s/%s", dir, file) < sizeof path);
    if ((f = fopen(path, "rb")) == NULL) {
        free(data);
        return NULL;
    }
    REQUIRE(fread(data, 1, len + 1, f) == len && feof(f));
    fclose(f);
    return data;
}

static void load_collisions(void)
{
    const char *dir = getenv("SHAONE_COLLISIONS"), *pdfs = getenv("SHAONE_PDFS");
    size_t i;
    for (i = 0; i < COMMITTED; i++) {
        collisions[i].data = load(dir ? dir : "tests/data/collisions", collisions[i].file, collisions[i].len);
        REQUIRE(collisions[i].data != NULL);
    }
    for (; pdfs != NULL && i < ALL; i++) {
        collisions[i].data = load(pdfs, collisions[i].file, collisions[i].len);
        if (collisions[i].data == NULL)
            break;
    }
    collision_count = i == ALL ? (size_t)ALL : (size_t)COMMITTED;
    if (i < ALL)
        printf("not run: the whole PDFs of SHAttered (the package sha1-checked is not unpacked)\n");
}

static const struct collision *other_of(const struct collision *c)
{
    size_t i;
    for (i = 0; c->other != NULL && i < collision_count; i++) {
        if (strcmp(collisions[i].file, c->other) == 0)
            return &collisions[i];
    }
    return NULL;
}

/* Whether the first len bytes of a collision, whatever follows, are an attack. */
static int is_attack(const struct collision *c, size_t len, int flags)
{
    size_t end = flags & REDUCED ? c->found_reduced : c->found;
    return !(flags & NO_DETECTION) && end != 0 && len >= end;
}

/* The expanded message of a block's 16 words. */
static void expand(uint32_t w[80])
{
    int t;
    for (t = 16; t < 80; t++)
        w[t] = plain_rol(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
}

static void words_of(uint32_t w[80], const unsigned char block[64])
{
    int t;
    for (t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    expand(w);
}

static void bytes_of(unsigned char block[64], const uint32_t w[16])
{
    int i;
    for (i = 0; i < 64; i++)
        block[i] = (unsigned char)(w[i / 4] >> (24 - 8 * (i % 4)));
}

/* The digest that safe hash gives, if the attacks end at `found` bytes. */
static void safe_sha1(const unsigned char *data, size_t len, size_t found, unsigned char out[20])
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    size_t at;
    int times;
    for (at = 0; at < found; at += 64)
        plain_block(h, data + at);
    for (times = 0; times < 2; times++)
        plain_block(h, data + found - 64);
    plain_rest(h, found, data + found, len - found, out);
}

static void expected(const struct collision *c, const unsigned char *data, size_t len, size_t known, int flags,
                     unsigned char out[20])
{
    if (is_attack(c, known, flags) && flags & SAFE_HASH)
        safe_sha1(data, len, flags & REDUCED ? c->found_reduced : c->found, out);
    else
        plain_sha1(data, len, out);
}

/* --- known answers --- */

static int hash(const struct sha1dc *api, int flags, const void *data, size_t len, unsigned char out[20])
{
    SHA1_CTX ctx;
    begin(api, &ctx, flags);
    api->update(&ctx, data, len);
    return api->final(out, &ctx);
}

static void test_known(void)
{
    size_t i;
    int flags;
    for (i = 0; i < collision_count; i++) {
        const struct collision *c = &collisions[i];
        for (flags = 0; flags < COMBINATIONS; flags++) {
            unsigned char got[20], want[20];
            int found = hash(&ours, flags, c->data, c->len, got), attack = is_attack(c, c->len, flags);
            const char *hex = !(flags & SAFE_HASH) || !attack ? c->plain
                              : flags & REDUCED               ? c->safe_reduced
                                                              : c->safe;
            CHECK(found == attack, "%s, flags %d: returns %d", c->file, flags, found);
            CHECK(hex == NULL || same_digest(got, hex), "%s, flags %d: %s", c->file, flags, test_hex(got));
            expected(c, c->data, c->len, c->len, flags, want);
            CHECK(memcmp(got, want, 20) == 0, "%s, flags %d: %s", c->file, flags, test_hex(got));
        }
    }
}

/* git hashes a header first, which makes all chaining values others. */
static void test_git_blob(void)
{
    unsigned char got[20];
    SHA1_CTX ctx;
    if (collision_count < ALL)
        return;
    begin(&ours, &ctx, 0);
    SHA1DCUpdate(&ctx, "blob 422435", 12);
    SHA1DCUpdate(&ctx, (const char *)collisions[COMMITTED].data, collisions[COMMITTED].len);
    CHECK(SHA1DCFinal(got, &ctx) == 0, "no attack on git's blob");
    CHECK(same_digest(got, "ba9aaa145ccd24ef760cf31c74d8f7ca1a2e47b0"), "blob: %s", test_hex(got));
}

/* --- where in the calls the attack is --- */

/* Whether an attack was found by now; it is when the call with its last byte returns. */
static void found_after(const SHA1_CTX *ctx, const struct collision *c, size_t known, int flags)
{
    CHECK(ctx->found_collision == is_attack(c, known, flags), "%s, %zu bytes, flags %d: found_collision %d",
          c->file, known, flags, ctx->found_collision);
}

static void test_positions(void)
{
    static const int some_flags[] = {0, SAFE_HASH, REDUCED, SAFE_HASH | REDUCED, NO_DETECTION};
    unsigned char data[640 + 200], want[20], got[20];
    size_t i, k, cut, len;
    SHA1_CTX ctx;

    for (i = 0; i < COMMITTED; i++) {
        const struct collision *c = &collisions[i];
        memcpy(data, c->data, c->len);
        test_fill(data + c->len, sizeof data - c->len);
        for (k = 0; k < sizeof some_flags / sizeof some_flags[0]; k++) {
            int flags = some_flags[k];
            /* Cut in two anywhere: the attack's block lies on both sides of it, or
             * in either call, or is the last full one. */
            for (len = c->len; len <= c->len + 130; len += test_quick() ? 65 : 13) {
                expected(c, data, len, c->len, flags, want);
                for (cut = 0; cut <= len; cut += test_quick() ? 31 : 1) {
                    begin(&ours, &ctx, flags);
                    SHA1DCUpdate(&ctx, (const char *)data, cut);
                    found_after(&ctx, c, cut < c->len ? cut : c->len, flags);
                    SHA1DCUpdate(&ctx, (const char *)data + cut, len - cut);
                    found_after(&ctx, c, c->len, flags);
                    CHECK(SHA1DCFinal(got, &ctx) == is_attack(c, c->len, flags), "%s, %zu bytes, cut at %zu",
                          c->file, len, cut);
                    CHECK(memcmp(want, got, 20) == 0, "%s, %zu bytes, cut at %zu, flags %d", c->file, len, cut,
                          flags);
                }
            }
            /* Each beginning of the message, and each with zero bytes behind it. */
            for (len = 0; len <= c->len; len += test_quick() ? 16 : 1) {
                unsigned char zeroed[640 + 64] = {0};
                memcpy(zeroed, c->data, len);
                expected(c, zeroed, len, len, flags, want);
                CHECK(hash(&ours, flags, zeroed, len, got) == is_attack(c, len, flags), "%s, first %zu bytes",
                      c->file, len);
                CHECK(memcmp(want, got, 20) == 0, "%s, first %zu bytes, flags %d", c->file, len, flags);
                expected(c, zeroed, sizeof zeroed, len, flags, want);
                CHECK(hash(&ours, flags, zeroed, sizeof zeroed, got) == is_attack(c, len, flags),
                      "%s, first %zu bytes and zeros", c->file, len);
                CHECK(memcmp(want, got, 20) == 0, "%s, first %zu bytes and zeros, flags %d", c->file, len, flags);
            }
            /* Byte by byte. */
            begin(&ours, &ctx, flags);
            for (len = 0; len < c->len; len++) {
                found_after(&ctx, c, len, flags);
                SHA1DCUpdate(&ctx, (const char *)c->data + len, 1);
            }
            found_after(&ctx, c, len, flags);
            expected(c, c->data, c->len, c->len, flags, want);
            CHECK(SHA1DCFinal(got, &ctx) == is_attack(c, c->len, flags), "%s byte by byte", c->file);
            CHECK(memcmp(want, got, 20) == 0, "%s byte by byte, flags %d", c->file, flags);
        }
    }
}

/* Any bit changed up to the attack's end, and it is none. */
static void test_changed_bits(void)
{
    unsigned char data[640], want[20], got[20];
    size_t i, round, rounds = test_quick() ? 50 : 2000;
    for (i = 0; i < COMMITTED; i++) {
        const struct collision *c = &collisions[i];
        memcpy(data, c->data, c->len);
        for (round = 0; round < rounds; round++) {
            int flags = (int)test_below(COMBINATIONS);
            size_t end = flags & REDUCED ? c->found_reduced : c->found;
            size_t bit = test_below(8 * (end != 0 ? end : c->len));
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(hash(&ours, flags, data, end != 0 ? end : c->len, got) == 0, "%s, bit %zu, flags %d", c->file,
                  bit, flags);
            plain_sha1(data, end != 0 ? end : c->len, want);
            CHECK(memcmp(want, got, 20) == 0, "%s, bit %zu, flags %d", c->file, bit, flags);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

/* Once found, it stays found; until the context is begun again. */
static void test_sticky(void)
{
    static unsigned char more[100000];
    unsigned char got[20], want[20], zeros[64] = {0};
    size_t i;
    SHA1_CTX ctx;
    test_fill(more, sizeof more);
    for (i = 0; i < COMMITTED; i++) {
        const struct collision *c = &collisions[i];
        begin(&ours, &ctx, REDUCED);
        SHA1DCUpdate(&ctx, (const char *)c->data, c->len);
        SHA1DCUpdate(&ctx, (const char *)more, test_quick() ? 5000 : sizeof more);
        SHA1DCUpdate(&ctx, NULL, 0);
        SHA1DCUpdate(&ctx, (const char *)zeros, sizeof zeros);
        CHECK(ctx.found_collision == 1, "%s: forgotten", c->file);
        /* Too late to look away. */
        SHA1DCSetUseDetectColl(&ctx, 0);
        SHA1DCUpdate(&ctx, (const char *)more, 100);
        CHECK(SHA1DCFinal(got, &ctx) == 1, "%s: forgotten", c->file);
        CHECK(ctx.found_collision == 1, "%s: forgotten at the end", c->file);
        SHA1DCInit(&ctx);
        SHA1DCUpdate(&ctx, (const char *)more, 1000);
        CHECK(SHA1DCFinal(got, &ctx) == 0, "%s: remembered", c->file);
        plain_sha1(more, 1000, want);
        CHECK(memcmp(want, got, 20) == 0, "after %s", c->file);
    }
}

/* --- all of it at random, beside the peer --- */

/* A message: an attack, cut or not, and what may follow; or none. */
static unsigned char message[70000];

/* Tells the attack, and how many bytes of it there are. */
static size_t make_message(const struct collision **attack, size_t *known)
{
    static const unsigned char repeated[] = {0, 0xff, '9', 'F', 0x08, 0x60, 'a'};
    size_t len = test_below(8) ? test_below(701) : test_below(65537), head = 0;
    size_t kind = test_below(8);

    *attack = NULL;
    *known = 0;
    if (kind >= 2) {
        const struct collision *c = &collisions[test_below(COMMITTED)];
        head = test_below(4) ? c->len : test_below(c->len + 1);
        memcpy(message, c->data, head);
        *attack = c;
        *known = head;
    }
    if (test_below(3))
        test_fill(message + head, len);
    else
        memset(message + head, repeated[test_below(sizeof repeated)], len);
    if (*attack != NULL)
        while (*known < head + len && *known < (*attack)->len && message[*known] == (*attack)->data[*known])
            ++*known;
    return head + len;
}

static int same(const SHA1_CTX *a, const SHA1_CTX *b)
{
    return a->total == b->total && memcmp(a->ihv, b->ihv, sizeof a->ihv) == 0 &&
           memcmp(a->buffer, b->buffer, a->total % 64) == 0 && a->found_collision == b->found_collision &&
           a->safe_hash == b->safe_hash && a->detect_coll == b->detect_coll && a->ubc_check == b->ubc_check &&
           a->reduced_round_coll == b->reduced_round_coll && a->callback == b->callback;
}

static const struct sha1dc *either(void)
{
    return have_peer() && test_below(2) ? &peer : &ours;
}

static void test_streams(void)
{
    size_t i, rounds = test_quick() ? 60 : 4000;
    for (i = 0; i < rounds; i++) {
        const struct collision *attack;
        size_t known, len = make_message(&attack, &known), done = 0, fork_at;
        /* Without the conditions, each block costs 32 recompressions. */
        int flags = (int)test_below(COMBINATIONS) & (len > 5000 ? ~NO_UBC : ~0);
        int wanted = attack != NULL && is_attack(attack, known, flags), found;
        unsigned char want[20], got[20];
        SHA1_CTX own, theirs, mixed, copy;

        if (attack != NULL)
            expected(attack, message, len, known, flags, want);
        else
            plain_sha1(message, len, want);
        begin(&ours, &own, flags);
        begin(either(), &mixed, flags);
        if (have_peer())
            begin(&peer, &theirs, flags);
        fork_at = test_below(len + 1);
        memset(&copy, 0x5a, sizeof copy);
        while (done < len) {
            size_t n = test_piece();
            n = n < len - done ? n : len - done;
            SHA1DCUpdate(&own, (const char *)message + done, n);
            either()->update(&mixed, (const char *)message + done, n);
            if (have_peer()) {
                peer.update(&theirs, (const char *)message + done, n);
                CHECK(same(&own, &theirs), "after %zu bytes, last %zu, flags %d: found %d, the peer %d", done + n, n,
                      flags, own.found_collision, theirs.found_collision);
            }
            CHECK(same(&own, &mixed), "mixed, after %zu bytes, last %zu, flags %d", done + n, n, flags);
            if (done <= fork_at && fork_at <= done + n) {
                memcpy(&copy, &own, sizeof own);
                if (fork_at % 3 == 0) {
                    /* The original is dropped. */
                    memset(&own, 0xff, sizeof own);
                    own = copy;
                }
                fork_at = done + n;
            }
            done += n;
        }
        found = SHA1DCFinal(got, &own);
        CHECK(found == wanted && memcmp(want, got, 20) == 0, "%zu bytes, flags %d: %d, %s", len, flags, found,
              test_hex(got));
        found = either()->final(got, &mixed);
        CHECK(found == wanted && memcmp(want, got, 20) == 0, "mixed, %zu bytes, flags %d: %d, %s", len, flags,
              found, test_hex(got));
        if (have_peer()) {
            found = peer.final(got, &theirs);
            CHECK(found == wanted && memcmp(want, got, 20) == 0, "the peer, %zu bytes, flags %d: %d, %s", len,
                  flags, found, test_hex(got));
        }
        if (len > 0) {
            const struct sha1dc *api = either();
            api->update(&copy, (const char *)message + fork_at, len - fork_at);
            found = api->final(got, &copy);
            CHECK(found == wanted && memcmp(want, got, 20) == 0, "copied at %zu of %zu, flags %d: %d, %s", fork_at,
                  len, flags, found, test_hex(got));
        }
        found = hash(&ours, flags, message, len, got);
        CHECK(found == wanted && memcmp(want, got, 20) == 0, "at once, %zu bytes, flags %d: %d, %s", len, flags,
              found, test_hex(got));
    }
}

/* All lengths, in one call and with the default flags, by both. */
static void test_lengths(void)
{
    unsigned char data[700], got[20], want[20];
    size_t len;
    int flags;
    if (!have_peer())
        return;
    for (len = 0; len <= sizeof data; len += test_quick() ? 23 : 1) {
        test_fill(data, len);
        for (flags = 0; flags < COMBINATIONS; flags++) {
            int found = hash(&ours, flags, data, len, got), theirs = hash(&peer, flags, data, len, want);
            CHECK(found == theirs && memcmp(want, got, 20) == 0, "%zu bytes, flags %d", len, flags);
        }
    }
}

/* The whole PDFs, in pieces of any size. */
static void test_pdfs(void)
{
    size_t i, round;
    for (i = COMMITTED; i < collision_count; i++) {
        const struct collision *c = &collisions[i];
        for (round = 0; round < (test_quick() ? 1 : 6); round++) {
            int flags = (int)test_below(COMBINATIONS) & ~NO_UBC;
            size_t done = 0;
            unsigned char want[20], got[20];
            SHA1_CTX ctx;
            begin(&ours, &ctx, flags);
            while (done < c->len) {
                size_t n = round % 2 ? test_below(30000) : test_piece();
                n = n < c->len - done ? n : c->len - done;
                SHA1DCUpdate(&ctx, (const char *)c->data + done, n);
                done += n;
            }
            expected(c, c->data, c->len, c->len, flags, want);
            CHECK(SHA1DCFinal(got, &ctx) == is_attack(c, c->len, flags), "%s in pieces, flags %d", c->file, flags);
            CHECK(memcmp(want, got, 20) == 0, "%s in pieces, flags %d: %s", c->file, flags, test_hex(got));
        }
    }
}

/* An attack's last byte is a page's last, and nothing is written. */
static void test_guards(void)
{
    struct guarded page = guarded_new(1);
    size_t i, cut;
    for (i = 0; i < COMMITTED; i++) {
        const struct collision *c = &collisions[i];
        unsigned char *data = page.end - c->len, want[20], got[20];
        memcpy(data, c->data, c->len);
        REQUIRE(mprotect(page.start, (size_t)(page.end - page.start), PROT_READ) == 0);
        for (cut = 0; cut <= c->len; cut += 20) {
            SHA1_CTX ctx;
            begin(&ours, &ctx, SAFE_HASH | REDUCED);
            SHA1DCUpdate(&ctx, (const char *)data, cut);
            SHA1DCUpdate(&ctx, (const char *)data + cut, c->len - cut);
            CHECK(SHA1DCFinal(got, &ctx) == 1, "%s before a page's end", c->file);
            expected(c, c->data, c->len, c->len, SAFE_HASH | REDUCED, want);
            CHECK(memcmp(want, got, 20) == 0, "%s before a page's end", c->file);
        }
        REQUIRE(mprotect(page.start, (size_t)(page.end - page.start), PROT_READ | PROT_WRITE) == 0);
    }
    guarded_free(page);
}

/* --- the callback --- */

struct call {
    uint64_t offset;
    uint32_t ihv1[5], ihv2[5], m1[80], m2[80];
};

static struct call calls[4];
static size_t call_count;

static void record(uint64_t offset, const uint32_t *ihv1, const uint32_t *ihv2, const uint32_t *m1,
                   const uint32_t *m2)
{
    struct call *call = &calls[call_count++ % 4];
    call->offset = offset;
    memcpy(call->ihv1, ihv1, sizeof call->ihv1);
    memcpy(call->ihv2, ihv2, sizeof call->ihv2);
    memcpy(call->m1, m1, sizeof call->m1);
    memcpy(call->m2, m2, sizeof call->m2);
}

/* The message's chaining value before the block at `at`. */
static void value_before(const unsigned char *data, size_t at, uint32_t h[5])
{
    static const uint32_t initial[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    size_t i;
    memcpy(h, initial, sizeof initial);
    for (i = 0; i < at; i += 64)
        plain_block(h, data + i);
}

static void check_call(const struct call *call, const struct collision *c, uint64_t start, int reduced)
{
    size_t at = (size_t)(call->offset - start);
    const struct collision *other = other_of(c);
    uint32_t w[80], first[5], second[5], before[5];
    unsigned char block[64];

    REQUIRE(at < c->len && at % 64 == 0);
    value_before(c->data, at, before);
    CHECK(memcmp(call->ihv1, before, sizeof before) == 0, "%s: ihv1 of the block at %zu", c->file, at);
    words_of(w, c->data + at);
    CHECK(memcmp(call->m1, w, sizeof w) == 0, "%s: m1 of the block at %zu", c->file, at);
    memcpy(w, call->m2, 16 * sizeof w[0]);
    expand(w);
    CHECK(memcmp(call->m2, w, sizeof w) == 0, "%s: m2 is not an expanded message", c->file);
    CHECK(memcmp(call->m1, call->m2, sizeof w) != 0, "%s: m1 and m2 are the same", c->file);

    memcpy(first, call->ihv1, sizeof first);
    plain_block(first, c->data + at);
    memcpy(second, call->ihv2, sizeof second);
    bytes_of(block, call->m2);
    plain_block(second, block);
    if (reduced)
        CHECK(memcmp(call->ihv1, call->ihv2, sizeof first) == 0, "%s: different chaining values at %zu", c->file, at);
    else
        CHECK(memcmp(first, second, sizeof first) == 0, "%s: different results at %zu", c->file, at);
    if (other != NULL) {
        /* It is the very message that its authors found. */
        value_before(other->data, at, before);
        CHECK(memcmp(call->ihv2, before, sizeof before) == 0, "%s: ihv2 is not %s's", c->file, other->file);
        CHECK(memcmp(block, other->data + at, 64) == 0, "%s: m2 is not %s's", c->file, other->file);
    }
}

/* Both collisions of SHAttered's two blocks are told when reduced rounds are
 * looked for, but not with safe hash, which breaks the second one. */
static size_t attack_blocks(const struct collision *c, int flags, size_t blocks[2])
{
    size_t n = 0;
    if (flags & NO_DETECTION)
        return 0;
    if (flags & REDUCED)
        blocks[n++] = c->found_reduced - 64;
    if (c->found != 0 && (n == 0 || (c->found != c->found_reduced && !(flags & SAFE_HASH))))
        blocks[n++] = c->found - 64;
    return n;
}

static void test_callback(void)
{
    /* Offsets of 64 bits; a hash of so many bytes is taken up in the middle. */
    static const uint64_t starts[] = {0, UINT64_C(1) << 32, (UINT64_C(1) << 40) - 64, UINT64_C(1) << 61};
    unsigned char got[20], want[20];
    size_t i, k, s, round;
    int flags;

    for (i = 0; i < collision_count; i++) {
        const struct collision *c = &collisions[i];
        for (flags = 0; flags < COMBINATIONS; flags++) {
            if (flags & NO_UBC && c->len > 1000 && test_quick())
                continue;
            for (s = 0; s < sizeof starts / sizeof starts[0]; s++) {
                for (round = 0; round < (c->len > 1000 || test_quick() ? 1 : 20); round++) {
                    size_t blocks[2], n = attack_blocks(c, flags, blocks), done = 0;
                    SHA1_CTX ctx;
                    begin(&ours, &ctx, flags);
                    SHA1DCSetCallback(&ctx, record);
                    CHECK(ctx.callback == record, "the setter");
                    ctx.total = starts[s];
                    call_count = 0;
                    while (done < c->len) {
                        size_t piece = round == 0 ? c->len : test_piece();
                        piece = piece < c->len - done ? piece : c->len - done;
                        SHA1DCUpdate(&ctx, (const char *)c->data + done, piece);
                        done += piece;
                    }
                    SHA1DCFinal(got, &ctx);
                    CHECK(call_count == n, "%s, flags %d: called %zu times", c->file, flags, call_count);
                    if (call_count != n)
                        continue;
                    for (k = 0; k < n; k++) {
                        CHECK(calls[k].offset == starts[s] + blocks[k], "%s, flags %d: offset %llu", c->file, flags,
                              (unsigned long long)calls[k].offset);
                        if (calls[k].offset == starts[s] + blocks[k])
                            check_call(&calls[k], c, starts[s],
                                       flags & REDUCED && blocks[k] == c->found_reduced - 64 &&
                                           c->found_reduced != c->found);
                    }
                    if (n > 0)
                        CHECK(memcmp(ctx.ihv1, calls[n - 1].ihv1, sizeof ctx.ihv1) == 0 &&
                                  memcmp(ctx.ihv2, calls[n - 1].ihv2, sizeof ctx.ihv2) == 0 &&
                                  memcmp(ctx.m1, calls[n - 1].m1, sizeof ctx.m1) == 0 &&
                                  memcmp(ctx.m2, calls[n - 1].m2, sizeof ctx.m2) == 0,
                              "%s, flags %d: the context says something else", c->file, flags);
                    if (starts[s] == 0) {
                        expected(c, c->data, c->len, c->len, flags, want);
                        CHECK(memcmp(want, got, 20) == 0, "%s, flags %d, with a callback", c->file, flags);
                    }
                }
            }
        }
        /* None, and no longer. */
        call_count = 0;
        CHECK(hash(&ours, REDUCED, c->data, c->len, got) == 1 && call_count == 0, "%s: called uninvited", c->file);
        {
            SHA1_CTX ctx;
            begin(&ours, &ctx, REDUCED);
            SHA1DCSetCallback(&ctx, record);
            SHA1DCSetCallback(&ctx, NULL);
            SHA1DCUpdate(&ctx, (const char *)c->data, c->len);
            CHECK(SHA1DCFinal(got, &ctx) == 1 && call_count == 0, "%s: called after NULL", c->file);
        }
    }
    /* Nothing to tell of. */
    for (i = 0; i < 100; i++) {
        size_t len = test_below(5000);
        SHA1_CTX ctx;
        test_fill(message, len);
        begin(&ours, &ctx, REDUCED);
        SHA1DCSetCallback(&ctx, record);
        call_count = 0;
        SHA1DCUpdate(&ctx, (const char *)message, len);
        CHECK(SHA1DCFinal(got, &ctx) == 0 && call_count == 0, "%zu random bytes", len);
    }
}

static jmp_buf out_of_callback;

static void jump(uint64_t offset, const uint32_t *ihv1, const uint32_t *ihv2, const uint32_t *m1,
                 const uint32_t *m2)
{
    (void)offset, (void)ihv1, (void)ihv2, (void)m1, (void)m2;
    longjmp(out_of_callback, 1);
}

/* As the header allows: the context is lost until it is begun anew, and nothing else is. */
static void test_longjmp(void)
{
    static volatile size_t i, jumps;
    static SHA1_CTX ctx;
    unsigned char got[20], want[20];

    for (i = 0; i < collision_count; i++) {
        begin(&ours, &ctx, 0);
        SHA1DCSetCallback(&ctx, jump);
        if (setjmp(out_of_callback) == 0) {
            SHA1DCUpdate(&ctx, (const char *)collisions[i].data, collisions[i].len);
            SHA1DCFinal(got, &ctx);
        } else {
            jumps++;
        }
        begin(&ours, &ctx, 0);
        SHA1DCUpdate(&ctx, (const char *)collisions[i].data, 64);
        CHECK(SHA1DCFinal(got, &ctx) == 0, "%s: its first block is no attack", collisions[i].file);
        plain_sha1(collisions[i].data, 64, want);
        CHECK(memcmp(got, want, 20) == 0, "%s: after a longjmp", collisions[i].file);
    }
    CHECK(jumps > 0, "no callback was left by longjmp");
}

int main(void)
{
    const struct stream_api api = {sizeof(SHA1_CTX), _Alignof(SHA1_CTX), init, update, final, digest};

    load_collisions();
    bind_peer();
    stream_tests(&api);
    test_known();
    test_git_blob();
    test_lengths();
    test_positions();
    test_changed_bits();
    test_sticky();
    test_streams();
    test_pdfs();
    test_guards();
    test_callback();
    test_longjmp();
    return test_end("sha1dc");
}
