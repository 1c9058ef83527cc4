/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* OpenSSL's functions, which are in a header only, as functions that a target can call. */

#include <shaone/compat/openssl/openssl/sha.h>

void shim_openssl_init(SHA_CTX *ctx)
{
    SHA1_Init(ctx);
}

void shim_openssl_update(SHA_CTX *ctx, const void *data, size_t len)
{
    SHA1_Update(ctx, data, len);
}

void shim_openssl_final(unsigned char *digest, SHA_CTX *ctx)
{
    SHA1_Final(digest, ctx);
}
