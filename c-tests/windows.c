/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Windows, where long has 32 bits and size_t 64: all that needs no POSIX, against the
 * digests that the command line names.
 *
 *     windows DIGEST-OF-2^32+5-ZEROS FILE DIGEST-OF-FILE
 */
#include <shaone.h>
#include <shaone/compat/gnulib/sha1.h>
#include <shaone/be.h>

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static int passed, failed;

static void check(const char *what, const unsigned char digest[20], const char *hex)
{
    char ours[41];
    int i;

    for (i = 0; i < 20; i++)
        sprintf(ours + 2 * i, "%02x", digest[i]);
    if (strcmp(ours, hex) == 0) {
        passed++;
    } else {
        failed++;
        printf("%s: %s, not %s\n", what, ours, hex);
    }
}

int main(int argc, char **argv)
{
    enum { MANY = 40 };
    /* FIPS 180-4's examples. */
    static const char abc[] = "a9993e364706816aba3e25717850c26c9cd0d89d";
    static const char two_blocks[] = "84983e441c3bd26ebaae4aa1f95129e5e54670f1";
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    const size_t large = ((size_t)1 << 32) + 5;
    unsigned char digest[20], digests[MANY][20], found[MANY];
    const void *data[MANY];
    size_t len[MANY], i;
    unsigned char *zeros;
    shaone_ctx ctx;
    struct sha1_ctx gnulib;
    FILE *file;
    int fd;

    if (argc != 4) {
        fprintf(stderr, "usage: windows DIGEST FILE DIGEST\n");
        return 2;
    }
    printf("backend: %s\n", shaone_backend());

    sha1_init(&ctx);
    for (i = 0; i < sizeof text - 1; i++)
        sha1_update(&ctx, text + i, 1);
    sha1_final(digest, &ctx);
    check("sha1_update", digest, two_blocks);

    for (i = 0; i < MANY; i++) {
        data[i] = i % 3 ? text : "abc";
        len[i] = i % 3 ? sizeof text - 1 : 3;
    }
    shaone_digest_many(MANY, data, len, digests);
    for (i = 0; i < MANY; i++)
        check("shaone_digest_many", digests[i], i % 3 ? two_blocks : abc);
    shaone_checked_digest_many(MANY, data, len, digests, found);
    for (i = 0; i < MANY; i++)
        check("shaone_checked_digest_many", digests[i], i % 3 ? two_blocks : abc);

    zeros = VirtualAlloc(NULL, large, MEM_RESERVE | MEM_COMMIT, PAGE_READONLY);
    if (zeros == NULL) {
        printf("not run: 2^32 + 5 bytes in one call on Windows (not so much memory)\n");
    } else {
        shaone_digest(zeros, large, digest);
        check("shaone_digest of 2^32 + 5 bytes", digest, argv[1]);
        sha1_init_ctx(&gnulib);
        sha1_process_bytes(zeros, large, &gnulib);
        sha1_finish_ctx(&gnulib, digest);
        check("sha1_process_bytes of 2^32 + 5 bytes", digest, argv[1]);
    }

    fd = _open(argv[2], _O_RDONLY | _O_BINARY);
    if (fd < 0 || shaone_digest_fd(fd, digest) != 0)
        memset(digest, 0, sizeof digest);
    check("shaone_digest_fd", digest, argv[3]);
    file = fopen(argv[2], "rb");
    if (file == NULL || sha1_stream(file, digest) != 0)
        memset(digest, 0, sizeof digest);
    check("sha1_stream", digest, argv[3]);

    printf("windows: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
