/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What holds for every API that hashes in pieces: the tests that its program
 * runs by describing it in a struct stream_api.
 */
#ifndef SHAONE_TESTS_STREAMS_H
#define SHAONE_TESTS_STREAMS_H

#include "peers.h"
#include "test.h"

struct stream_api {
    size_t ctx_size;
    size_t ctx_align;
    void (*init)(void *ctx);
    void (*update)(void *ctx, const void *data, size_t len);
    void (*final)(void *ctx, unsigned char *digest);
    /* all at once */
    void (*digest)(const void *data, size_t len, unsigned char *digest);
};

/* The size of the largest context that the program tests. */
#ifndef STREAM_CTX_MAX
#define STREAM_CTX_MAX 256
#endif

union stream_ctx {
    uint64_t align;
    unsigned char bytes[STREAM_CTX_MAX];
};

/* ctx starts as garbage: a program's stack is not clean either. */
TEST_STATIC void stream_begin(const struct stream_api *api, void *ctx)
{
    memset(ctx, 0xa5, api->ctx_size);
    api->init(ctx);
}

TEST_STATIC void stream_digest(const struct stream_api *api, const void *data, size_t len,
                               unsigned char digest[20])
{
    union stream_ctx ctx;
    stream_begin(api, &ctx);
    api->update(&ctx, data, len);
    api->final(&ctx, digest);
}

TEST_STATIC void stream_pieces(const struct stream_api *api, void *ctx, const unsigned char *data,
                               size_t len)
{
    while (len > 0) {
        size_t n = test_piece();
        n = n < len ? n : len;
        api->update(ctx, data, n);
        data += n;
        len -= n;
    }
}

/* Against the reference, and against every peer that is here. */
TEST_STATIC void stream_lengths(const struct stream_api *api)
{
    static unsigned char data[1 << 20];
    size_t i, k, rounds = test_quick() ? 150 : 760;
    int here[16] = {0};
    unsigned char want[20], got[20];

    test_fill(data, sizeof data);
    REQUIRE(peer_count() <= 16);
    for (k = 0; k < peer_count(); k++) {
        here[k] = peer_sha1(peer_name(k), data, 1, got) == 0;
        if (!here[k])
            printf("not run: peer %s\n", peer_name(k));
    }
    for (i = 0; i < rounds; i++) {
        size_t len = i <= 700 ? i : test_below(test_quick() ? 4000 : sizeof data);
        const unsigned char *start = data + (i <= 700 ? i : test_below(sizeof data - len));
        plain_sha1(start, len, want);
        stream_digest(api, start, len, got);
        CHECK(memcmp(want, got, 20) == 0, "%zu bytes in one update: %s", len, test_hex(got));
        api->digest(start, len, got);
        CHECK(memcmp(want, got, 20) == 0, "%zu bytes at once: %s", len, test_hex(got));
        for (k = 0; k < peer_count(); k++) {
            if (here[k] && peer_sha1(peer_name(k), start, len, got) == 0)
                CHECK(memcmp(want, got, 20) == 0, "%zu bytes by %s", len, peer_name(k));
        }
    }
}

TEST_STATIC void stream_splits(const struct stream_api *api)
{
    unsigned char data[6000], want[20], got[20];
    size_t i, first, rounds = test_quick() ? 40 : 2000;
    union stream_ctx ctx;

    test_fill(data, sizeof data);
    for (i = 0; i < rounds; i++) {
        size_t len = test_below(i % 2 ? sizeof data : 300);
        stream_begin(api, &ctx);
        stream_pieces(api, &ctx, data, len);
        api->final(&ctx, got);
        plain_sha1(data, len, want);
        CHECK(memcmp(want, got, 20) == 0, "%zu bytes in pieces", len);
    }
    /* All ways to cut two or three blocks in two. */
    for (i = 0; i <= 192; i += test_quick() ? 16 : 1) {
        plain_sha1(data, i, want);
        for (first = 0; first <= i; first++) {
            stream_begin(api, &ctx);
            api->update(&ctx, data, first);
            api->update(&ctx, data + first, i - first);
            api->final(&ctx, got);
            CHECK(memcmp(want, got, 20) == 0, "%zu bytes, first %zu", i, first);
        }
    }
    /* Byte by byte. */
    stream_begin(api, &ctx);
    for (i = 0; i < 1000; i++)
        api->update(&ctx, data + i, 1);
    api->final(&ctx, got);
    plain_sha1(data, 1000, want);
    CHECK(memcmp(want, got, 20) == 0, "byte by byte");
}

