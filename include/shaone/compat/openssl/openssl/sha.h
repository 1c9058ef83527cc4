/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * OpenSSL's low-level SHA-1 (openssl/sha.h) on shaone, for programs that have used
 * it and need no more of OpenSSL. SHA-1 only.
 *
 * The context is OpenSSL's own, field for field. All functions are static inline,
 * so that they clash with nothing, also in a program that is linked to libcrypto
 * for other things. Those that return int return 1.
 */
#ifndef SHAONE_COMPAT_OPENSSL_SHA_H
#define SHAONE_COMPAT_OPENSSL_SHA_H

#include <stddef.h>
#include <string.h>

/* git's names for the three steps are the ones that a program is least likely to
 * have for functions of its own, as with sha1_update. Its aliases would make git
 * pass by the functions below. */
#ifndef platform_SHA_CTX
#define platform_SHA_CTX
#include "../../git/block-sha1/sha1.h"
#undef platform_SHA_CTX
#else
#include "../../git/block-sha1/sha1.h"
#endif
#include "../../../inline.h"

#define SHA_LONG unsigned int
#define SHA_LBLOCK 16
#define SHA_CBLOCK (SHA_LBLOCK * 4)
#define SHA_LAST_BLOCK (SHA_CBLOCK - 8)
#define SHA_DIGEST_LENGTH 20

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SHAstate_st {
    /* The chaining value. */
    SHA_LONG h0, h1, h2, h3, h4;
    /* Bits hashed so far: the low word, then the high one. */
    SHA_LONG Nl, Nh;
    /* The last num bytes, not yet compressed, as they came. */
    SHA_LONG data[SHA_LBLOCK];
    unsigned int num;
} SHA_CTX;

/* The same computation, but for what waits in c->data. */
SHAONE_INLINE blk_SHA_CTX shaone_openssl_load(const SHA_CTX *c)
{
    blk_SHA_CTX ctx;

    ctx.size = ((shaone_ulonglong)c->Nh << 32 | c->Nl) / 8 - c->num;
    ctx.H[0] = c->h0;
    ctx.H[1] = c->h1;
    ctx.H[2] = c->h2;
    ctx.H[3] = c->h3;
    ctx.H[4] = c->h4;
    return ctx;
}

SHAONE_INLINE void shaone_openssl_store(SHA_CTX *c, const blk_SHA_CTX *ctx)
{
    c->h0 = ctx->H[0];
    c->h1 = ctx->H[1];
    c->h2 = ctx->H[2];
    c->h3 = ctx->H[3];
    c->h4 = ctx->H[4];
}

/* Compress whole blocks, of which the length is not counted. */
SHAONE_INLINE void shaone_openssl_blocks(SHA_CTX *c, const void *data, size_t len)
{
    blk_SHA_CTX ctx = shaone_openssl_load(c);

    ctx.size = 0;
    blk_SHA1_Update(&ctx, data, len);
    shaone_openssl_store(c, &ctx);
}

SHAONE_INLINE int SHA1_Init(SHA_CTX *c)
{
    blk_SHA_CTX ctx;

    blk_SHA1_Init(&ctx);
    memset(c, 0, sizeof *c);
    shaone_openssl_store(c, &ctx);
    return 1;
}

SHAONE_INLINE int SHA1_Update(SHA_CTX *c, const void *data, size_t len)
{
    const unsigned char *p = (const unsigned char *)data;
    shaone_ulonglong bits = ((shaone_ulonglong)c->Nh << 32 | c->Nl) + (shaone_ulonglong)len * 8;
    size_t piece;

    if (len == 0)
        return 1;
    c->Nl = (SHA_LONG)bits;
    c->Nh = (SHA_LONG)(bits >> 32);
    if (c->num != 0) {
        piece = SHA_CBLOCK - c->num < len ? SHA_CBLOCK - c->num : len;
        memcpy((unsigned char *)c->data + c->num, p, piece);
        c->num += (unsigned int)piece;
        p += piece;
        len -= piece;
        if (c->num < SHA_CBLOCK)
            return 1;
        shaone_openssl_blocks(c, c->data, SHA_CBLOCK);
        c->num = 0;
    }
    piece = len - len % SHA_CBLOCK;
    if (piece != 0)
        shaone_openssl_blocks(c, p, piece);
    if (len != piece)
        memcpy(c->data, p + piece, len - piece);
    c->num = (unsigned int)(len - piece);
    return 1;
}

SHAONE_INLINE void SHA1_Transform(SHA_CTX *c, const unsigned char *data)
{
    shaone_openssl_blocks(c, data, SHA_CBLOCK);
}

/* Afterwards h0 to h4 are the digest, and nothing is left of the message. */
SHAONE_INLINE int SHA1_Final(unsigned char *md, SHA_CTX *c)
{
    blk_SHA_CTX ctx = shaone_openssl_load(c);
    SHA_LONG h[5];
    int i;

    blk_SHA1_Update(&ctx, c->data, c->num);
    blk_SHA1_Final(md, &ctx);
    for (i = 0; i < 5; i++)
        h[i] = (SHA_LONG)md[4 * i] << 24 | (SHA_LONG)md[4 * i + 1] << 16 |
               (SHA_LONG)md[4 * i + 2] << 8 | (SHA_LONG)md[4 * i + 3];
    c->h0 = h[0];
    c->h1 = h[1];
    c->h2 = h[2];
    c->h3 = h[3];
    c->h4 = h[4];
    memset(c->data, 0, sizeof c->data);
    c->num = 0;
    return 1;
}

/* Returns md; or, when that is NULL, a buffer that the next such call in the same
 * source file overwrites. */
SHAONE_INLINE unsigned char *SHA1(const unsigned char *d, size_t n, unsigned char *md)
{
    static unsigned char buffer[SHA_DIGEST_LENGTH];
    blk_SHA_CTX ctx;

    if (md == NULL)
        md = buffer;
    blk_SHA1_Init(&ctx);
    blk_SHA1_Update(&ctx, d, n);
    blk_SHA1_Final(md, &ctx);
    return md;
}

#ifdef __cplusplus
}
#endif

#endif /* SHAONE_COMPAT_OPENSSL_SHA_H */
