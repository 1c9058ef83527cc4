/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* gnulib's crypto/sha1 and crypto/hmac-sha1. */
#define _GNU_SOURCE /* fopencookie */
#include "sha1.h"

#include "hmac.h"

#define PEER "gnulib"
#define PEER_STREAM_IS_OLD 0
#include "sha1_ctx.h"

static void hmac_is(const void *key, size_t keylen, const void *in, size_t inlen, const char *hex)
{
    unsigned char got[20];
    CHECK(hmac_sha1(key, keylen, in, inlen, got) == 0, "returns 0");
    CHECK(same_digest(got, hex), "%s", test_hex(got));
}

/* RFC 2202, section 3. */
static void test_hmac_known(void)
{
    static const char jefe[] = "what do ya want for nothing?";
    static const char block[] = "Test Using Larger Than Block-Size Key - Hash Key First";
    unsigned char key[80];

    memset(key, 0x0b, sizeof key);
    hmac_is(key, 20, "Hi There", 8, "b617318655057264e28bc0b6fb378c8ef146be00");
    hmac_is("Jefe", 4, jefe, strlen(jefe), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    memset(key, 0xaa, sizeof key);
    hmac_is(key, 80, block, strlen(block), "aa4ae5e15272d00e95705637ce8a3b55ed402112");
    hmac_is(NULL, 0, NULL, 0, "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d");
}

static void test_hmac_peers(void)
{
    int (*gnulib)(const void *, size_t, const void *, size_t, void *);
    const void *(*sha1)(void);
    unsigned char *(*openssl)(const void *, const void *, int, const unsigned char *, size_t, unsigned char *,
                              unsigned *);
    int have_gnulib = peer_bind(&gnulib, "gnulib", "hmac_sha1");
    int have_openssl = peer_bind(&sha1, "openssl", "EVP_sha1") && peer_bind(&openssl, "openssl", "HMAC");
    struct guarded key = guarded_new(1), in = guarded_new(1), out = guarded_new(1);
    size_t keylen;

    if (!have_gnulib)
        printf("not run: peer gnulib: hmac_sha1\n");
    if (!have_openssl)
        printf("not run: peer openssl: HMAC\n");
    test_fill(key.start, (size_t)(key.end - key.start));
    test_fill(in.start, (size_t)(in.end - in.start));
    for (keylen = 0; keylen <= 200; keylen++) {
        static const size_t inlens[] = {0, 1, 43, 44, 55, 56, 63, 64, 65, 200, 1000};
        size_t k;
        for (k = 0; k < sizeof inlens / sizeof inlens[0]; k += test_quick() ? 5 : 1) {
            const unsigned char *key_at = key.end - keylen, *in_at = in.end - inlens[k];
            unsigned char want[20], over[1024], *got = k % 2 ? out.end - 20 : out.start;
            CHECK(hmac_sha1(key_at, keylen, in_at, inlens[k], got) == 0, "returns 0");
            if (have_gnulib) {
                gnulib(key_at, keylen, in_at, inlens[k], want);
                CHECK(memcmp(want, got, 20) == 0, "gnulib: key %zu, in %zu", keylen, inlens[k]);
            }
            if (have_openssl) {
                openssl(sha1(), key_at, (int)keylen, in_at, inlens[k], want, NULL);
                CHECK(memcmp(want, got, 20) == 0, "openssl: key %zu, in %zu", keylen, inlens[k]);
            }
            /* The result over the input, and over the key. */
            memcpy(over, in_at, inlens[k]);
            hmac_sha1(key_at, keylen, over, inlens[k], over + inlens[k] / 2);
            CHECK(memcmp(got, over + inlens[k] / 2, 20) == 0, "over the input: key %zu, in %zu", keylen, inlens[k]);
            memcpy(over, key_at, keylen);
            hmac_sha1(over, keylen, in_at, inlens[k], over + keylen / 2);
            CHECK(memcmp(got, over + keylen / 2, 20) == 0, "over the key: key %zu, in %zu", keylen, inlens[k]);
        }
    }
    guarded_free(key);
    guarded_free(in);
    guarded_free(out);
}

int main(void)
{
    sha1_ctx_tests();
    test_hmac_known();
    test_hmac_peers();
    return test_end("gnulib");
}
