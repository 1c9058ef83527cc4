/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What gnulib's and libiberty's sha1.h have in common. The including program
 * has included the one that it is about, and names the peer that must behave
 * in the same way: PEER. Its sha1_stream is compared on streams that have
 * failed or ended before where PEER_STREAM_IS_OLD is 0.
 */
#ifndef SHAONE_TESTS_SHA1_CTX_H
#define SHAONE_TESTS_SHA1_CTX_H

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "streams.h"

/* The same on all ABIs. */
_Static_assert(sizeof(struct sha1_ctx) == 160, "size");
_Static_assert(_Alignof(struct sha1_ctx) == 4, "alignment");
_Static_assert(offsetof(struct sha1_ctx, A) == 0, "A");
_Static_assert(offsetof(struct sha1_ctx, B) == 4, "B");
_Static_assert(offsetof(struct sha1_ctx, C) == 8, "C");
_Static_assert(offsetof(struct sha1_ctx, D) == 12, "D");
_Static_assert(offsetof(struct sha1_ctx, E) == 16, "E");
_Static_assert(offsetof(struct sha1_ctx, total) == 20, "total");
_Static_assert(offsetof(struct sha1_ctx, buflen) == 28, "buflen");
_Static_assert(offsetof(struct sha1_ctx, buffer) == 32, "buffer");
_Static_assert(sizeof(((struct sha1_ctx *)0)->buffer) == 128, "length of buffer");
_Static_assert(SHA1_DIGEST_SIZE == 20, "digest");

/* The peer's functions, each NULL if it is not here. */
static struct {
    void (*init_ctx)(struct sha1_ctx *);
    void (*process_block)(const void *, size_t, struct sha1_ctx *);
    void (*process_bytes)(const void *, size_t, struct sha1_ctx *);
    void *(*finish_ctx)(struct sha1_ctx *, void *);
    void *(*read_ctx)(const struct sha1_ctx *, void *);
    int (*stream)(FILE *, void *);
} peer;

static int have_peer(void)
{
    return peer_bind(&peer.init_ctx, PEER, "sha1_init_ctx") &&
           peer_bind(&peer.process_block, PEER, "sha1_process_block") &&
           peer_bind(&peer.process_bytes, PEER, "sha1_process_bytes") &&
           peer_bind(&peer.finish_ctx, PEER, "sha1_finish_ctx") &&
           peer_bind(&peer.read_ctx, PEER, "sha1_read_ctx") &&
           peer_bind(&peer.stream, PEER, "sha1_stream");
}

static void init(void *ctx)
{
    sha1_init_ctx(ctx);
}

static void update(void *ctx, const void *data, size_t len)
{
    sha1_process_bytes(data, len, ctx);
}

static void final(void *ctx, unsigned char *digest)
{
    void *result = sha1_finish_ctx(ctx, digest);
    CHECK(result == digest, "sha1_finish_ctx returns its argument");
}

static void digest(const void *data, size_t len, unsigned char *out)
{
    void *result = sha1_buffer(data, len, out);
    CHECK(result == out, "sha1_buffer returns its argument");
}

static uint64_t total_of(const struct sha1_ctx *ctx)
{
    return (uint64_t)ctx->total[1] << 32 | ctx->total[0];
}

static void set_total(struct sha1_ctx *ctx, uint64_t total)
{
    ctx->total[0] = (uint32_t)total;
    ctx->total[1] = (uint32_t)(total >> 32);
}

static int same_value(const struct sha1_ctx *a, const struct sha1_ctx *b)
{
    return a->A == b->A && a->B == b->B && a->C == b->C && a->D == b->D && a->E == b->E;
}

static int same(const struct sha1_ctx *a, const struct sha1_ctx *b)
{
    return same_value(a, b) && a->total[0] == b->total[0] && a->total[1] == b->total[1] &&
           a->buflen == b->buflen && memcmp(a->buffer, b->buffer, a->buflen) == 0;
}

/* --- habits, as the design of the API has them --- */

