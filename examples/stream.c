/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hash standard input piece by piece: what a program does with data as it comes. */
#include <shaone.h>
#include <stdio.h>

int main(void)
{
    unsigned char piece[16384], digest[20];
    size_t n;
    int i;
    shaone_ctx ctx; /* plain data: nothing to free, copied with = */

    sha1_init(&ctx);
    while ((n = fread(piece, 1, sizeof piece, stdin)) > 0)
        sha1_update(&ctx, piece, n);
    if (ferror(stdin)) {
        perror("stream: standard input");
        return 1;
    }
    sha1_final(digest, &ctx);

    for (i = 0; i < 20; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return 0;
}
