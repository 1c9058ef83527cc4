/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hash standard input and refuse it if it is part of a collision attack. */
#include <shaone.h>
#include <stdio.h>

int main(void)
{
    unsigned char piece[16384], digest[20];
    size_t n;
    int i;
    shaone_checked_ctx ctx;

    shaone_checked_init(&ctx);
    while ((n = fread(piece, 1, sizeof piece, stdin)) > 0)
        shaone_checked_update(&ctx, piece, n);
    if (ferror(stdin)) {
        perror("checked: standard input");
        return 1;
    }
    if (shaone_checked_final(digest, &ctx) != 0) {
        fputs("checked: refused, this is part of a SHA-1 collision attack\n", stderr);
        return 1;
    }
    for (i = 0; i < 20; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return 0;
}
