/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The functions of shaone.h for many messages, against those for one.
 *
 * SHAONE_COLLISIONS names the directory of the collisions (tests/data/collisions).
 */
#include <pthread.h>

#include "peers.h"
#include "shaone.h"
#include "test.h"

enum { MOST = 200, POOL = (1 << 20) + 4096 };

/* All messages are somewhere in here: some overlap, some are the same. */
static unsigned char pool[POOL];

static void want_digest(const void *data, size_t len, unsigned char digest[20])
{
    unsigned char theirs[20];
    shaone_digest(data, len, digest);
    if (peer_sha1("openssl", data, len, theirs) != 0)
        plain_sha1(data, len, theirs);
    CHECK(memcmp(digest, theirs, 20) == 0, "%zu bytes alone", len);
}

/* --- no heap --- */

/* Under a sanitizer malloc is not ours to define. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined SANITIZED
#define COUNTS_MALLOC 1

static unsigned long mallocs;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    mallocs++;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    mallocs++;
    return __libc_realloc(old, size);
}

void free(void *old)
{
    __libc_free(old);
}
#endif

/* --- batches --- */

/* The arguments, each as long as it must be, and then a page that cannot be touched. */
struct batch {
    size_t n;
    struct guarded data_pages, len_pages, digest_pages, ctx_pages, found_pages;
    const void **data;
    size_t *len;
    unsigned char (*digests)[20];
    shaone_ctx **ctx;
    unsigned char *found;
    /* What is to come out. */
    unsigned char want[MOST][20];
    unsigned char want_found[MOST];
};

static struct batch batch;

static void batch_open(void)
{
    batch.data_pages = guarded_new(1);
    batch.len_pages = guarded_new(1);
    batch.digest_pages = guarded_new(1);
    batch.ctx_pages = guarded_new(1);
    batch.found_pages = guarded_new(1);
}

static void batch_size(size_t n)
{
    REQUIRE(n <= MOST);
    batch.n = n;
    batch.data = (const void **)batch.data_pages.end - n;
    batch.len = (size_t *)batch.len_pages.end - n;
    batch.digests = (unsigned char(*)[20])batch.digest_pages.end - n;
    batch.ctx = (shaone_ctx **)batch.ctx_pages.end - n;
    batch.found = batch.found_pages.end - n;
    memset(batch.want_found, 0, sizeof batch.want_found);
}

static void message(size_t i, const void *data, size_t len)
{
    batch.data[i] = data;
    batch.len[i] = len;
}

/* Anywhere in the pool. */
static void random_message(size_t i, size_t len)
{
    message(i, pool + test_below(POOL - len + 1), len);
}

static void clear_digests(void)
{
    memset(batch.digest_pages.start, 0x5a, (size_t)(batch.digest_pages.end - batch.digest_pages.start));
}

static void compare(const char *function, const char *what)
{
    const unsigned char *p;
    size_t i;
    for (i = 0; i < batch.n; i++)
        CHECK(memcmp(batch.digests[i], batch.want[i], 20) == 0, "%s, %s: message %zu of %zu, %zu bytes",
              function, what, i, batch.n, batch.len[i]);
    for (p = batch.digest_pages.start; p < *batch.digests && *p == 0x5a; p++)
        ;
    CHECK(p == *batch.digests, "%s, %s: it wrote before the digests", function, what);
}

static void check_plain(const char *what)
{
    clear_digests();
    shaone_digest_many(batch.n, batch.data, batch.len, batch.digests);
    compare("shaone_digest_many", what);
}

static void check_checked(const char *what)
{
    size_t i, sum = 0, found;
    clear_digests();
    memset(batch.found_pages.start, 0x5a, (size_t)(batch.found_pages.end - batch.found_pages.start));
    found = shaone_checked_digest_many(batch.n, batch.data, batch.len, batch.digests, batch.found);
    compare("shaone_checked_digest_many", what);
    for (i = 0; i < batch.n; i++) {
        CHECK(batch.found[i] == batch.want_found[i], "%s: verdict %d on message %zu of %zu, %zu bytes", what,
              batch.found[i], i, batch.n, batch.len[i]);
        sum += batch.want_found[i];
    }
    CHECK(found == sum, "%s: %zu found of %zu", what, found, sum);
    CHECK(batch.n == MOST || batch.found[-1] == 0x5a, "%s: it wrote before the verdicts", what);
}

