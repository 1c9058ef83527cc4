/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hash all arguments in one call, side by side on one core. */
#include <shaone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    size_t n = (size_t)argc - 1, i, j;
    const void **message = calloc(n + 1, sizeof *message);
    size_t *len = calloc(n + 1, sizeof *len);
    unsigned char(*digest)[20] = calloc(n + 1, sizeof *digest);

    if (message == NULL || len == NULL || digest == NULL) {
        perror("many_messages");
        return 1;
    }
    for (i = 0; i < n; i++) {
        message[i] = argv[i + 1];
        len[i] = strlen(argv[i + 1]);
    }
    shaone_digest_many(n, message, len, digest);

    for (i = 0; i < n; i++) {
        for (j = 0; j < 20; j++)
            printf("%02x", digest[i][j]);
        printf("  %s\n", argv[i + 1]);
    }
    free(message);
    free(len);
    free(digest);
    return 0;
}
