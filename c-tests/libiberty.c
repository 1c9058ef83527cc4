/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* libiberty's sha1. */
#define _GNU_SOURCE /* fopencookie */
#include "sha1.h"

/* Its sha1_stream is gnulib's of long ago: it asks for the end only after it has
 * read. Ours is today's gnulib's in both APIs. */
#define PEER "libiberty"
#define PEER_STREAM_IS_OLD 1
#include "sha1_ctx.h"

static void test_choice(void)
{
    sha1_process_bytes_fn process = sha1_choose_process_bytes();
    unsigned char data[1000], want[20], got[20];
    size_t i;

    CHECK(process != NULL, "no function");
    test_fill(data, sizeof data);
    for (i = 0; i < sizeof data; i += 7) {
        struct sha1_ctx ctx;
        sha1_init_ctx(&ctx);
        process(data, i / 2, &ctx);
        process(data + i / 2, i - i / 2, &ctx);
        sha1_finish_ctx(&ctx, got);
        plain_sha1(data, i, want);
        CHECK(memcmp(want, got, 20) == 0, "%zu bytes", i);
    }
}

int main(void)
{
    sha1_ctx_tests();
    test_choice();
    return test_end("libiberty");
}
