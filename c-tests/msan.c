/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A program under clang's MemorySanitizer, which stops it at the first use of a byte that
 * it takes for unwritten: what our functions write counts as written.
 */
#include <shaone.h>

#include <sanitizer/msan_interface.h>

#include "shaone/compat/git/block-sha1/sha1.h"
#include "shaone/compat/gnulib/sha1.h"
#include "shaone/compat/sha1dc/sha1dc/sha1.h"
#include "test.h"

static const char abc_digest[] = "a9993e364706816aba3e25717850c26c9cd0d89d";

/* The digest is that of "abc"; each is looked at byte by byte. */
#define CHECK_ABC(digest) CHECK(same_digest(digest, abc_digest), "%s", test_hex(digest))

static void test_native(void)
{
    const void *data[3] = {"abc", "abc", "abc"};
    const size_t len[3] = {3, 3, 3};
    unsigned char a[20], b[20], c[20], d[20], e[20], f[20], g[20];
    unsigned char many[3][20], more[3][20], pieces[2][20], finals[2][20], found[3];
    shaone_ctx ctx, copy, third;
    shaone_ctx *both[2];
    shaone_checked_ctx checked;
    FILE *file = tmpfile();
    int i;

    shaone_init(&ctx);
    shaone_update(&ctx, "a", 1);
    copy = ctx;
    CHECK(copy.size == 1 && copy.block[0] == 'a', "a context can be looked at");
    shaone_update(&copy, "bc", 2);
    third = copy;
    shaone_peek(a, &copy);
    CHECK_ABC(a);
    sha1_final(b, &copy);
    CHECK_ABC(b);
    shaone_update(&ctx, "bc", 2);
    both[0] = &ctx;
    both[1] = &third;
    shaone_final_many(2, finals, both);
    CHECK_ABC(finals[0]);
    CHECK_ABC(finals[1]);
    shaone_digest("abc", 3, c);
    CHECK_ABC(c);
    REQUIRE(file != NULL && fputs("abc", file) != EOF && fflush(file) == 0);
    REQUIRE(lseek(fileno(file), 0, SEEK_SET) == 0);
    REQUIRE(shaone_digest_fd(fileno(file), d) == 0);
    CHECK_ABC(d);
    rewind(file);
    REQUIRE(sha1_stream(file, e) == 0);
    CHECK_ABC(e);
    fclose(file);
    shaone_checked_init(&checked);
    shaone_checked_update(&checked, "abc", 3);
    CHECK(shaone_checked_final(f, &checked) == 0, "no attack");
    CHECK_ABC(f);
    CHECK(shaone_checked_digest("abc", 3, g) == 0, "no attack");
    CHECK_ABC(g);
    shaone_digest_many(3, data, len, many);
    CHECK(shaone_checked_digest_many(3, data, len, more, found) == 0, "no attack");
    for (i = 0; i < 3; i++) {
        CHECK_ABC(many[i]);
        CHECK_ABC(more[i]);
        CHECK(found[i] == 0, "message %d", i);
    }
    CHECK(shaone_pieces("abcabc", 6, 3, pieces) == 2, "two pieces");
    CHECK_ABC(pieces[0]);
    CHECK_ABC(pieces[1]);
}

static void test_compat(void)
{
    unsigned char a[20], b[20], c[20], d[20], e[20];
    blk_SHA_CTX git;
    struct sha1_ctx gnulib;
    SHA1_CTX dc;

    blk_SHA1_Init(&git);
    blk_SHA1_Update(&git, "abc", 3);
    blk_SHA1_Final(a, &git);
    CHECK_ABC(a);
    sha1_init_ctx(&gnulib);
    sha1_process_bytes("abc", 3, &gnulib);
    CHECK(gnulib.buflen == 3, "a context can be looked at");
    sha1_finish_ctx(&gnulib, b);
    CHECK_ABC(b);
    sha1_buffer("abc", 3, c);
    CHECK_ABC(c);
    CHECK(hmac_sha1("key", 3, "abc", 3, d) == 0, "hmac");
    CHECK(same_digest(d, "4fd0b215276ef12f2b3e4c8ecac2811498b656fc"), "%s", test_hex(d));
    SHA1DCInit(&dc);
    SHA1DCUpdate(&dc, "abc", 3);
    CHECK(SHA1DCFinal(e, &dc) == 0, "no attack");
    CHECK_ABC(e);
}

/* Without the header's help the sanitizer would not know, or there is nothing to test here. */
#undef shaone_digest
static void test_that_it_matters(void)
{
    unsigned char digest[20];
    __msan_poison(digest, 20);
    shaone_digest("abc", 3, digest);
    CHECK(__msan_test_shadow(digest, 20) == 0, "the bare function leaves the digest poisoned");
}

int main(void)
{
    test_native();
    test_compat();
    test_that_it_matters();
    return test_end("msan");
}
