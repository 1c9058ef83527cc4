/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * For clang's MemorySanitizer, which does not see what the library writes, since that was
 * not compiled with it. In a program that is, each header of shaone includes this one, and
 * each function then tells the sanitizer what it has written. Not for direct use.
 *
 * There is no guard around it all: it serves each of the headers that was included before.
 */
#include <sanitizer/msan_interface.h>

#include "inline.h"

#if defined(SHAONE_H) && !defined(SHAONE_MSAN_NATIVE)
#define SHAONE_MSAN_NATIVE

SHAONE_INLINE void shaone_msan_init(shaone_ctx *ctx)
{
    shaone_init(ctx);
    __msan_unpoison(ctx, sizeof *ctx);
}

SHAONE_INLINE void shaone_msan_final(unsigned char digest[20], shaone_ctx *ctx)
{
    shaone_final(digest, ctx);
    __msan_unpoison(digest, 20);
}

SHAONE_INLINE void shaone_msan_peek(unsigned char digest[20], const shaone_ctx *ctx)
{
    shaone_peek(digest, ctx);
    __msan_unpoison(digest, 20);
}

SHAONE_INLINE void shaone_msan_digest(const void *data, size_t len, unsigned char digest[20])
{
    shaone_digest(data, len, digest);
    __msan_unpoison(digest, 20);
}

SHAONE_INLINE int shaone_msan_digest_fd(int fd, unsigned char digest[20])
{
    int status = shaone_digest_fd(fd, digest);
    if (status == 0)
        __msan_unpoison(digest, 20);
    return status;
}

SHAONE_INLINE void shaone_msan_checked_init(shaone_checked_ctx *ctx)
{
    shaone_checked_init(ctx);
    __msan_unpoison(ctx, sizeof *ctx);
}

SHAONE_INLINE int shaone_msan_checked_final(unsigned char digest[20], shaone_checked_ctx *ctx)
{
    int found = shaone_checked_final(digest, ctx);
    __msan_unpoison(digest, 20);
    return found;
}

SHAONE_INLINE int shaone_msan_checked_digest(const void *data, size_t len, unsigned char digest[20])
{
    int found = shaone_checked_digest(data, len, digest);
    __msan_unpoison(digest, 20);
    return found;
}

SHAONE_INLINE void shaone_msan_digest_many(size_t n, const void *const data[], const size_t len[],
                                           unsigned char digests[][20])
{
    shaone_digest_many(n, data, len, digests);
    __msan_unpoison(digests, n * 20);
}

SHAONE_INLINE size_t shaone_msan_pieces(const void *data, size_t len, size_t piece_len,
                                        unsigned char digests[][20])
{
    size_t pieces = shaone_pieces(data, len, piece_len, digests);
    __msan_unpoison(digests, pieces * 20);
    return pieces;
}

SHAONE_INLINE void shaone_msan_final_many(size_t n, unsigned char digests[][20], shaone_ctx *const ctx[])
{
    shaone_final_many(n, digests, ctx);
    __msan_unpoison(digests, n * 20);
}

SHAONE_INLINE size_t shaone_msan_checked_digest_many(size_t n, const void *const data[], const size_t len[],
                                                     unsigned char digests[][20], unsigned char found[])
{
    size_t attacks = shaone_checked_digest_many(n, data, len, digests, found);
    __msan_unpoison(digests, n * 20);
    __msan_unpoison(found, n);
    return attacks;
}

#define shaone_init shaone_msan_init
#define shaone_final shaone_msan_final
#define shaone_peek shaone_msan_peek
#define shaone_digest shaone_msan_digest
#define shaone_digest_fd shaone_msan_digest_fd
#define shaone_checked_init shaone_msan_checked_init
#define shaone_checked_final shaone_msan_checked_final
#define shaone_checked_digest shaone_msan_checked_digest
#define shaone_digest_many shaone_msan_digest_many
#define shaone_pieces shaone_msan_pieces
#define shaone_final_many shaone_msan_final_many
#define shaone_checked_digest_many shaone_msan_checked_digest_many
#ifdef SHAONE_SHORT_NAMES
#define sha1_init shaone_msan_init
#define sha1_final shaone_msan_final
#endif
#endif /* SHAONE_H */

