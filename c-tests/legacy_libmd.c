/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * usage: legacy_libmd FILE
 *
 * A program as they are written for the BSDs' sha1.h, with functions of its own
 * that have names of ours. With ours and with libmd it prints the same.
 */
#include <sys/types.h>
#include <sha1.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t data[5000];

int sha1_final(void);
int sha1_final(void)
{
    return 42;
}

static void print(const uint8_t digest[SHA1_DIGEST_LENGTH])
{
    int i;

    for (i = 0; i < SHA1_DIGEST_LENGTH; i++)
        printf("%02x", digest[i]);
    putchar(' ');
}

/* All of a context that tells of the hash. */
static void print_context(const SHA1_CTX *c)
{
    size_t i;

    for (i = 0; i < 5; i++)
        printf("%08lx ", (unsigned long)c->state[i]);
    printf("%llu ", (unsigned long long)c->count);
    for (i = 0; i < c->count / 8 % SHA1_BLOCK_LENGTH; i++)
        printf("%02x", c->buffer[i]);
    putchar('\n');
}

static void print_string(char *text, int ours)
{
    printf("%s ", text != NULL ? text : "NULL");
    if (ours)
        free(text);
}

int main(int argc, char **argv)
{
    static const off_t places[] = {0, 1, 63, 64, 1000, 100000, 1 << 30};
    char text[SHA1_DIGEST_STRING_LENGTH];
    uint8_t digest[SHA1_DIGEST_LENGTH + 1];
    uint32_t state[5];
    SHA1_CTX c;
    size_t i, at, len;

    if (argc != 2)
        return 2;
    printf("%d %d %d %lu %lu %lu\n", SHA1_BLOCK_LENGTH, SHA1_DIGEST_LENGTH, SHA1_DIGEST_STRING_LENGTH,
           (unsigned long)sizeof c, (unsigned long)offsetof(SHA1_CTX, count),
           (unsigned long)offsetof(SHA1_CTX, buffer));
    for (i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 167 >> 3);

    for (len = 0; len <= 300; len++) {
        printf("%lu ", (unsigned long)len);
        print_string(SHA1Data(data, len, text), 0);
        print_string(SHA1Data(data, len, NULL), 1);
        putchar('\n');
        for (at = 0; at <= len; at += 11) {
            SHA1_CTX copy;

            SHA1Init(&c);
            SHA1Update(&c, data, at);
            print_context(&c);
            memcpy(&copy, &c, sizeof c);
            SHA1Update(&c, data + at, len - at);
            print_context(&c);
            SHA1Final(digest + 1, &c);
            print(digest + 1);
            print_context(&c);
            SHA1Update(&copy, data + at, len - at);
            SHA1Pad(&copy);
            print_context(&copy);
        }
    }

    SHA1Init(&c);
    for (at = i = 0; at < sizeof data; at += len, i++) {
        len = i * 37 % 201;
        if (len > sizeof data - at)
            len = sizeof data - at;
        SHA1Update(&c, data + at, len);
    }
    print_string(SHA1End(&c, text), 0);

    for (i = 0; i < 5; i++)
        state[i] = (uint32_t)i * 0x12345678;
    SHA1Transform(state, data);
    SHA1Transform(state, data + 1);
    for (i = 0; i < 5; i++)
        printf("%08lx\n", (unsigned long)state[i]);

    print_string(SHA1File(argv[1], text), 0);
    print_string(SHA1File(argv[1], NULL), 1);
    putchar('\n');
    for (i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (at = 0; at < sizeof places / sizeof places[0]; at++)
            print_string(SHA1FileChunk(argv[1], text, places[i], places[at]), 0);
        putchar('\n');
    }
    errno = 0;
    print_string(SHA1File("/no/such/file", text), 0);
    printf("%d ", errno == ENOENT);
    print_string(SHA1File("/", text), 0);
    printf("%d %d\n", errno == EISDIR, sha1_final());
    return 0;
}