/* The messages in up to four parts each, cut anywhere. */
static void check_streams(const char *what)
{
    static shaone_ctx ctx[MOST];
    static size_t whole[MOST];
    const void *start[MOST];
    size_t i, part, parts = 1 + test_below(4);

    for (i = 0; i < batch.n; i++) {
        batch.ctx[i] = &ctx[i];
        whole[i] = batch.len[i];
        start[i] = batch.data[i];
        memset(&ctx[i], 0xa5, sizeof ctx[i]);
        sha1_init(&ctx[i]);
    }
    for (part = 1; part <= parts; part++) {
        for (i = 0; i < batch.n; i++) {
            size_t left = whole[i] - (size_t)ctx[i].size;
            batch.data[i] = start[i] ? (const unsigned char *)start[i] + ctx[i].size : NULL;
            batch.len[i] = part == parts       ? left
                           : test_below(4) == 0 ? 0
                           : test_below(2)      ? test_below(left + 1)
                                                : (left < 100 ? left : test_below(100));
        }
        shaone_update_many(batch.n, batch.ctx, batch.data, batch.len);
    }
    for (i = 0; i < batch.n; i++) {
        CHECK(ctx[i].size == whole[i], "%s: the size is %llu, not %zu", what,
              (unsigned long long)ctx[i].size, whole[i]);
        message(i, start[i], whole[i]);
    }
    clear_digests();
    shaone_final_many(batch.n, batch.digests, batch.ctx);
    compare("shaone_update_many", what);
}

static void check_batch(const char *what)
{
    size_t i;
    for (i = 0; i < batch.n; i++)
        want_digest(batch.data[i], batch.len[i], batch.want[i]);
    check_plain(what);
    check_checked(what);
    check_streams(what);
}

/* --- lengths --- */

static size_t edge(void)
{
    static const size_t edges[] = {0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 121, 127, 128, 129, 183, 192};
    return edges[test_below(sizeof edges / sizeof edges[0])] + 64 * (test_below(4) ? 0 : test_below(20));
}

static void test_random_batches(void)
{
    static const char *const kinds[] = {"short", "at block edges", "of one length", "of many sizes",
                                        "in pieces", "short beside a long one"};
    size_t round, i, rounds = test_quick() ? 24 : 900;

    for (round = 0; round < rounds; round++) {
        size_t kind = round % 6, n = test_below(3) ? test_below(40) : test_below(MOST + 1);
        size_t same = test_below(4) ? test_below(1000) : test_below(1 << 14);
        batch_size(n);
        for (i = 0; i < n; i++) {
            switch (kind) {
            case 0:
                random_message(i, test_below(201));
                break;
            case 1:
                random_message(i, edge());
                break;
            case 2:
                random_message(i, same);
                break;
            case 3:
                random_message(i, test_below((size_t)1 << test_below(14)));
                break;
            case 4:
                random_message(i, test_piece());
                break;
            default:
                random_message(i, test_below(100));
            }
            if (i > 0 && test_below(20) == 0)
                message(i, batch.data[i - 1], batch.len[i - 1]);
            if (batch.len[i] == 0 && test_below(2))
                batch.data[i] = NULL;
        }
        if (kind == 5 && n > 0)
            random_message(test_below(n), round % 60 == 5 ? (1 << 20) : test_below(200000));
        check_batch(kinds[kind]);
    }
}

/* All counts of messages, with lengths in orders of all sorts. A scheduler that
 * never ends is ended by the alarm in main. */