#if defined(SHAONE_COMPAT_GIT_BLOCK_SHA1_H) && !defined(SHAONE_MSAN_GIT)
#define SHAONE_MSAN_GIT

SHAONE_INLINE void shaone_msan_blk_init(blk_SHA_CTX *ctx)
{
    blk_SHA1_Init(ctx);
    __msan_unpoison(ctx, sizeof *ctx);
}

SHAONE_INLINE void shaone_msan_blk_final(unsigned char digest[20], blk_SHA_CTX *ctx)
{
    blk_SHA1_Final(digest, ctx);
    __msan_unpoison(digest, 20);
}

#define blk_SHA1_Init shaone_msan_blk_init
#define blk_SHA1_Final shaone_msan_blk_final
#endif /* SHAONE_COMPAT_GIT_BLOCK_SHA1_H */

#if (defined(SHAONE_COMPAT_GNULIB_SHA1_H) || defined(SHAONE_COMPAT_LIBIBERTY_SHA1_H)) && \
    !defined(SHAONE_MSAN_GNULIB)
#define SHAONE_MSAN_GNULIB

SHAONE_INLINE void shaone_msan_init_ctx(struct sha1_ctx *ctx)
{
    sha1_init_ctx(ctx);
    __msan_unpoison(ctx, sizeof *ctx);
}

SHAONE_INLINE void *shaone_msan_finish_ctx(struct sha1_ctx *ctx, void *digest)
{
    void *result = sha1_finish_ctx(ctx, digest);
    __msan_unpoison(digest, 20);
    return result;
}

SHAONE_INLINE void *shaone_msan_read_ctx(const struct sha1_ctx *ctx, void *digest)
{
    void *result = sha1_read_ctx(ctx, digest);
    __msan_unpoison(digest, 20);
    return result;
}

SHAONE_INLINE void *shaone_msan_buffer(const void *data, size_t len, void *digest)
{
    void *result = sha1_buffer(data, len, digest);
    __msan_unpoison(digest, 20);
    return result;
}

SHAONE_INLINE int shaone_msan_stream(FILE *stream, void *digest)
{
    int status = sha1_stream(stream, digest);
    if (status == 0)
        __msan_unpoison(digest, 20);
    return status;
}

SHAONE_INLINE int shaone_msan_hmac(const void *key, size_t key_len, const void *data, size_t len, void *digest)
{
    int status = hmac_sha1(key, key_len, data, len, digest);
    __msan_unpoison(digest, 20);
    return status;
}

#define sha1_init_ctx shaone_msan_init_ctx
#define sha1_finish_ctx shaone_msan_finish_ctx
#define sha1_read_ctx shaone_msan_read_ctx
#define sha1_buffer shaone_msan_buffer
#define sha1_stream shaone_msan_stream
#define hmac_sha1 shaone_msan_hmac
#endif /* SHAONE_COMPAT_GNULIB_SHA1_H, SHAONE_COMPAT_LIBIBERTY_SHA1_H */

#if defined(SHAONE_COMPAT_SHA1DC_SHA1_H) && !defined(SHAONE_MSAN_SHA1DC)
#define SHAONE_MSAN_SHA1DC

SHAONE_INLINE void shaone_msan_dc_init(SHA1_CTX *ctx)
{
    SHA1DCInit(ctx);
    __msan_unpoison(ctx, sizeof *ctx);
}

SHAONE_INLINE int shaone_msan_dc_final(unsigned char digest[20], SHA1_CTX *ctx)
{
    int found = SHA1DCFinal(digest, ctx);
    __msan_unpoison(digest, 20);
    return found;
}

#define SHA1DCInit shaone_msan_dc_init
#define SHA1DCFinal shaone_msan_dc_final
#endif /* SHAONE_COMPAT_SHA1DC_SHA1_H */