/* Data, context and digest at all the addresses that they may have; not one
 * byte is written but the digest's 20 and the context's own. */
TEST_STATIC void stream_alignments(const struct stream_api *api)
{
    static const size_t lens[] = {1, 3, 19, 20, 55, 56, 63, 64, 65, 119, 120, 128, 200, 1000};
    union {
        uint64_t align[64];
        unsigned char bytes[256 + STREAM_CTX_MAX];
    } memory;
    unsigned char room[1100], copy[1100], want[20], out[128];
    size_t at, k, i;

    REQUIRE(api->ctx_size + 128 + 64 <= sizeof memory);
    for (at = 0; at < 64; at++) {
        for (k = 0; k < sizeof lens / sizeof lens[0]; k++) {
            size_t ctx_at = 64 + at / api->ctx_align * api->ctx_align;
            size_t out_at = 1 + (at + 3 * k) % 64;
            unsigned char *ctx = memory.bytes + ctx_at;
            test_fill(room, sizeof room);
            memcpy(copy, room, sizeof room);
            memset(memory.bytes, 0x5a, sizeof memory);
            memset(out, 0x5a, sizeof out);
            plain_sha1(room + at, lens[k], want);

            api->init(ctx);
            api->update(ctx, room + at, lens[k]);
            api->final(ctx, out + out_at);
            CHECK(memcmp(want, out + out_at, 20) == 0, "%zu bytes at %zu, context at %zu, digest at %zu",
                  lens[k], at, ctx_at, out_at);
            for (i = 0; i < sizeof out; i++) {
                if (i < out_at || i >= out_at + 20)
                    CHECK(out[i] == 0x5a, "byte %zu is not of the digest at %zu", i, out_at);
            }
            for (i = 0; i < sizeof memory; i++) {
                if (i < ctx_at || i >= ctx_at + api->ctx_size)
                    CHECK(memory.bytes[i] == 0x5a, "byte %zu is not of the context at %zu", i, ctx_at);
            }
            memset(out, 0x5a, sizeof out);
            api->digest(room + at, lens[k], out + out_at);
            CHECK(memcmp(want, out + out_at, 20) == 0, "%zu bytes at %zu at once", lens[k], at);
            CHECK(out[out_at - 1] == 0x5a && out[out_at + 20] == 0x5a, "beside the digest at %zu", out_at);
            CHECK(memcmp(room, copy, sizeof room) == 0, "%zu bytes at %zu were changed", lens[k], at);
        }
    }
}

TEST_STATIC void stream_null(const struct stream_api *api)
{
    static const char empty[] = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
    unsigned char data[200], want[20], got[20];
    size_t i;
    union stream_ctx ctx;

    test_fill(data, sizeof data);
    stream_begin(api, &ctx);
    api->final(&ctx, got);
    CHECK(same_digest(got, empty), "no update");
    stream_begin(api, &ctx);
    api->update(&ctx, NULL, 0);
    api->final(&ctx, got);
    CHECK(same_digest(got, empty), "NULL");
    api->digest(NULL, 0, got);
    CHECK(same_digest(got, empty), "NULL at once");
    for (i = 0; i <= sizeof data; i++) {
        stream_begin(api, &ctx);
        api->update(&ctx, NULL, 0);
        api->update(&ctx, data, i);
        api->update(&ctx, NULL, 0);
        api->update(&ctx, data, 0);
        api->final(&ctx, got);
        plain_sha1(data, i, want);
        CHECK(memcmp(want, got, 20) == 0, "NULL around %zu bytes", i);
    }
}

/* A context is plain data: copied at any point, both copies go on; dropped, it
 * leaves nothing behind; used up, it may begin again. */
