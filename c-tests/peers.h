/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The reference implementations, opened at run time with RTLD_LOCAL: their
 * functions never mix with the ones that the including program links to.
 *
 *   peer_sym("git", "blk_SHA1_Init")     any function of a peer, NULL if the peer or
 *                                        the function is not here
 *   peer_sha1("nettle", data, len, out)  one-shot: 0, or -1 if the peer is not here
 *   peer_count(), peer_name(i)           all peers, each good for peer_sha1
 *
 * The system's libraries are found by SONAME, the libpeer_*.so of scripts/peers.sh
 * in the directory that the environment variable SHAONE_PEERS names.
 * Everything is static; link with -ldl where libc does not have dlopen.
 */
#ifndef SHAONE_TESTS_PEERS_H
#define SHAONE_TESTS_PEERS_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __GNUC__
#define PEER_STATIC static __attribute__((unused))
#else
#define PEER_STATIC static
#endif

struct peer {
    const char *name;
    const char *sonames[5]; /* NULL first: ours, libpeer_<name>.so */
};

static const struct peer peer_list[] = {
    {"git", {NULL}},
    {"gnulib", {NULL}},
    {"libiberty", {NULL}},
    {"sha1dc", {NULL}},
    {"openssl", {"libcrypto.so.4", "libcrypto.so.3", "libcrypto.so.1.1"}},
    {"nettle", {"libnettle.so.8", "libnettle.so.7", "libnettle.so.6"}},
    {"gcrypt", {"libgcrypt.so.20"}},
    {"md", {"libmd.so.0"}},
    {"mbedtls", {"libmbedcrypto.so.16", "libmbedcrypto.so.7", "libmbedcrypto.so.3"}},
};

PEER_STATIC size_t peer_count(void)
{
    return sizeof peer_list / sizeof peer_list[0];
}

PEER_STATIC const char *peer_name(size_t i)
{
    return i < peer_count() ? peer_list[i].name : NULL;
}