static void test_counts(void)
{
    static const char *const kinds[] = {"empty",      "one block",  "growing",  "shrinking", "long first",
                                        "long last",  "long among", "by turns", "two blocks of padding"};
    size_t n, i, kind;

    for (n = 0; n <= 100; n += test_quick() ? 1 + n / 8 : 1) {
        for (kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
            batch_size(n);
            for (i = 0; i < n; i++) {
                const size_t lens[] = {0,
                                       64,
                                       40 * i,
                                       40 * (n - i),
                                       i == 0 ? 20000 : 30,
                                       i == n - 1 ? 20000 : 30,
                                       i == n / 2 ? 20000 : 64 * (i % 3),
                                       i % 2 ? 1000 : 0,
                                       56};
                random_message(i, lens[kind]);
            }
            check_batch(kinds[kind]);
        }
    }
}

static void test_nothing(void)
{
    static const char *const empty = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    const void *data[1] = {NULL};
    size_t len[1] = {0};
    unsigned char digest[1][20], found[1] = {9};
    shaone_ctx ctx, *contexts[1] = {&ctx};

    shaone_digest_many(0, NULL, NULL, NULL);
    shaone_update_many(0, NULL, NULL, NULL);
    shaone_final_many(0, NULL, NULL);
    CHECK(shaone_checked_digest_many(0, NULL, NULL, NULL, NULL) == 0, "none");
    CHECK(shaone_pieces(NULL, 0, 1, NULL) == 0, "no data");
    CHECK(shaone_pieces(NULL, 0, 0, NULL) == 0, "no data, no pieces");
    CHECK(shaone_pieces(pool, 100, 0, NULL) == 0, "pieces of nothing");

    shaone_digest_many(1, data, len, digest);
    CHECK(same_digest(digest[0], empty), "NULL");
    memset(digest, 0, sizeof digest);
    CHECK(shaone_checked_digest_many(1, data, len, digest, found) == 0 && found[0] == 0, "NULL");
    CHECK(same_digest(digest[0], empty), "NULL, checked");
    CHECK(shaone_checked_digest(NULL, 0, digest[0]) == 0, "NULL");
    CHECK(same_digest(digest[0], empty), "NULL, checked alone");
    sha1_init(&ctx);
    shaone_update_many(1, contexts, data, len);
    shaone_final_many(1, digest, contexts);
    CHECK(same_digest(digest[0], empty), "NULL, as a stream");
}

/* --- memory --- */

/* Messages that end with a page, or begin with one, where the next cannot be touched. */
static void test_guards(void)
{
    struct guarded room = guarded_new(1);
    size_t page = (size_t)(room.end - room.start), round, i, rounds = test_quick() ? 6 : 150;

    test_fill(room.start, page);
    REQUIRE(mprotect(room.start, page, PROT_READ) == 0);
    for (round = 0; round < rounds; round++) {
        batch_size(1 + test_below(round % 3 == 0 ? MOST : 20));
        for (i = 0; i < batch.n; i++) {
            size_t len = round % 2 ? edge() : test_below(300);
            message(i, test_below(4) ? room.end - len : room.start, len);
        }
        check_batch("at a guard page");
    }
    for (i = 0; i < (test_quick() ? 3 : 65); i++) {
        size_t k;
        batch_size(33);
        for (k = 0; k < batch.n; k++)
            message(k, room.end - (i + k), i + k);
        check_batch("of all lengths at a guard page");
    }
    guarded_free(room);
}

/* Messages, and digests, at every address. */
static void test_alignments(void)
{
    unsigned char digests[64 + 17 * 20 + 1];
    size_t at, i, k;

    for (at = 0; at < 64; at += test_quick() ? 9 : 1) {
        batch_size(17);
        for (i = 0; i < batch.n; i++) {
            message(i, pool + 1000 * i + (at + 7 * i) % 64, 100 + 13 * i);
            want_digest(batch.data[i], batch.len[i], batch.want[i]);
        }
        memset(digests, 0x5a, sizeof digests);
        shaone_digest_many(batch.n, batch.data, batch.len, (unsigned char(*)[20])(digests + at));
        CHECK(memcmp(digests + at, batch.want, 20 * batch.n) == 0, "digests at %zu", at);
        for (k = 0; k < sizeof digests; k++)
            CHECK((k >= at && k < at + 20 * batch.n) || digests[k] == 0x5a, "byte %zu, digests at %zu", k, at);
    }
}