TEST_STATIC void stream_copies(const struct stream_api *api)
{
    unsigned char data[3000], other[3000], want[20], got[20];
    size_t i, rounds = test_quick() ? 20 : 1000;

    for (i = 0; i < rounds; i++) {
        size_t head = test_below(400), tail = test_below(1000), rest = test_below(1000);
        void *first = malloc(api->ctx_size), *second = malloc(api->ctx_size);
        REQUIRE(first != NULL && second != NULL);
        test_fill(data, sizeof data);
        memcpy(other, data, head);
        test_fill(other + head, rest);

        stream_begin(api, first);
        stream_pieces(api, first, data, head);
        memcpy(second, first, api->ctx_size);
        stream_pieces(api, first, data + head, tail);
        stream_pieces(api, second, other + head, rest);
        if (i % 4 == 0) {
            /* The first one is dropped, and its memory scribbled over. */
            memset(first, 0xff, api->ctx_size);
            free(first);
            first = NULL;
        } else {
            api->final(first, got);
            plain_sha1(data, head + tail, want);
            CHECK(memcmp(want, got, 20) == 0, "original, %zu + %zu bytes", head, tail);
        }
        api->final(second, got);
        plain_sha1(other, head + rest, want);
        CHECK(memcmp(want, got, 20) == 0, "copy, %zu + %zu bytes", head, rest);

        api->init(second);
        api->update(second, data, head);
        api->final(second, got);
        plain_sha1(data, head, want);
        CHECK(memcmp(want, got, 20) == 0, "begun again, %zu bytes", head);
        free(first);
        free(second);
    }
}

/* No byte before or behind the data, the context or the digest is touched, and
 * the data is not written. */
TEST_STATIC void stream_guards(const struct stream_api *api)
{
    struct guarded data = guarded_new(1), ctx = guarded_new(1), out = guarded_new(1);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), len, cut;
    unsigned char want[20];
    void *ends = ctx.end - (api->ctx_size + api->ctx_align - 1) / api->ctx_align * api->ctx_align;

    test_fill(data.start, page);
    REQUIRE(mprotect(data.start, page, PROT_READ) == 0);
    for (len = 0; len <= 200; len += test_quick() ? 7 : 1) {
        const unsigned char *last = data.end - len, *first = data.start;

        plain_sha1(last, len, want);
        api->digest(last, len, out.end - 20);
        CHECK(memcmp(want, out.end - 20, 20) == 0, "%zu bytes before a page's end", len);
        for (cut = 0; cut <= len; cut += 1 + len / 13) {
            api->init(ends);
            api->update(ends, last, cut);
            api->update(ends, last + cut, len - cut);
            api->final(ends, out.end - 20);
            CHECK(memcmp(want, out.end - 20, 20) == 0, "%zu bytes before a page's end, cut at %zu", len, cut);
        }

        plain_sha1(first, len, want);
        api->digest(first, len, out.start);
        CHECK(memcmp(want, out.start, 20) == 0, "%zu bytes at a page's start", len);
        for (cut = 0; cut <= len; cut += 1 + len / 13) {
            api->init(ctx.start);
            api->update(ctx.start, first, cut);
            api->update(ctx.start, first + cut, len - cut);
            api->final(ctx.start, out.start);
            CHECK(memcmp(want, out.start, 20) == 0, "%zu bytes at a page's start, cut at %zu", len, cut);
        }
    }
    guarded_free(data);
    guarded_free(ctx);
    guarded_free(out);
}

/* The digest over the data that it is of, or over the context. */
TEST_STATIC void stream_overlap(const struct stream_api *api)
{
    unsigned char data[300], work[300], want[20];
    size_t len, at;
    union stream_ctx ctx;

    test_fill(data, sizeof data);
    for (len = 0; len <= 260; len += 13) {
        plain_sha1(data + 20, len, want);
        for (at = 0; at <= 20 + len; at++) {
            memcpy(work, data, sizeof data);
            api->digest(work + 20, len, work + at);
            CHECK(memcmp(want, work + at, 20) == 0, "%zu bytes, digest at %zu", len, at);
        }
        for (at = 0; at + 20 <= api->ctx_size; at++) {
            stream_begin(api, &ctx);
            api->update(&ctx, data + 20, len);
            api->final(&ctx, ctx.bytes + at);
            CHECK(memcmp(want, ctx.bytes + at, 20) == 0, "%zu bytes, digest at %zu of the context", len, at);
        }
    }
}

TEST_STATIC void stream_tests(const struct stream_api *api)
{
    REQUIRE(api->ctx_size <= sizeof(union stream_ctx));
    stream_lengths(api);
    stream_splits(api);
    stream_alignments(api);
    stream_null(api);
    stream_copies(api);
    stream_guards(api);
    stream_overlap(api);
}

#endif