PEER_STATIC void *peer_dlopen(const struct peer *p)
{
    void *handle = NULL;
    size_t k;
    if (p->sonames[0] == NULL) {
        const char *dir = getenv("SHAONE_PEERS");
        char path[4096];
        int n = dir ? snprintf(path, sizeof path, "%s/libpeer_%s.so", dir, p->name) : -1;
        return n < 0 || (size_t)n >= sizeof path ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    for (k = 0; handle == NULL && p->sonames[k] != NULL; k++)
        handle = dlopen(p->sonames[k], RTLD_NOW | RTLD_LOCAL);
    return handle;
}

/* Handles are kept: to look for a library anew would cost more than its SHA-1.
 * Atomics, so that tests with threads need no setup (two that meet open it twice). */
PEER_STATIC void *peer_open(const char *name)
{
    static void *handles[sizeof peer_list / sizeof peer_list[0]];
    size_t i;
    for (i = 0; i < peer_count(); i++) {
        void *handle;
        if (strcmp(peer_list[i].name, name) != 0)
            continue;
        handle = __atomic_load_n(&handles[i], __ATOMIC_ACQUIRE);
        if (handle == NULL) {
            handle = peer_dlopen(&peer_list[i]);
            __atomic_store_n(&handles[i], handle, __ATOMIC_RELEASE);
        }
        return handle;
    }
    return NULL;
}

PEER_STATIC void *peer_sym(const char *peer, const char *symbol)
{
    void *handle = peer_open(peer);
    return handle ? dlsym(handle, symbol) : NULL;
}

/* ISO C has no conversion from an object pointer to a function pointer, dlsym
 * needs one: copied by bytes, it is right under -Wpedantic too. */
PEER_STATIC int peer_bind(void *function, const char *peer, const char *symbol)
{
    void *found = peer_sym(peer, symbol);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

PEER_STATIC int peer_sha1(const char *peer, const void *data, size_t len, unsigned char out[20])
{
    /* Larger than any peer's context: sha1dc's has 2400 bytes. */
    union {
        uint64_t align;
        unsigned char bytes[4096];
    } ctx;

    if (strcmp(peer, "git") == 0) {
        void (*init)(void *);
        void (*update)(void *, const void *, size_t);
        void (*final)(unsigned char *, void *);
        if (!peer_bind(&init, peer, "blk_SHA1_Init") ||
            !peer_bind(&update, peer, "blk_SHA1_Update") ||
            !peer_bind(&final, peer, "blk_SHA1_Final"))
            return -1;
        init(&ctx);
        update(&ctx, data, len);
        final(out, &ctx);
        return 0;
    }
    if (strcmp(peer, "gnulib") == 0 || strcmp(peer, "libiberty") == 0) {
        void *(*buffer)(const char *, size_t, void *);
        if (!peer_bind(&buffer, peer, "sha1_buffer"))
            return -1;
        buffer((const char *)data, len, out);
        return 0;
    }
    if (strcmp(peer, "sha1dc") == 0) {
        void (*init)(void *);
        void (*set_safe_hash)(void *, int);
        void (*update)(void *, const char *, size_t);
        int (*final)(unsigned char *, void *);
        if (!peer_bind(&init, peer, "SHA1DCInit") ||
            !peer_bind(&set_safe_hash, peer, "SHA1DCSetSafeHash") ||
            !peer_bind(&update, peer, "SHA1DCUpdate") ||
            !peer_bind(&final, peer, "SHA1DCFinal"))
            return -1;
        init(&ctx);
        set_safe_hash(&ctx, 0); /* plain SHA-1 of attacked messages too */
        update(&ctx, (const char *)data, len);
        final(out, &ctx);
        return 0;
    }
    if (strcmp(peer, "openssl") == 0) {
        int (*init)(void *);
        int (*update)(void *, const void *, size_t);
        int (*final)(unsigned char *, void *);
        if (!peer_bind(&init, peer, "SHA1_Init") || !peer_bind(&update, peer, "SHA1_Update") ||
            !peer_bind(&final, peer, "SHA1_Final"))
            return -1;
        init(&ctx);
        update(&ctx, data, len);
        final(out, &ctx);
        return 0;
    }
    if (strcmp(peer, "nettle") == 0) {
        void (*init)(void *);
        void (*update)(void *, size_t, const uint8_t *);
        void (*digest)(void *, size_t, uint8_t *);
        if (!peer_bind(&init, peer, "nettle_sha1_init") ||
            !peer_bind(&update, peer, "nettle_sha1_update") ||
            !peer_bind(&digest, peer, "nettle_sha1_digest"))
            return -1;
        init(&ctx);
        update(&ctx, len, (const uint8_t *)data);
        digest(&ctx, 20, out);
        return 0;
    }
    if (strcmp(peer, "gcrypt") == 0) {
        const char *(*check_version)(const char *);
        void (*hash_buffer)(int, void *, const void *, size_t);
        if (!peer_bind(&check_version, peer, "gcry_check_version") ||
            !peer_bind(&hash_buffer, peer, "gcry_md_hash_buffer"))
            return -1;
        check_version(NULL); /* initialises the library */
        hash_buffer(2 /* GCRY_MD_SHA1 */, out, data, len);
        return 0;
    }
    if (strcmp(peer, "md") == 0) {
        void (*init)(void *);
        void (*update)(void *, const uint8_t *, size_t);
        void (*final)(uint8_t *, void *);
        if (!peer_bind(&init, peer, "SHA1Init") || !peer_bind(&update, peer, "SHA1Update") ||
            !peer_bind(&final, peer, "SHA1Final"))
            return -1;
        init(&ctx);
        update(&ctx, (const uint8_t *)data, len);
        final(out, &ctx);
        return 0;
    }
    if (strcmp(peer, "mbedtls") == 0) {
        int (*sha1)(const unsigned char *, size_t, unsigned char *);
        /* version 2 and version 3 */
        if (!peer_bind(&sha1, peer, "mbedtls_sha1_ret") && !peer_bind(&sha1, peer, "mbedtls_sha1"))
            return -1;
        return sha1((const unsigned char *)data, len, out) == 0 ? 0 : -1;
    }
    return -1;
}

#endif
