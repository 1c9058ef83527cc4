/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A program as they were written for OpenSSL's low-level SHA-1, with functions of
 * its own that have names of ours. Compiled with -DREAL, the header is OpenSSL's;
 * nothing else differs, and the output must not either.
 */
#ifdef REAL
#define OPENSSL_SUPPRESS_DEPRECATED
#endif
#include <openssl/sha.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char data[5000];

static void sha1_init(SHA_CTX *c)
{
    if (SHA1_Init(c) != 1)
        exit(2);
}

void sha1_update(SHA_CTX *c, const void *p, size_t len);
void sha1_update(SHA_CTX *c, const void *p, size_t len)
{
    if (SHA1_Update(c, p, len) != 1)
        exit(2);
}

static void print(const unsigned char md[SHA_DIGEST_LENGTH])
{
    int i;

    for (i = 0; i < SHA_DIGEST_LENGTH; i++)
        printf("%02x", md[i]);
    putchar(' ');
}

/* All of a context that tells of the hash. */
static void print_context(const SHA_CTX *c)
{
    const unsigned char *waiting = (const unsigned char *)c->data;
    unsigned int i;

    printf("%08x %08x %08x %08x %08x %u %u %u ", c->h0, c->h1, c->h2, c->h3, c->h4, c->Nl, c->Nh, c->num);
    for (i = 0; i < c->num; i++)
        printf("%02x", waiting[i]);
    putchar('\n');
}

/* HMAC of old, which keeps the inner context and copies it for each message. */
static void hmac(const SHA_CTX *inner, const SHA_CTX *outer, const void *p, size_t len, unsigned char *md)
{
    SHA_CTX c = *inner;

    sha1_update(&c, p, len);
    SHA1_Final(md, &c);
    memcpy(&c, outer, sizeof c);
    sha1_update(&c, md, SHA_DIGEST_LENGTH);
    SHA1_Final(md, &c);
}

int main(void)
{
    unsigned char md[SHA_DIGEST_LENGTH + 1], pad[SHA_CBLOCK];
    SHA_CTX c, inner, outer;
    size_t i, at, len;

    printf("%d %d %d %d %lu %lu %lu %lu\n", SHA_DIGEST_LENGTH, SHA_LBLOCK, SHA_CBLOCK, SHA_LAST_BLOCK,
           (unsigned long)sizeof c, (unsigned long)offsetof(SHA_CTX, Nl),
           (unsigned long)offsetof(SHA_CTX, data), (unsigned long)offsetof(SHA_CTX, num));
    for (i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 167 >> 3);

    for (len = 0; len <= 300; len++) {
        printf("%lu ", (unsigned long)len);
        print(SHA1(data, len, md + 1));
        print(SHA1(data, len, NULL));
        putchar('\n');
        for (at = 0; at <= len; at += 11) {
            sha1_init(&c);
            sha1_update(&c, data, at);
            print_context(&c);
            sha1_update(&c, data + at, len - at);
            print_context(&c);
            SHA1_Final(md, &c);
            print(md);
            print_context(&c);
        }
    }

    sha1_init(&c);
    for (at = i = 0; at < sizeof data; at += len, i++) {
        len = i * 37 % 201;
        if (len > sizeof data - at)
            len = sizeof data - at;
        sha1_update(&c, data + at, len);
    }
    sha1_update(&c, NULL, 0);
    SHA1_Final(md, &c);
    print(md);

    sha1_init(&c);
    SHA1_Transform(&c, data);
    SHA1_Transform(&c, data + 1);
    print_context(&c);
    c.Nl = 0xfffffe00;
    c.Nh = 7;
    sha1_update(&c, data, 300);
    print_context(&c);

    sha1_init(&inner);
    sha1_init(&outer);
    memset(pad, 0x36 ^ 'k', sizeof pad);
    sha1_update(&inner, pad, sizeof pad);
    memset(pad, 0x5c ^ 'k', sizeof pad);
    sha1_update(&outer, pad, sizeof pad);
    for (len = 0; len < 200; len += 13) {
        hmac(&inner, &outer, data, len, md);
        print(md);
    }
    putchar('\n');
    return 0;
}
