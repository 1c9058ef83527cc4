/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The sha1.h of the BSDs and of libmd on shaone.
 *
 * The context is theirs, field for field. All functions are static inline, so that
 * they clash with nothing. Those that return char * return it with 40 hexadecimal
 * digits and a NUL: the 41 bytes at buf or, when that is NULL, memory to be freed
 * by the caller; or NULL with errno.
 */
#ifndef SHAONE_COMPAT_LIBMD_SHA1_H
#define SHAONE_COMPAT_LIBMD_SHA1_H

#include <sys/types.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* git's names for the three steps are the ones that a program is least likely to
 * have for functions of its own, as with sha1_update. */
#include "../git/block-sha1/sha1.h"
#include "../../inline.h"

#define SHA1_BLOCK_LENGTH 64
#define SHA1_DIGEST_LENGTH 20
#define SHA1_DIGEST_STRING_LENGTH (SHA1_DIGEST_LENGTH * 2 + 1)

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* The chaining value. */
    uint32_t state[5];
    /* Bits hashed so far. */
    uint64_t count;
    /* The last count / 8 % 64 bytes, not yet compressed. */
    uint8_t buffer[SHA1_BLOCK_LENGTH];
} SHA1_CTX;

/* Compress whole blocks, of which the length is not counted. */
SHAONE_INLINE void shaone_libmd_blocks(uint32_t state[5], const void *data, size_t len)
{
    blk_SHA_CTX ctx;

    ctx.size = 0;
    memcpy(ctx.H, state, sizeof ctx.H);
    blk_SHA1_Update(&ctx, data, len);
    memcpy(state, ctx.H, sizeof ctx.H);
}

SHAONE_INLINE void SHA1Init(SHA1_CTX *context)
{
    blk_SHA_CTX ctx;

    blk_SHA1_Init(&ctx);
    memcpy(context->state, ctx.H, sizeof ctx.H);
    context->count = 0;
}

SHAONE_INLINE void SHA1Transform(uint32_t state[5], const uint8_t buffer[SHA1_BLOCK_LENGTH])
{
    shaone_libmd_blocks(state, buffer, SHA1_BLOCK_LENGTH);
}

SHAONE_INLINE void SHA1Update(SHA1_CTX *context, const uint8_t *data, size_t len)
{
    size_t have = (size_t)(context->count / 8 % SHA1_BLOCK_LENGTH), piece;

    if (len == 0)
        return;
    context->count += (uint64_t)len * 8;
    if (have != 0) {
        piece = SHA1_BLOCK_LENGTH - have < len ? SHA1_BLOCK_LENGTH - have : len;
        memcpy(context->buffer + have, data, piece);
        data += piece;
        len -= piece;
        if (have + piece < SHA1_BLOCK_LENGTH)
            return;
        shaone_libmd_blocks(context->state, context->buffer, SHA1_BLOCK_LENGTH);
    }
    piece = len - len % SHA1_BLOCK_LENGTH;
    if (piece != 0)
        shaone_libmd_blocks(context->state, data, piece);
    if (len != piece)
        memcpy(context->buffer, data + piece, len - piece);
}

/* Hash the padding: then state is the digest. */
SHAONE_INLINE void SHA1Pad(SHA1_CTX *context)
{
    static const uint8_t padding[SHA1_BLOCK_LENGTH] = {0x80};
    size_t have = (size_t)(context->count / 8 % SHA1_BLOCK_LENGTH);
    uint64_t bits = context->count;
    uint8_t length[8];
    int i;

    for (i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    SHA1Update(context, padding, have < 56 ? 56 - have : 120 - have);
    SHA1Update(context, length, sizeof length);
}

/* Write the digest, and leave nothing of the message. */
SHAONE_INLINE void SHA1Final(uint8_t digest[SHA1_DIGEST_LENGTH], SHA1_CTX *context)
{
    int i;

    SHA1Pad(context);
    for (i = 0; i < SHA1_DIGEST_LENGTH; i++)
        digest[i] = (uint8_t)(context->state[i / 4] >> (24 - 8 * (i % 4)));
    memset(context, 0, sizeof *context);
}

SHAONE_INLINE char *SHA1End(SHA1_CTX *context, char *buf)
{
    uint8_t digest[SHA1_DIGEST_LENGTH];
    int i;

    if (buf == NULL)
        buf = (char *)malloc(SHA1_DIGEST_STRING_LENGTH);
    if (buf == NULL)
        return NULL;
    SHA1Final(digest, context);
    for (i = 0; i < SHA1_DIGEST_LENGTH; i++) {
        buf[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        buf[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    buf[2 * i] = '\0';
    return buf;
}

/* Hash the len bytes of a file from offset off on, or as many as there are; all
 * that follow when len is 0. */
SHAONE_INLINE char *SHA1FileChunk(const char *filename, char *buf, off_t off, off_t len)
{
    uint8_t piece[16384];
    SHA1_CTX context;
    int fd = open(filename, O_RDONLY), error;
    ssize_t got;

    if (fd < 0)
        return NULL;
    SHA1Init(&context);
    got = off > 0 && lseek(fd, off, SEEK_SET) < 0 ? -1 : 1;
    while (got > 0) {
        size_t want = len > 0 && len < (off_t)sizeof piece ? (size_t)len : sizeof piece;

        got = read(fd, piece, want);
        if (got < 0 && errno == EINTR) {
            got = 1;
            continue;
        }
        if (got <= 0)
            break;
        SHA1Update(&context, piece, (size_t)got);
        if (len > 0 && (len -= got) == 0)
            break;
    }
    error = errno;
    (void)close(fd);
    errno = error;
    return got < 0 ? NULL : SHA1End(&context, buf);
}

SHAONE_INLINE char *SHA1File(const char *filename, char *buf)
{
    return SHA1FileChunk(filename, buf, 0, 0);
}

SHAONE_INLINE char *SHA1Data(const uint8_t *data, size_t len, char *buf)
{
    SHA1_CTX context;

    SHA1Init(&context);
    SHA1Update(&context, data, len);
    return SHA1End(&context, buf);
}

#ifdef __cplusplus
}
#endif

#endif /* SHAONE_COMPAT_LIBMD_SHA1_H */