static void test_habits(void)
{
    static const char initial[] = "67452301efcdab8998badcfe10325476c3d2e1f0";
    unsigned char data[300], out[24], want[20];
    struct sha1_ctx ctx, before;
    size_t i;

    test_fill(data, sizeof data);
    for (i = 0; i < 4; i++) {
        memset(&ctx, 0, sizeof ctx); /* bytes that wait nowhere too, for memcmp */
        sha1_init_ctx(&ctx);
        CHECK(ctx.A == 0x67452301 && ctx.E == 0xc3d2e1f0 && ctx.buflen == 0 && total_of(&ctx) == 0,
              "after init");

        /* The raw chaining value, whatever waits; at any alignment. */
        sha1_process_bytes(data, 1, &ctx);
        memcpy(&before, &ctx, sizeof ctx);
        CHECK(sha1_read_ctx(&ctx, out + i) == out + i, "sha1_read_ctx returns its argument");
        CHECK(same_digest(out + i, initial), "%s", test_hex(out + i));
        CHECK(memcmp(&before, &ctx, sizeof ctx) == 0, "sha1_read_ctx changed the context");

        /* A block that is filled exactly waits; the next byte flushes it. */
        CHECK(ctx.buflen == 1 && total_of(&ctx) == 0, "1: buflen %u", ctx.buflen);
        sha1_process_bytes(data + 1, 63, &ctx);
        CHECK(ctx.buflen == 64 && total_of(&ctx) == 0 && ctx.A == 0x67452301, "1 + 63: buflen %u", ctx.buflen);
        sha1_process_bytes(data + 64, 0, &ctx);
        sha1_process_bytes(NULL, 0, &ctx);
        CHECK(ctx.buflen == 64 && total_of(&ctx) == 0, "1 + 63 + 0: buflen %u", ctx.buflen);
        sha1_process_bytes(data + 64, 1, &ctx);
        CHECK(ctx.buflen == 1 && total_of(&ctx) == 64 && ctx.A != 0x67452301, "1 + 63 + 1: buflen %u", ctx.buflen);

        /* After finish, sha1_read_ctx gives the digest again. */
        final(&ctx, out + i);
        plain_sha1(data, 65, want);
        CHECK(memcmp(out + i, want, 20) == 0, "65 bytes");
        memset(out, 0, sizeof out);
        sha1_read_ctx(&ctx, out + i);
        CHECK(memcmp(out + i, want, 20) == 0, "65 bytes, read again");

        /* A whole block in one call is hashed at once. */
        sha1_init_ctx(&ctx);
        sha1_process_bytes(data, 64, &ctx);
        CHECK(ctx.buflen == 0 && total_of(&ctx) == 64, "64: buflen %u", ctx.buflen);

        /* sha1_process_block is the same, and carries the count too. */
        sha1_init_ctx(&before);
        sha1_process_block(data, 64, &before);
        CHECK(same(&ctx, &before), "sha1_process_block of 64");
        sha1_process_block(data, 0, &before);
        sha1_process_block(NULL, 0, &before);
        CHECK(same(&ctx, &before), "sha1_process_block of nothing");
        set_total(&ctx, (UINT64_C(7) << 32) - 128);
        sha1_process_block(data, 128, &ctx);
        CHECK(ctx.total[0] == 0 && ctx.total[1] == 7, "carry in sha1_process_block: %x %x", ctx.total[1], ctx.total[0]);
        set_total(&ctx, (UINT64_C(7) << 32) - 64);
        sha1_process_bytes(data, 191, &ctx);
        CHECK(ctx.total[0] == 64 && ctx.total[1] == 7 && ctx.buflen == 63, "carry: %x %x", ctx.total[1], ctx.total[0]);
    }
}

/* Up to 128 bytes may wait in a context that the peer's code (or a program of
 * its own) has filled: all are part of the message. */
static void test_full_buffer(void)
{
    unsigned char data[300], want[20], got[20];
    uint32_t waiting;
    int with_peer = have_peer();
    test_fill(data, sizeof data);
    for (waiting = 0; waiting <= 128; waiting++) {
        size_t more;
        for (more = 0; more <= 130; more++) {
            struct sha1_ctx ctx, theirs;
            sha1_init_ctx(&ctx);
            memcpy(ctx.buffer, data, waiting);
            ctx.buflen = waiting;
            memcpy(&theirs, &ctx, sizeof ctx);
            sha1_process_bytes(data + waiting, more, &ctx);
            if (with_peer) {
                peer.process_bytes(data + waiting, more, &theirs);
                CHECK(same(&ctx, &theirs), "%u wait, %zu more: buflen %u, the peer's %u", waiting, more,
                      ctx.buflen, theirs.buflen);
            }
            CHECK(total_of(&ctx) + ctx.buflen == waiting + more && ctx.buflen <= 128,
                  "%u wait, %zu more: buflen %u", waiting, more, ctx.buflen);
            sha1_finish_ctx(&ctx, got);
            plain_sha1(data, waiting + more, want);
            CHECK(memcmp(want, got, 20) == 0, "%u wait, %zu more", waiting, more);
            more += test_quick() ? 12 : 0;
        }
    }
}