/* --- streams --- */

static int same_context(const shaone_ctx *a, const shaone_ctx *b)
{
    return a->size == b->size && memcmp(a->h, b->h, sizeof a->h) == 0 &&
           memcmp(a->block, b->block, a->size % 64) == 0;
}

/* Every number of waiting bytes, every length of what comes next. */
static void test_waiting(void)
{
    static shaone_ctx many[64], alone[64];
    unsigned char digest[20];
    size_t len, i, mixed;

    for (mixed = 0; mixed < 2; mixed++) {
        for (len = 0; len <= 260; len += test_quick() ? 37 : 1) {
            batch_size(64);
            for (i = 0; i < 64; i++) {
                /* Lengths of bits that have to carry, too. */
                uint64_t before = i % 4 == 0 ? (UINT64_C(1) << 32) - 64 : i % 4 == 1 ? UINT64_C(0) - 64 : 0;
                size_t waiting = (i * 37 + len) % 64;
                sha1_init(&many[i]);
                many[i].size = before;
                sha1_update(&many[i], pool + 3 * i, waiting);
                alone[i] = many[i];
                batch.ctx[i] = &many[i];
                random_message(i, mixed ? (len * (i + 1)) % 261 : len);
                sha1_update(&alone[i], batch.data[i], batch.len[i]);
            }
            shaone_update_many(batch.n, batch.ctx, batch.data, batch.len);
            for (i = 0; i < 64; i++)
                CHECK(same_context(&many[i], &alone[i]), "%zu bytes to context %zu", batch.len[i], i);
            clear_digests();
            shaone_final_many(batch.n, batch.digests, batch.ctx);
            for (i = 0; i < 64; i++) {
                sha1_final(digest, &alone[i]);
                CHECK(memcmp(digest, batch.digests[i], 20) == 0, "digest of context %zu, %zu bytes", i,
                      batch.len[i]);
            }
        }
    }
}

/* --- pieces --- */

static void check_pieces(const unsigned char *data, size_t len, size_t piece_len)
{
    static unsigned char digests[MOST + 2][20];
    size_t count = len == 0 ? 0 : (len - 1) / piece_len + 1, got, i;
    unsigned char want[20], untouched[20];

    REQUIRE(count <= MOST);
    memset(digests, 0x5a, sizeof digests);
    memset(untouched, 0x5a, sizeof untouched);
    got = shaone_pieces(data, len, piece_len, digests + 1);
    CHECK(got == count, "%zu pieces of %zu bytes in %zu: %zu", count, piece_len, len, got);
    for (i = 0; i < count; i++) {
        size_t left = len - i * piece_len;
        want_digest(data + i * piece_len, left < piece_len ? left : piece_len, want);
        CHECK(memcmp(digests[i + 1], want, 20) == 0, "piece %zu of %zu bytes in %zu", i, piece_len, len);
    }
    CHECK(memcmp(digests[0], untouched, 20) == 0 && memcmp(digests[count + 1], untouched, 20) == 0,
          "beside the digests of %zu pieces", count);
}

static void test_pieces(void)
{
    struct guarded room = guarded_new(1);
    size_t len, i, page = (size_t)(room.end - room.start), rounds = test_quick() ? 20 : 500;

    for (len = 0; len <= MOST; len += test_quick() ? 11 : 1) {
        const size_t piece_lens[] = {1, 63, 64, 65, len, len + 1, SIZE_MAX};
        for (i = 0; i < sizeof piece_lens / sizeof piece_lens[0]; i++) {
            if (piece_lens[i] > 0)
                check_pieces(pool + len, len, piece_lens[i]);
        }
    }
    for (i = 0; i < rounds; i++) {
        size_t piece_len = 1 + (test_below(2) ? test_below(300) : test_below(5000));
        check_pieces(pool + test_below(4096), test_below(piece_len * MOST + 1), piece_len);
    }
    check_pieces(pool, 1 << 20, 1 << 14);
    check_pieces(pool, (1 << 20) - 1, 1 << 14);
    check_pieces(pool, (1 << 20) + 1, 1 << 18);

    test_fill(room.start, page);
    for (len = 1; len <= page; len += 1 + test_below(test_quick() ? 900 : 40))
        check_pieces(room.end - len, len, 64);
    guarded_free(room);
}

