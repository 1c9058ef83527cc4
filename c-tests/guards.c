/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * No function reads or writes a byte that is not its own: messages of every length up
 * to a page, arrays, contexts and digests begin right behind a page that cannot be
 * touched, and end right before one.
 */
#include "test.h"

#define SHAONE_NO_SHORT_NAMES
#include <shaone.h>
#include <shaone/compat/git/block-sha1/sha1.h>
#include <shaone/compat/gnulib/hmac.h>
#include <shaone/compat/gnulib/sha1.h>
#include <shaone/compat/sha1dc/sha1dc/sha1.h>

#define MOST 4096
#define MOST_MESSAGES 40

static struct guarded data, digest_room, ctx_room, message_room, len_room, found_room;

/* Whether things are at the beginning of their pages, or at the end. */
enum side { BEGINNING, END };

static unsigned char *place(struct guarded room, enum side side, size_t size)
{
    return side == BEGINNING ? room.start : room.end - size;
}

/* The digest of the message of this length on this side, as FIPS 180-4 has it. */
static const unsigned char *want(enum side side, size_t len)
{
    static unsigned char digests[2][MOST + 1][20];
    static char known[2][MOST + 1];
    if (!known[side][len]) {
        plain_sha1(place(data, side, len), len, digests[side][len]);
        known[side][len] = 1;
    }
    return digests[side][len];
}

#define CHECK_DIGEST(what) \
    CHECK(memcmp(out, want(side, len), 20) == 0, what ", %zu bytes, side %d", len, side); \
    memset(out, 0xa5, 20)

static void one_message(enum side side, size_t len)
{
    const unsigned char *message = place(data, side, len);
    unsigned char *out = place(digest_room, side, 20);
    size_t head = len / 3;
    shaone_ctx *ctx = (void *)place(ctx_room, side, sizeof *ctx);
    shaone_checked_ctx *checked = (void *)place(ctx_room, side, sizeof *checked);
    blk_SHA_CTX *git = (void *)place(ctx_room, side, sizeof *git);
    struct sha1_ctx *gnulib = (void *)place(ctx_room, side, sizeof *gnulib);
    SHA1_CTX *sha1dc = (void *)place(ctx_room, side, sizeof *sha1dc);

    shaone_digest(message, len, out);
    CHECK_DIGEST("shaone_digest");
    shaone_init(ctx);
    shaone_update(ctx, message, head);
    shaone_update(ctx, message + head, len - head);
    shaone_peek(out, ctx);
    CHECK_DIGEST("shaone_peek");
    shaone_final(out, ctx);
    CHECK_DIGEST("shaone_final");

    CHECK(shaone_checked_digest(message, len, out) == 0, "%zu bytes", len);
    CHECK_DIGEST("shaone_checked_digest");
    shaone_checked_init(checked);
    shaone_checked_update(checked, message, head);
    shaone_checked_update(checked, message + head, len - head);
    CHECK(shaone_checked_final(out, checked) == 0, "%zu bytes", len);
    CHECK_DIGEST("shaone_checked_final");

    blk_SHA1_Init(git);
    blk_SHA1_Update(git, message, head);
    blk_SHA1_Update(git, message + head, len - head);
    blk_SHA1_Final(out, git);
    CHECK_DIGEST("blk_SHA1_Final");

    SHA1DCInit(sha1dc);
    SHA1DCUpdate(sha1dc, (const char *)message, head);
    SHA1DCUpdate(sha1dc, (const char *)message + head, len - head);
    CHECK(SHA1DCFinal(out, sha1dc) == 0, "%zu bytes", len);
    CHECK_DIGEST("SHA1DCFinal");

    sha1_buffer((const char *)message, len, out);
    CHECK_DIGEST("sha1_buffer");
    sha1_init_ctx(gnulib);
    sha1_process_bytes(message, head, gnulib);
    sha1_process_bytes(message + head, len - head, gnulib);
    sha1_finish_ctx(gnulib, out);
    CHECK_DIGEST("sha1_process_bytes");
    head = len / 64 * 64;
    sha1_init_ctx(gnulib);
    sha1_process_block(message, head, gnulib);
    sha1_process_bytes(message + head, len - head, gnulib);
    sha1_finish_ctx(gnulib, out);
    CHECK_DIGEST("sha1_process_block");
}