/* --- the peer, state by state --- */

static void test_states(void)
{
    static const uint64_t starts[] = {0,
                                      0,
                                      0,
                                      UINT64_C(1) << 29,
                                      UINT64_C(1) << 32,
                                      UINT64_C(5) << 32,
                                      UINT64_C(1) << 61};
    unsigned char data[4000], ours_out[28], peer_out[28], mixed_out[20];
    size_t i, rounds = test_quick() ? 40 : 4000;

    if (!have_peer()) {
        printf("not run: %s: contexts shared with its own code\n", PEER);
        return;
    }
    test_fill(data, sizeof data);
    for (i = 0; i < rounds; i++) {
        size_t done = 0, len = test_below(i % 3 ? 600 : sizeof data), odd = test_below(8);
        uint64_t start = starts[test_below(sizeof starts / sizeof starts[0])];
        struct sha1_ctx ours, theirs, mixed;

        memset(&ours, 0xa5, sizeof ours);
        memset(&mixed, 0x5a, sizeof mixed);
        memset(&theirs, 0, sizeof theirs);
        sha1_init_ctx(&ours);
        peer.init_ctx(&theirs);
        CHECK(same(&ours, &theirs), "after init");
        if (test_below(2))
            sha1_init_ctx(&mixed);
        else
            peer.init_ctx(&mixed);
        if (test_below(4) == 0)
            start -= 64 * test_below(8);
        set_total(&ours, start);
        set_total(&theirs, start);
        set_total(&mixed, start);

        while (done < len) {
            size_t n = test_piece();
            int block;
            n = n < len - done ? n : len - done;
            /* Legal on an empty buffer; on another one, both hash past it. */
            block = n % 64 == 0 && test_below(3) == 0;
            if (block) {
                sha1_process_block(data + done, n, &ours);
                peer.process_block(data + done, n, &theirs);
            } else {
                sha1_process_bytes(data + done, n, &ours);
                peer.process_bytes(data + done, n, &theirs);
            }
            if (test_below(2))
                (block ? sha1_process_block : sha1_process_bytes)(data + done, n, &mixed);
            else
                (block ? peer.process_block : peer.process_bytes)(data + done, n, &mixed);
            done += n;
            CHECK(same(&ours, &theirs), "after %zu bytes, last %zu%s: total %llx %llx, buflen %u %u", done, n,
                  block ? " as blocks" : "", (unsigned long long)total_of(&ours),
                  (unsigned long long)total_of(&theirs), ours.buflen, theirs.buflen);
            CHECK(same(&mixed, &theirs), "mixed, after %zu bytes, last %zu", done, n);
            sha1_read_ctx(&ours, ours_out + odd);
            peer.read_ctx(&theirs, peer_out + odd);
            CHECK(memcmp(ours_out + odd, peer_out + odd, 20) == 0, "read after %zu bytes", done);
        }
        CHECK(sha1_finish_ctx(&ours, ours_out + odd) == ours_out + odd, "return value");
        peer.finish_ctx(&theirs, peer_out + odd);
        if (test_below(2))
            sha1_finish_ctx(&mixed, mixed_out);
        else
            peer.finish_ctx(&mixed, mixed_out);
        CHECK(memcmp(ours_out + odd, peer_out + odd, 20) == 0, "%zu bytes after %llx", len, (unsigned long long)start);
        CHECK(memcmp(mixed_out, peer_out + odd, 20) == 0, "mixed, %zu bytes after %llx", len, (unsigned long long)start);
        CHECK(same_value(&ours, &theirs) && same_value(&mixed, &theirs), "chaining values after finish");
        memset(ours_out, 0, sizeof ours_out);
        sha1_read_ctx(&theirs, ours_out + odd);
        CHECK(memcmp(ours_out + odd, peer_out + odd, 20) == 0, "the peer's context read by us");
        peer.read_ctx(&ours, ours_out + odd);
        CHECK(memcmp(ours_out + odd, peer_out + odd, 20) == 0, "our context read by the peer");
    }
}

/* --- sha1_stream --- */

/* What happened to a stream, to compare ours with the peer's. */
struct outcome {
    int result;
    int error; /* errno, if result is 1 */
    int eof;
    int errors;
    long position;
    unsigned char digest[20];
};

static struct outcome outcome_of(int (*function)(FILE *, void *), FILE *stream)
{
    struct outcome o;
    unsigned char room[21];
    memset(&o, 0, sizeof o);
    memset(room, 0x5a, sizeof room);
    errno = 0;
    o.result = function(stream, room + 1);
    o.error = o.result == 0 ? 0 : errno;
    o.eof = feof(stream) != 0;
    o.errors = ferror(stream) != 0;
    o.position = ftell(stream);
    memcpy(o.digest, room + 1, 20);
    return o;
}