/* --- attacks --- */

struct attack {
    const char *name;
    unsigned char *data;
    size_t len;
    unsigned char digest[20];
};

static struct attack attacks[] = {
    {"sha-mbles-1.bin", NULL, 0, {0}},
    {"sha-mbles-2.bin", NULL, 0, {0}},
    {"shattered-1.head", NULL, 0, {0}},
    {"shattered-2.head", NULL, 0, {0}},
};

enum { ATTACKS = sizeof attacks / sizeof attacks[0] };

/* The file, with more bytes behind it where `more` says so. */
static void read_attack(struct attack *attack, const char *dir, size_t more)
{
    char path[4096];
    FILE *file;
    REQUIRE((size_t)snprintf(path, sizeof path, "%s/%s", dir, attack->name) < sizeof path);
    REQUIRE((attack->data = malloc(4096)) != NULL);
    REQUIRE((file = fopen(path, "rb")) != NULL);
    attack->len = fread(attack->data, 1, 2048, file);
    REQUIRE(attack->len >= 320 && attack->len < 2048);
    fclose(file);
    test_fill(attack->data + attack->len, more);
    attack->len += more;
    want_digest(attack->data, attack->len, attack->digest);
}

static void put_attack(size_t i, const struct attack *attack)
{
    message(i, attack->data, attack->len);
    memcpy(batch.want[i], attack->digest, 20);
    batch.want_found[i] = 1;
}

static void put_innocent(size_t i, size_t len)
{
    random_message(i, len);
    shaone_digest(batch.data[i], len, batch.want[i]);
    batch.want_found[i] = 0;
}

static void test_attacks(void)
{
    const char *dir = getenv("SHAONE_COLLISIONS");
    size_t n, i, k, round, rounds = test_quick() ? 10 : 400;

    if (dir == NULL) {
        printf("not run: attacks among many messages (SHAONE_COLLISIONS is not set)\n");
        return;
    }
    /* Two of them end with the attack, two go on. */
    for (k = 0; k < ATTACKS; k++) {
        unsigned char got[20];
        read_attack(&attacks[k], dir, k % 2 ? 333 : 0);
        CHECK(shaone_checked_digest(attacks[k].data, attacks[k].len, got) == 1, "%s alone", attacks[k].name);
        CHECK(memcmp(got, attacks[k].digest, 20) == 0, "digest of %s", attacks[k].name);
        CHECK(shaone_checked_digest(attacks[k].data, 192, got) == 0, "%s, its first half", attacks[k].name);
    }
    /* One, in every place, among messages of the same number of blocks and of others. */
    for (n = 1; n <= 40; n += test_quick() ? 1 + n / 5 : 1) {
        for (i = 0; i < n; i++) {
            const struct attack *attack = &attacks[(n + i) % ATTACKS];
            size_t equal = (n + i) / ATTACKS % 2;
            batch_size(n);
            for (k = 0; k < n; k++)
                put_innocent(k, equal ? attack->len : test_below(1500));
            put_attack(i, attack);
            check_checked("one attack");
            check_plain("one attack");
        }
    }
    /* Any number, also none and all. */
    for (round = 0; round < rounds; round++) {
        size_t share = test_below(5);
        batch_size(1 + test_below(round % 8 ? 40 : MOST));
        for (k = 0; k < batch.n; k++) {
            if (test_below(4) < share)
                put_attack(k, &attacks[test_below(ATTACKS)]);
            else
                put_innocent(k, test_below(8) ? test_below(700) : test_below(20000));
        }
        check_checked("several attacks");
    }
    for (k = 0; k < ATTACKS; k++)
        free(attacks[k].data);
}