/* The key of a message authentication code, and its message. */
static void mac(enum side side, size_t len)
{
    const unsigned char *message = place(data, side, len);
    unsigned char *out = place(digest_room, side, 20), copied[20];
    static unsigned char copy[MOST];

    memcpy(copy, message, len);
    hmac_sha1(message, len, message, len, out);
    hmac_sha1(copy, len, copy, len, copied);
    CHECK(memcmp(out, copied, 20) == 0, "%zu bytes, side %d", len, side);
}

/* Messages of this length, or of this one and the next shorter ones. */
static void many_messages(enum side side, size_t len, size_t n, int equal)
{
    unsigned char(*digests)[20] = (void *)place(digest_room, side, n * 20);
    unsigned char *found = place(found_room, side, n);
    size_t *lens = (void *)place(len_room, side, n * sizeof *lens);
    const void **messages = (void *)place(message_room, side, n * sizeof *messages);
    shaone_ctx **ctx = (void *)place(ctx_room, side, n * sizeof *ctx);
    static shaone_ctx contexts[MOST_MESSAGES];
    size_t whole[MOST_MESSAGES], i;

    for (i = 0; i < n; i++) {
        lens[i] = whole[i] = equal || i > len ? len : len - i;
        messages[i] = place(data, side, lens[i]);
    }
#define CHECK_DIGESTS(what) \
    for (i = 0; i < n; i++) \
        CHECK(memcmp(digests[i], want(side, whole[i]), 20) == 0, what ", %zu of %zu, %zu bytes, side %d", \
              i, n, whole[i], side); \
    memset(digests, 0xa5, n * 20)

    shaone_digest_many(n, messages, lens, digests);
    CHECK_DIGESTS("shaone_digest_many");
    memset(found, 0xa5, n);
    CHECK(shaone_checked_digest_many(n, messages, lens, digests, found) == 0, "%zu bytes", len);
    CHECK_DIGESTS("shaone_checked_digest_many");
    for (i = 0; i < n; i++)
        CHECK(found[i] == 0, "%zu bytes", lens[i]);

    for (i = 0; i < n; i++) {
        size_t head = lens[i] / 2;
        ctx[i] = &contexts[i];
        shaone_init(ctx[i]);
        shaone_update(ctx[i], messages[i], head);
        messages[i] = (const unsigned char *)messages[i] + head;
        lens[i] -= head;
    }
    shaone_update_many(n, ctx, messages, lens);
    shaone_final_many(n, digests, ctx);
    CHECK_DIGESTS("shaone_final_many");
}

/* As one message of pieces. */
static void pieces(enum side side, size_t len, size_t piece_len)
{
    const unsigned char *message = place(data, side, len);
    size_t n = (len + piece_len - 1) / piece_len, i;
    unsigned char(*digests)[20] = (void *)place(digest_room, side, n * 20);
    unsigned char one[20];

    CHECK(shaone_pieces(message, len, piece_len, digests) == n, "%zu bytes", len);
    for (i = 0; i < n; i++) {
        size_t at = i * piece_len, here = len - at < piece_len ? len - at : piece_len;
        plain_sha1(message + at, here, one);
        CHECK(memcmp(digests[i], one, 20) == 0, "piece %zu of %zu bytes, side %d", i, len, side);
    }
}

int main(void)
{
    struct guarded *rooms[] = {&digest_room, &ctx_room, &message_room, &len_room, &found_room};
    size_t page = (size_t)sysconf(_SC_PAGESIZE), len, i;
    int side;

    /* One page more than the longest message: the two sides have other messages. */
    data = guarded_new((MOST + page - 1) / page + 1);
    test_fill(data.start, (size_t)(data.end - data.start));
    for (i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        *rooms[i] = guarded_new(1);
    for (len = 0; len <= MOST; len += test_quick() ? 1 + test_below(99) : 1)
        for (side = BEGINNING; side <= END; side++) {
            one_message((enum side)side, len);
            mac((enum side)side, len);
            many_messages((enum side)side, len, 1 + test_below(MOST_MESSAGES), 0);
            many_messages((enum side)side, len, 1 + test_below(len > 300 ? 9 : MOST_MESSAGES), 1);
            if (len % 8 == 1)
                pieces((enum side)side, len, len / 50 + 1 + test_below(len));
        }
    for (i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        guarded_free(*rooms[i]);
    guarded_free(data);
    return test_end("guards");
}
