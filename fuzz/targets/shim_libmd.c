/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* libmd's functions, which are in a header only, as functions that a target can call. */

#include <shaone/compat/libmd/sha1.h>

void shim_md_init(SHA1_CTX *ctx)
{
    SHA1Init(ctx);
}

void shim_md_update(SHA1_CTX *ctx, const uint8_t *data, size_t len)
{
    SHA1Update(ctx, data, len);
}

void shim_md_final(uint8_t digest[SHA1_DIGEST_LENGTH], SHA1_CTX *ctx)
{
    SHA1Final(digest, ctx);
}
