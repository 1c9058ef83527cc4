/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A program with functions of its own that have names of ours: it links, keeps
 * its own, and what it uses of ours does not call them either.
 */
#include "block-sha1/sha1.h"
#include "test.h"

/* Of ours, declared here because their headers clash with the program's own. */
void shaone_digest(const void *data, size_t len, unsigned char digest[20]);
int shaone_digest_fd(int fd, unsigned char digest[20]);
int hmac_sha1(const void *key, size_t keylen, const void *in, size_t inlen, void *resbuf)
    SHAONE_SYMBOL(shaone_hmac_sha1);
int sha1_stream(FILE *stream, void *resblock) SHAONE_SYMBOL(shaone_sha1_stream);

/* The program's own, with other types than ours. */
struct own {
    int calls;
};
int sha1_init(struct own *own);
int sha1_update(struct own *own, int more);
int sha1_final(struct own *own);
void sha1_init_ctx(void *ctx);
void sha1_process_bytes(const void *buffer, size_t len, void *ctx);
void sha1_process_block(const void *buffer, size_t len, void *ctx);
void *sha1_finish_ctx(void *ctx, void *result);
void *sha1_read_ctx(const void *ctx, void *result);
void *sha1_buffer(const void *buffer, size_t len, void *result);
uint32_t get_be32(const void *p);
void put_be32(void *p, uint32_t value);

static int trespasses;

int sha1_init(struct own *own)
{
    own->calls = 1;
    return 42;
}

int sha1_update(struct own *own, int more)
{
    return own->calls += more;
}

int sha1_final(struct own *own)
{
    return own->calls + 1;
}

void sha1_init_ctx(void *ctx)
{
    (void)ctx;
    trespasses++;
}

void sha1_process_bytes(const void *buffer, size_t len, void *ctx)
{
    (void)buffer, (void)len, (void)ctx;
    trespasses++;
}

void sha1_process_block(const void *buffer, size_t len, void *ctx)
{
    (void)buffer, (void)len, (void)ctx;
    trespasses++;
}

void *sha1_finish_ctx(void *ctx, void *result)
{
    (void)ctx;
    trespasses++;
    return result;
}

void *sha1_read_ctx(const void *ctx, void *result)
{
    (void)ctx;
    trespasses++;
    return result;
}

void *sha1_buffer(const void *buffer, size_t len, void *result)
{
    (void)buffer, (void)len;
    trespasses++;
    return result;
}

uint32_t get_be32(const void *p)
{
    (void)p;
    trespasses++;
    return 0;
}

void put_be32(void *p, uint32_t value)
{
    (void)p, (void)value;
    trespasses++;
}

int main(void)
{
    static unsigned char data[100000];
    unsigned char want[20], got[20];
    struct own own;
    blk_SHA_CTX ctx;
    FILE *stream = tmpfile();

    CHECK(sha1_init(&own) == 42, "its own sha1_init");
    CHECK(sha1_update(&own, 5) == 6, "its own sha1_update");
    CHECK(sha1_final(&own) == 7, "its own sha1_final");

    test_fill(data, sizeof data);
    plain_sha1(data, sizeof data, want);
    blk_SHA1_Init(&ctx);
    blk_SHA1_Update(&ctx, data, 1000);
    blk_SHA1_Update(&ctx, data + 1000, sizeof data - 1000);
    blk_SHA1_Final(got, &ctx);
    CHECK(memcmp(want, got, 20) == 0, "blk_SHA1_*");
    shaone_digest(data, sizeof data, got);
    CHECK(memcmp(want, got, 20) == 0, "shaone_digest");

    REQUIRE(stream != NULL && fwrite(data, 1, sizeof data, stream) == sizeof data);
    rewind(stream);
    CHECK(sha1_stream(stream, got) == 0 && memcmp(want, got, 20) == 0, "sha1_stream");
    rewind(stream);
    CHECK(shaone_digest_fd(fileno(stream), got) == 0 && memcmp(want, got, 20) == 0, "shaone_digest_fd");
    fclose(stream);

    /* RFC 2202's, and one whose key is hashed first. */
    CHECK(hmac_sha1("Jefe", 4, "what do ya want for nothing?", 28, got) == 0, "hmac_sha1");
    CHECK(same_digest(got, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"), "hmac_sha1");
    memset(data, 0xaa, 80);
    hmac_sha1(data, 80, "Test Using Larger Than Block-Size Key - Hash Key First", 54, got);
    CHECK(same_digest(got, "aa4ae5e15272d00e95705637ce8a3b55ed402112"), "hmac_sha1");

    CHECK(trespasses == 0, "ours called the program's own functions, %d times", trespasses);
    return test_end("own_names");
}