/* --- stack and heap --- */

enum { FUNCTIONS = 7, MOST_STACK = 36 * 1024 };

/* A block with 12 candidates (tests/data/collisions/twelve_vectors.hex), over and over:
 * they are recompressed, which takes stack of its own. */
static const unsigned char worst_block[64] = {
    0x5a, 0x2e, 0x5b, 0xd3, 0x8d, 0x02, 0x56, 0x89, 0x71, 0x7e, 0xa2, 0xef,
    0x30, 0x0b, 0x4a, 0x52, 0xc2, 0x91, 0x76, 0xb0, 0x16, 0x9f, 0x51, 0x15,
    0xc2, 0x79, 0x34, 0x84, 0x1c, 0x4a, 0xf2, 0x28, 0x09, 0x0b, 0xc7, 0x96,
    0xbc, 0xf5, 0x51, 0xb6, 0x8f, 0x95, 0x98, 0x62, 0xfc, 0xc8, 0x20, 0x70,
    0x6c, 0x69, 0x7f, 0xf8, 0x19, 0x07, 0x20, 0x4f, 0xee, 0xfc, 0x39, 0x79,
    0x2a, 0x91, 0x7f, 0xb2};
static unsigned char worst[64 * 40];
static int worst_file; /* the same */

static const struct {
    const char *name;
    size_t stack; /* no more bytes than this */
} functions[FUNCTIONS] = {
    {"shaone_digest_many", 24 * 1024}, {"shaone_checked_digest_many", 32 * 1024},
    {"shaone_pieces", 24 * 1024},      {"shaone_update_many", 24 * 1024},
    {"shaone_final_many", 24 * 1024},  {"shaone_checked_digest", 20 * 1024},
    {"shaone_digest_fd", MOST_STACK},
};

static void call(size_t function)
{
    static shaone_ctx ctx[MOST];
    static unsigned char digest[20];
    size_t i;
    switch (function) {
    case 0:
        shaone_digest_many(batch.n, batch.data, batch.len, batch.digests);
        break;
    case 1:
        shaone_checked_digest_many(batch.n, batch.data, batch.len, batch.digests, batch.found);
        break;
    case 2:
        shaone_pieces(pool, batch.n * 100, 100, batch.digests);
        break;
    case 5:
        shaone_checked_digest(worst, 64 * batch.n, digest);
        break;
    case 6:
        REQUIRE(lseek(worst_file, 0, SEEK_SET) == 0 && shaone_digest_fd(worst_file, digest) == 0);
        break;
    default:
        for (i = 0; i < batch.n; i++) {
            sha1_init(&ctx[i]);
            batch.ctx[i] = &ctx[i];
        }
        if (function == 3)
            shaone_update_many(batch.n, batch.ctx, batch.data, batch.len);
        else
            shaone_final_many(batch.n, batch.digests, batch.ctx);
    }
}

static unsigned char *volatile stack_top;

static void *call_on_small_stack(void *function)
{
    unsigned char here;
    stack_top = &here;
    call(*(size_t *)function);
    return NULL;
}

/* In a thread of its own, whose stack ends at a page that cannot be touched: the
 * highest limit, and what libc needs for a thread; no less than a thread may have. */
