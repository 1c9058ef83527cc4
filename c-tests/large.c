/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Lengths about and beyond 2^29 bytes (whose count of bits leaves 32 bits) and
 * 2^32 bytes. Where hashing is slow, SHAONE_LONG=1 is needed for the latter;
 * with it every API hashes them.
 */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include <fcntl.h>
#include <time.h>

#include "shaone.h"
#include "shaone/compat/git/block-sha1/sha1.h"
#include "shaone/compat/gnulib/sha1.h"
#include "test.h"

#define TWO_29 ((size_t)1 << 29)

static const char zeros_2_32[] = "1bf99ee9f374e58e201e4dda4f474e570eb77229";
static const char a_2_29[] = "0ea59bfe8787939816796610c73deb1c625e03ed";

/* len bytes of the same value in little memory: one piece, mapped again and again. */
static unsigned char *repeated(int value, size_t len)
{
    size_t piece = (size_t)4 << 20, at;
    FILE *file = tmpfile();
    unsigned char *all, *first;

    REQUIRE(file != NULL && ftruncate(fileno(file), (off_t)piece) == 0);
    all = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(all != MAP_FAILED);
    first = mmap(NULL, piece, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    REQUIRE(first != MAP_FAILED);
    memset(first, value, piece);
    REQUIRE(munmap(first, piece) == 0);
    for (at = 0; at < len; at += piece)
        REQUIRE(mmap(all + at, piece, PROT_READ, MAP_SHARED | MAP_FIXED, fileno(file), 0) != MAP_FAILED);
    fclose(file);
    return all;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_a(void)
{
    unsigned char *data = repeated('a', TWO_29), got[20];
    size_t done = 0;
    shaone_ctx ctx;

    shaone_digest(data, TWO_29, got);
    CHECK(same_digest(got, a_2_29), "2^29 at once: %s", test_hex(got));
    sha1_init(&ctx);
    while (done < TWO_29 - 1) {
        size_t n = test_below(100000);
        n = n < TWO_29 - 1 - done ? n : TWO_29 - 1 - done;
        sha1_update(&ctx, data + done, n);
        done += n;
    }
    shaone_peek(got, &ctx);
    CHECK(same_digest(got, "d8d6bf0518439c00a034780cf0ace7354202255e"), "2^29 - 1: %s", test_hex(got));
    sha1_update(&ctx, data, 1);
    sha1_final(got, &ctx);
    CHECK(same_digest(got, a_2_29), "2^29: %s", test_hex(got));
    REQUIRE(munmap(data, TWO_29) == 0);
}

/* GNU coreutils' test big_zero. */
static void test_big_zero(void)
{
    static const unsigned char zeros[1000000];
    unsigned char got[20];
    shaone_ctx ctx;
    int i;

    sha1_init(&ctx);
    for (i = 0; i < 1000; i++)
        sha1_update(&ctx, zeros, sizeof zeros);
    sha1_final(got, &ctx);
    CHECK(same_digest(got, "1dd775261d7abab0b66910acc1d827a2c3799eaf"), "%s", test_hex(got));
}

#if SIZE_MAX > UINT32_MAX
#define TWO_32 ((size_t)1 << 32)

static void test_2_32(int all)
{
    unsigned char *data = repeated(0, TWO_32), got[20], want[20];
    struct sha1_ctx gnulib;
    blk_SHA_CTX git;
    shaone_ctx ctx;

    shaone_digest(data, TWO_32, got);
    CHECK(same_digest(got, zeros_2_32), "shaone_digest: %s", test_hex(got));

    sha1_init_ctx(&gnulib);
    sha1_process_bytes(data, TWO_32, &gnulib);
    CHECK(gnulib.total[0] == 0 && gnulib.total[1] == 1 && gnulib.buflen == 0, "gnulib's total: %x %x",
          gnulib.total[1], gnulib.total[0]);
    sha1_finish_ctx(&gnulib, got);
    CHECK(same_digest(got, zeros_2_32), "sha1_process_bytes: %s", test_hex(got));

    if (all) {
        char path[] = "/tmp/shaone-large-XXXXXX";
        FILE *sparse;
        int fd;

        blk_SHA1_Init(&git);
        blk_SHA1_Update(&git, data, TWO_32);
        CHECK(git.size == TWO_32, "git's size");
        blk_SHA1_Final(got, &git);
        CHECK(same_digest(got, zeros_2_32), "blk_SHA1_Update: %s", test_hex(got));

        sha1_init_ctx(&gnulib);
        sha1_process_block(data, TWO_32, &gnulib);
        CHECK(gnulib.total[0] == 0 && gnulib.total[1] == 1 && gnulib.buflen == 0, "gnulib's total: %x %x",
              gnulib.total[1], gnulib.total[0]);
        sha1_finish_ctx(&gnulib, got);
        CHECK(same_digest(got, zeros_2_32), "sha1_process_block: %s", test_hex(got));
        CHECK(sha1_buffer(data, TWO_32, got) == got && same_digest(got, zeros_2_32), "sha1_buffer");

        /* One more than 32 bits can count, at once and after a start. */
        sha1_init(&ctx);
        sha1_update(&ctx, data, 13);
        sha1_update(&ctx, data, TWO_32 - 10);
        sha1_final(want, &ctx);
        sha1_init(&ctx);
        sha1_update(&ctx, data, TWO_32 - 4096);
        sha1_update(&ctx, data, 4099);
        CHECK(ctx.size == TWO_32 + 3, "size");
        sha1_final(got, &ctx);
        CHECK(memcmp(want, got, 20) == 0, "2^32 + 3 bytes");

        REQUIRE((fd = mkstemp(path)) >= 0 && ftruncate(fd, (off_t)TWO_32) == 0);
        CHECK(shaone_digest_fd(fd, got) == 0 && same_digest(got, zeros_2_32), "shaone_digest_fd");
        REQUIRE(lseek(fd, 0, SEEK_SET) == 0 && (sparse = fdopen(fd, "rb")) != NULL);
        CHECK(sha1_stream(sparse, got) == 0 && same_digest(got, zeros_2_32), "sha1_stream");
        fclose(sparse);
        unlink(path);
    }
    REQUIRE(munmap(data, TWO_32) == 0);
}
#endif

int main(void)
{
    int all = getenv("SHAONE_LONG") != NULL;
    double start = now(), rate;

    test_big_zero();
    test_a();
    rate = (1e9 + 2.0 * (double)TWO_29) / (now() - start);
#if SIZE_MAX > UINT32_MAX
    if (all || rate > 0.9e9)
        test_2_32(all);
    else
        printf("not run: 2^32 bytes at %.1f GB/s (SHAONE_LONG=1 does)\n", rate / 1e9);
    if (!all)
        printf("not run: 2^32 bytes through each API (SHAONE_LONG=1 does)\n");
#else
    printf("not run: 2^32 bytes (size_t has %zu bytes, %.1f GB/s)\n", sizeof(size_t), rate / 1e9);
#endif
    return test_end("large");
}
