/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* git's block-sha1, included as git includes it. */
#include "block-sha1/sha1.h"
#include "streams.h"

#if !defined platform_SHA_CTX || !defined platform_SHA1_Init || !defined platform_SHA1_Update || \
    !defined platform_SHA1_Final
#error "git's names for the chosen implementation are missing"
#endif

/* git's own declaration: the two must be the same to the last byte. */
struct git_ctx {
    unsigned long long size;
    unsigned int H[5];
    unsigned int W[16];
};

_Static_assert(sizeof(blk_SHA_CTX) == sizeof(struct git_ctx), "size");
_Static_assert(_Alignof(blk_SHA_CTX) == _Alignof(struct git_ctx), "alignment");
_Static_assert(sizeof(void *) != 8 || sizeof(blk_SHA_CTX) == 96, "size, LP64");
_Static_assert(sizeof(void *) != 8 || _Alignof(blk_SHA_CTX) == 8, "alignment, LP64");
_Static_assert(_Alignof(blk_SHA_CTX) != 4 || sizeof(blk_SHA_CTX) == 92, "size, i686");
_Static_assert(offsetof(blk_SHA_CTX, size) == 0, "size");
_Static_assert(offsetof(blk_SHA_CTX, H) == 8, "H");
_Static_assert(offsetof(blk_SHA_CTX, W) == 28, "W");
_Static_assert(_Generic(((blk_SHA_CTX *)0)->size, unsigned long long: 1, default: 0), "type of size");
_Static_assert(_Generic(((blk_SHA_CTX *)0)->H[0], unsigned int: 1, default: 0), "type of H");
_Static_assert(_Generic(((blk_SHA_CTX *)0)->W[0], unsigned int: 1, default: 0), "type of W");

static void init(void *ctx)
{
    platform_SHA1_Init(ctx);
}

static void update(void *ctx, const void *data, size_t len)
{
    platform_SHA1_Update(ctx, data, len);
}

static void final(void *ctx, unsigned char *digest)
{
    platform_SHA1_Final(digest, ctx);
}

static void digest(const void *data, size_t len, unsigned char *out)
{
    platform_SHA_CTX ctx;
    platform_SHA1_Init(&ctx);
    platform_SHA1_Update(&ctx, data, len);
    platform_SHA1_Final(out, &ctx);
}

static int same(const blk_SHA_CTX *a, const blk_SHA_CTX *b)
{
    return a->size == b->size && memcmp(a->H, b->H, sizeof a->H) == 0 &&
           memcmp(a->W, b->W, a->size % 64) == 0;
}

/* A hash begun by git's code can be continued by ours and finished by git's,
 * or the other way round; and after each call the contexts mean the same. */
static void test_peer(void)
{
    void (*peer_init)(blk_SHA_CTX *);
    void (*peer_update)(blk_SHA_CTX *, const void *, size_t);
    void (*peer_final)(unsigned char *, blk_SHA_CTX *);
    /* Lengths near which the count is carried; 0 is also 2^64. */
    static const unsigned long long starts[] = {0, 0, 0, 1ull << 29, 1ull << 32, 1ull << 61, 1ull << 63};
    unsigned char data[3000], ours_out[20], peer_out[20], mixed_out[20];
    size_t i, rounds = test_quick() ? 40 : 4000;

    if (!peer_bind(&peer_init, "git", "blk_SHA1_Init") ||
        !peer_bind(&peer_update, "git", "blk_SHA1_Update") ||
        !peer_bind(&peer_final, "git", "blk_SHA1_Final")) {
        printf("not run: git: contexts shared with git's own code\n");
        return;
    }
    test_fill(data, sizeof data);
    for (i = 0; i < rounds; i++) {
        size_t done = 0, len = test_below(i % 3 ? 500 : sizeof data);
        blk_SHA_CTX ours, peer, mixed;
        unsigned long long start = starts[test_below(sizeof starts / sizeof starts[0])];

        memset(&ours, 0xa5, sizeof ours);
        memset(&mixed, 0x5a, sizeof mixed);
        memset(&peer, 0, sizeof peer);
        blk_SHA1_Init(&ours);
        peer_init(&peer);
        CHECK(same(&ours, &peer), "after init");
        if (test_below(2))
            blk_SHA1_Init(&mixed);
        else
            peer_init(&mixed);
        if (test_below(4) == 0)
            start -= 64 * test_below(8);
        ours.size = peer.size = mixed.size = start;

        while (done < len) {
            size_t n = test_piece();
            n = n < len - done ? n : len - done;
            blk_SHA1_Update(&ours, data + done, n);
            peer_update(&peer, data + done, n);
            if (test_below(2))
                blk_SHA1_Update(&mixed, data + done, n);
            else
                peer_update(&mixed, data + done, n);
            done += n;
            CHECK(same(&ours, &peer), "after %zu bytes, last %zu", done, n);
            CHECK(same(&mixed, &peer), "mixed, after %zu bytes, last %zu", done, n);
        }
        blk_SHA1_Final(ours_out, &ours);
        peer_final(peer_out, &peer);
        if (test_below(2))
            blk_SHA1_Final(mixed_out, &mixed);
        else
            peer_final(mixed_out, &mixed);
        CHECK(memcmp(ours_out, peer_out, 20) == 0, "%zu bytes after %llu", len, start);
        CHECK(memcmp(mixed_out, peer_out, 20) == 0, "mixed, %zu bytes after %llu", len, start);
    }
}

int main(void)
{
    const struct stream_api api = {sizeof(blk_SHA_CTX), _Alignof(blk_SHA_CTX), init, update, final, digest};

    stream_tests(&api);
    test_peer();
    return test_end("git");
}