static void test_stack(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), most[FUNCTIONS] = {0}, function, n, i;
    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN) + MOST_STACK;
    struct guarded stack = guarded_new(((MOST_STACK + 16384 < least ? least : MOST_STACK + 16384) + page - 1) / page);
    size_t size = (size_t)(stack.end - stack.start);
    pthread_attr_t attr;
    static FILE *file; /* stays open: test_heap reads it too */

    for (i = 0; i < sizeof worst; i++)
        worst[i] = worst_block[i % 64];
    file = tmpfile();
    REQUIRE(file != NULL && fwrite(worst, 1, sizeof worst, file) == sizeof worst && fflush(file) == 0);
    worst_file = fileno(file);
    REQUIRE(pthread_attr_init(&attr) == 0);
    REQUIRE(pthread_attr_setstack(&attr, stack.start, size) == 0);
    for (function = 0; function < FUNCTIONS; function++) {
        for (n = 0; n <= 40; n++) {
            pthread_t thread;
            batch_size(n);
            for (i = 0; i < n; i++) {
                random_message(i, test_below(400));
                if (test_below(2) == 0) {
                    batch.data[i] = worst;
                    batch.len[i] = 64 * test_below(8);
                }
            }
            /* A first time here: what the dynamic linker needs is not ours. */
            call(function);
            /* To valgrind what a stack has left is no memory. */
            if (!test_quick())
                memset(stack.start, 0xc3, size);
            REQUIRE(pthread_create(&thread, &attr, call_on_small_stack, &function) == 0);
            REQUIRE(pthread_join(thread, NULL) == 0);
            if (test_quick())
                continue;
            for (i = 0; i < size && stack.start[i] == 0xc3; i++)
                ;
            i = (size_t)(stack_top - stack.start) - i;
            most[function] = i > most[function] ? i : most[function];
        }
        CHECK(most[function] <= functions[function].stack, "%s: %zu bytes of stack", functions[function].name,
              most[function]);
        if (!test_quick())
            printf("stack of %s: %zu bytes\n", functions[function].name, most[function]);
    }
    pthread_attr_destroy(&attr);
    guarded_free(stack);
}

static void test_heap(void)
{
#ifdef COUNTS_MALLOC
    size_t function, n, i;
    void *volatile some = malloc(1);
    unsigned long before = mallocs;
    REQUIRE(some != NULL);
    free(some);
    if (before == 0) {
        puts("not run: count of malloc (valgrind has one of its own)");
        return;
    }
    for (function = 0; function < FUNCTIONS; function++) {
        for (n = 0; n <= 40; n++) {
            batch_size(n);
            for (i = 0; i < n; i++)
                random_message(i, test_below(400));
            call(function);
        }
        CHECK(mallocs == before, "%s: %lu calls of malloc", functions[function].name, mallocs - before);
    }
#endif
}

/* --- threads --- */

static const void *shared_data[50];
static size_t shared_len[50];
static unsigned char shared_want[50][20];

static void *hash_shared(void *result)
{
    unsigned char got[50][20], found[50];
    int i;
    for (i = 0; i < 10; i++) {
        shaone_digest_many(50, shared_data, shared_len, got);
        *(int *)result |= memcmp(got, shared_want, sizeof got) != 0;
        memset(got, 0, sizeof got);
        *(int *)result |= shaone_checked_digest_many(50, shared_data, shared_len, got, found) != 0;
        *(int *)result |= memcmp(got, shared_want, sizeof got) != 0;
    }
    return NULL;
}

/* This comes first: the threads also race for what is found out about the CPU. */
static void test_threads(void)
{
    pthread_t threads[4];
    int wrong[4] = {0}, i;
    for (i = 0; i < 50; i++) {
        shared_len[i] = test_below(1000);
        shared_data[i] = pool + test_below(100000);
        plain_sha1(shared_data[i], shared_len[i], shared_want[i]);
    }
    for (i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, hash_shared, &wrong[i]) == 0);
    for (i = 0; i < 4; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        CHECK(!wrong[i], "thread %d", i);
    }
}

int main(void)
{
    alarm(600); /* for a batch that never ends */
    test_fill(pool, sizeof pool);
    test_threads();
    batch_open();
    if (peer_sym("openssl", "SHA1_Init") == NULL)
        printf("not run: many messages against OpenSSL (it is not here)\n");
    test_nothing();
    test_counts();
    test_random_batches();
    test_guards();
    test_alignments();
    test_waiting();
    test_pieces();
    test_attacks();
    test_stack();
    test_heap();
    return test_end("many");
}