static void same_outcome(struct outcome ours, struct outcome theirs, const char *what)
{
    CHECK(ours.result == theirs.result, "%s: returns %d, the peer %d", what, ours.result, theirs.result);
    CHECK(ours.error == theirs.error, "%s: errno %d, the peer %d", what, ours.error, theirs.error);
    CHECK(ours.eof == theirs.eof, "%s: feof %d, the peer %d", what, ours.eof, theirs.eof);
    CHECK(ours.errors == theirs.errors, "%s: ferror %d, the peer %d", what, ours.errors, theirs.errors);
    CHECK(ours.position == theirs.position, "%s: at %ld, the peer %ld", what, ours.position, theirs.position);
    CHECK(memcmp(ours.digest, theirs.digest, 20) == 0, "%s: another digest", what);
}

static void succeeded(struct outcome o, const void *data, size_t len, const char *what)
{
    unsigned char want[20];
    plain_sha1(data, len, want);
    CHECK(o.result == 0, "%s: returns %d", what, o.result);
    CHECK(memcmp(o.digest, want, 20) == 0, "%s: not the digest of %zu bytes", what, len);
    CHECK(o.eof, "%s: not at its end", what);
}

static void failed(struct outcome o, int error, const char *what)
{
    unsigned char untouched[20];
    memset(untouched, 0x5a, 20);
    CHECK(o.result == 1, "%s: returns %d", what, o.result);
    CHECK(o.error == error, "%s: errno %d", what, o.error);
    CHECK(memcmp(o.digest, untouched, 20) == 0, "%s: the digest was touched", what);
}

static unsigned char stream_data[100000];

/* The ways to come to a stream; NULL when there are no more. */
static FILE *stream_open(int way, const char *path, size_t len, const char **what, pid_t *child)
{
    size_t skip = len / 3;
    FILE *f = NULL;
    int ends[2], fd;

    *child = 0;
    switch (way) {
    case 0:
        *what = "a file";
        REQUIRE((f = fopen(path, "rb")) != NULL);
        break;
    case 1:
        *what = "an unbuffered file";
        REQUIRE((f = fopen(path, "rb")) != NULL && setvbuf(f, NULL, _IONBF, 0) == 0);
        break;
    case 2:
        *what = "the rest of a file";
        REQUIRE((f = fopen(path, "rb")) != NULL);
        while (skip-- > 0)
            REQUIRE(getc(f) != EOF);
        break;
    case 3:
        *what = "a file from an offset";
        REQUIRE((f = fopen(path, "rb")) != NULL && fseek(f, (long)skip, SEEK_SET) == 0);
        break;
    case 4:
        *what = "a pipe";
        REQUIRE(pipe(ends) == 0);
        fflush(stdout);
        REQUIRE((*child = fork()) >= 0);
        if (*child == 0) {
            size_t done = 0;
            close(ends[0]);
            while (done < len) {
                size_t n = len - done < 3001 ? len - done : 3001;
                ssize_t written = write(ends[1], stream_data + done, n);
                if (written < 0)
                    _exit(1);
                done += (size_t)written;
            }
            _exit(0);
        }
        close(ends[1]);
        REQUIRE((f = fdopen(ends[0], "rb")) != NULL);
        break;
    case 5:
        *what = "a stream at its end";
        REQUIRE((f = fopen(path, "rb")) != NULL);
        while (getc(f) != EOF)
            ;
        break;
    case 6:
        /* The flag stands: the bytes that came since are not read. */
        *what = "a stream whose file grew after its end";
        REQUIRE((f = fopen(path, "rb")) != NULL);
        while (getc(f) != EOF)
            ;
        REQUIRE((fd = open(path, O_WRONLY | O_APPEND)) >= 0 && write(fd, "more", 4) == 4 && close(fd) == 0);
        break;
    case 7:
        *what = "a closed descriptor";
        REQUIRE((f = fopen(path, "rb")) != NULL && close(fileno(f)) == 0);
        break;
    case 8:
        *what = "a directory";
        REQUIRE((f = fopen("/", "rb")) != NULL);
        break;
    case 9:
        *what = "a write-only stream";
        REQUIRE((f = fopen(path, "ab")) != NULL);
        break;
    default:
        break;
    }
    return f;
}

static void stream_close(FILE *f, int way, pid_t child)
{
    int status;
    CHECK(fclose(f) == 0 || way == 7, "the stream cannot be closed");
    if (child != 0) {
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "writer: %d", status);
    }
}

static void test_streams(void)
{
    static const size_t sizes[] = {0, 1, 64, 1000, 32767, 32768, 32769, 65536, sizeof stream_data};
    char path[] = "/tmp/shaone-stream-XXXXXX";
    int fd = mkstemp(path), way, with_peer = have_peer();
    size_t i;

    REQUIRE(fd >= 0);
    test_fill(stream_data, sizeof stream_data);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t len = sizes[i], from = len / 3;
        for (way = 0;; way++) {
            const char *what;
            pid_t child;
            FILE *f;
            struct outcome ours;

            REQUIRE(ftruncate(fd, 0) == 0 && pwrite(fd, stream_data, len, 0) == (ssize_t)len);
            if ((f = stream_open(way, path, len, &what, &child)) == NULL)
                break;
            ours = outcome_of(sha1_stream, f);
            stream_close(f, way, child);
            switch (way) {
            case 0:
            case 1:
            case 4:
                succeeded(ours, stream_data, len, what);
                break;
            case 2:
            case 3:
                succeeded(ours, stream_data + from, len - from, what);
                break;
            case 5:
            case 6:
                succeeded(ours, stream_data, 0, what);
                break;
            default:
                failed(ours, way == 8 ? EISDIR : EBADF, what);
                break;
            }
            if (with_peer && !(way == 6 && PEER_STREAM_IS_OLD)) {
                REQUIRE(ftruncate(fd, (off_t)len) == 0);
                f = stream_open(way, path, len, &what, &child);
                same_outcome(ours, outcome_of(peer.stream, f), what);
                stream_close(f, way, child);
            }
        }
        CHECK(way == 10, "%d ways", way);
    }
    close(fd);
    unlink(path);
}

#ifdef __GLIBC__
/* A stream whose reads give what a random script says: some bytes, an error,
 * the end. Errors can pass, as EAGAIN does. */
struct script {
    uint64_t state;
    size_t given;
    int calls;
    int error_for_ever;
};

static ssize_t script_read(void *cookie, char *to, size_t len)
{
    struct script *s = cookie;
    size_t n;
    s->state = s->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    s->calls++;
    if (s->error_for_ever || s->state >> 60 == 0) {
        if (s->state >> 56 & 1)
            s->error_for_ever = 1;
        errno = EAGAIN;
        return -1;
    }
    if (s->calls > 40 || s->state >> 59 == 5)
        return 0;
    n = (size_t)(s->state >> 40) % 9000;
    n = n < len ? n : len;
    n = n < sizeof stream_data - s->given ? n : sizeof stream_data - s->given;
    memcpy(to, stream_data + s->given, n);
    s->given += n;
    return (ssize_t)n;
}

static FILE *script_open(struct script *s, uint64_t seed)
{
    cookie_io_functions_t functions = {script_read, NULL, NULL, NULL};
    FILE *f;
    memset(s, 0, sizeof *s);
    s->state = seed;
    REQUIRE((f = fopencookie(s, "rb", functions)) != NULL);
    return f;
}

static void test_scripts(void)
{
    int i, rounds = test_quick() ? 30 : 1000, errors = 0;
    if (!have_peer()) {
        printf("not run: %s: sha1_stream on failing streams\n", PEER);
        return;
    }
    for (i = 0; i < rounds; i++) {
        uint64_t seed = test_random();
        struct script ours_script, peer_script;
        FILE *ours_file = script_open(&ours_script, seed), *peer_file = script_open(&peer_script, seed);
        struct outcome ours = outcome_of(sha1_stream, ours_file), theirs = outcome_of(peer.stream, peer_file);
        same_outcome(ours, theirs, "a failing stream");
        CHECK(ours_script.given == peer_script.given, "%zu bytes read, by the peer %zu", ours_script.given,
              peer_script.given);
        errors += ours.result;
        fclose(ours_file);
        fclose(peer_file);
    }
    CHECK(errors > 0 && errors < rounds, "%d of %d streams failed", errors, rounds);
}
#else
static void test_scripts(void)
{
    printf("not run: sha1_stream on failing streams (no fopencookie)\n");
}
#endif

static void sha1_ctx_tests(void)
{
    const struct stream_api api = {sizeof(struct sha1_ctx), _Alignof(struct sha1_ctx), init, update, final, digest};

    stream_tests(&api);
    test_habits();
    test_full_buffer();
    test_states();
    test_streams();
    if (!PEER_STREAM_IS_OLD)
        test_scripts();
}

#endif
