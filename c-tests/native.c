/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Our own API, shaone.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "shaone.h"
#include "streams.h"

/* The layout is git's blk_SHA_CTX (92 bytes where uint64_t has an alignment of 4). */
_Static_assert(sizeof(shaone_ctx) == (_Alignof(shaone_ctx) == 8 ? 96 : 92), "size");
_Static_assert(sizeof(void *) != 8 || sizeof(shaone_ctx) == 96, "size, LP64");
_Static_assert(sizeof(void *) != 8 || _Alignof(shaone_ctx) == 8, "alignment, LP64");
_Static_assert(offsetof(shaone_ctx, size) == 0, "size");
_Static_assert(offsetof(shaone_ctx, h) == 8, "h");
_Static_assert(offsetof(shaone_ctx, block) == 28, "block");

/* The checked context is as small. */
_Static_assert(sizeof(shaone_checked_ctx) == 96, "size");
_Static_assert(offsetof(shaone_checked_ctx, h) == 8, "h");
_Static_assert(offsetof(shaone_checked_ctx, block) == 28, "block");
_Static_assert(offsetof(shaone_checked_ctx, found) == 92, "found");

static void init(void *ctx)
{
    sha1_init(ctx);
}

static void update(void *ctx, const void *data, size_t len)
{
    sha1_update(ctx, data, len);
}

static void final(void *ctx, unsigned char *digest)
{
    sha1_final(digest, ctx);
}

static void digest_with_peek(const void *data, size_t len, unsigned char *digest)
{
    shaone_ctx ctx;
    sha1_init(&ctx);
    sha1_update(&ctx, data, len);
    shaone_peek(digest, &ctx);
}

/* --- threads, forks, signals --- */

static unsigned char shared[64 * 1024], shared_digest[20];

static void *hash_shared(void *result)
{
    int i;
    for (i = 0; i < 20; i++) {
        unsigned char got[20];
        shaone_digest(shared, sizeof shared, got);
        if (memcmp(got, shared_digest, 20) != 0)
            *(int *)result = 1;
    }
    return NULL;
}

/* This comes first: the threads also race for the choice of a backend. */
static void test_threads(void)
{
    pthread_t threads[4];
    int wrong[4] = {0}, i;
    plain_sha1(shared, sizeof shared, shared_digest);
    for (i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, hash_shared, &wrong[i]) == 0);
    for (i = 0; i < 4; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        CHECK(!wrong[i], "thread %d", i);
    }
}

static void test_fork(void)
{
    unsigned char got[20];
    shaone_ctx ctx;
    int status;
    pid_t child;

    sha1_init(&ctx);
    sha1_update(&ctx, shared, 1000);
    fflush(stdout);
    REQUIRE((child = fork()) >= 0);
    sha1_update(&ctx, shared + 1000, sizeof shared - 1000);
    sha1_final(got, &ctx);
    if (child == 0)
        _exit(memcmp(got, shared_digest, 20) != 0);
    CHECK(memcmp(got, shared_digest, 20) == 0, "parent");
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child: %d", status);
}

static volatile sig_atomic_t signals, wrong_signals;

static void hash_on_signal(int number)
{
    unsigned char got[20];
    (void)number;
    shaone_digest(shared, sizeof shared, got);
    if (memcmp(got, shared_digest, 20) != 0)
        wrong_signals++;
    signals++;
}

static void set_signal(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler; /* no SA_RESTART */
    REQUIRE(sigaction(number, &action, NULL) == 0);
}

/* A handler that hashes, in the middle of hashing. */
static void test_signals(void)
{
    struct itimerval every = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};
    int wrong = 0;
    if (test_quick()) /* valgrind is too slow for the timer */
        every.it_interval.tv_usec = every.it_value.tv_usec = 200000;
    set_signal(SIGALRM, hash_on_signal);
    REQUIRE(setitimer(ITIMER_REAL, &every, NULL) == 0);
    while (signals < (test_quick() ? 3 : 100)) {
        unsigned char got[20];
        shaone_digest(shared, sizeof shared, got);
        wrong += memcmp(got, shared_digest, 20) != 0;
    }
    REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);
    set_signal(SIGALRM, SIG_IGN); /* one may still be on its way */
    CHECK(wrong == 0, "%d interrupted digests", wrong);
    CHECK(wrong_signals == 0, "%d digests in the handler", (int)wrong_signals);
}

/* --- the rest of the API --- */

static void test_names(void)
{
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", SHAONE_VERSION_MAJOR, SHAONE_VERSION_MINOR,
             SHAONE_VERSION_PATCH);
    CHECK(strcmp(SHAONE_VERSION, version) == 0, "%s", version);
    CHECK(strcmp(shaone_version(), SHAONE_VERSION) == 0, "%s", shaone_version());
    CHECK(strlen(shaone_backend()) > 0, "no name");
    printf("backend: %s\n", shaone_backend());
}

static void test_peek(void)
{
    unsigned char data[2000], want[20], got[20];
    size_t i, rounds = test_quick() ? 20 : 500;
    test_fill(data, sizeof data);
    for (i = 0; i < rounds; i++) {
        size_t done = 0;
        shaone_ctx ctx, before;
        memset(&ctx, 0, sizeof ctx); /* the padding too, for memcmp */
        sha1_init(&ctx);
        while (done < sizeof data) {
            size_t n = test_piece();
            n = n < sizeof data - done ? n : sizeof data - done;
            sha1_update(&ctx, data + done, n);
            done += n;
            memcpy(&before, &ctx, sizeof ctx);
            shaone_peek(got, &ctx);
            plain_sha1(data, done, want);
            CHECK(memcmp(want, got, 20) == 0, "after %zu bytes", done);
            CHECK(memcmp(&before, &ctx, sizeof ctx) == 0, "the context changed after %zu bytes", done);
        }
        sha1_final(got, &ctx);
        CHECK(memcmp(want, got, 20) == 0, "at the end");
    }
}

/* The length at and beyond every power of two that it must be carried over. */
static void test_length(void)
{
    static const uint64_t at[] = {UINT64_C(1) << 29, UINT64_C(1) << 31, UINT64_C(1) << 32,
                                  UINT64_C(1) << 61, UINT64_C(1) << 63, 0 /* 2^64 */};
    unsigned char data[400], want[20], got[20];
    size_t i, k;
    test_fill(data, sizeof data);
    for (i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (k = 0; k <= 4; k++) {
            uint64_t before = at[i] - 64 * k;
            size_t len = 64 * k + test_below(100);
            uint32_t h[5];
            shaone_ctx ctx;
            sha1_init(&ctx);
            memcpy(h, ctx.h, sizeof h);
            ctx.size = before;
            sha1_update(&ctx, data, len / 2);
            sha1_update(&ctx, data + len / 2, len - len / 2);
            CHECK(ctx.size == before + len, "%llu", (unsigned long long)ctx.size);
            sha1_final(got, &ctx);
            plain_rest(h, before, data, len, want);
            CHECK(memcmp(want, got, 20) == 0, "%zu bytes after %llu", len, (unsigned long long)before);
        }
    }
}

/* --- files --- */

static int digest_fd(int fd, unsigned char got[20])
{
    memset(got, 0x5a, 20);
    errno = 0;
    return shaone_digest_fd(fd, got);
}

static void fd_fails(int fd, int error, const char *what)
{
    unsigned char got[20], untouched[20];
    int result = digest_fd(fd, got);
    CHECK(result == -1 && errno == error, "%s: %d, errno %d", what, result, errno);
    memset(untouched, 0x5a, 20);
    CHECK(memcmp(got, untouched, 20) == 0, "%s: the digest was touched", what);
}

/* A child that writes data in pieces; the reading end is returned. */
static int piped(const unsigned char *data, size_t len, useconds_t pause, pid_t *child)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    fflush(stdout);
    REQUIRE((*child = fork()) >= 0);
    if (*child == 0) {
        close(ends[0]);
        while (len > 0) {
            size_t n = len < 30000 ? len : 30000;
            ssize_t written = write(ends[1], data, n);
            if (written < 0)
                _exit(1);
            data += written;
            len -= (size_t)written;
            if (pause > 0)
                usleep(pause);
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void ended(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) != child)
        REQUIRE(errno == EINTR);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "writer: %d", status);
}

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static void test_fd(void)
{
    static unsigned char data[200000];
    static const size_t sizes[] = {0, 1, 63, 64, 1000, 32767, 32768, 32769, 65536, 65537, sizeof data};
    char path[] = "/tmp/shaone-native-XXXXXX";
    unsigned char want[20], got[20];
    size_t i;
    int fd = mkstemp(path), other;
    pid_t child;

    REQUIRE(fd >= 0);
    test_fill(data, sizeof data);
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        off_t from = (off_t)(sizes[i] / 3);
        REQUIRE(ftruncate(fd, 0) == 0);
        REQUIRE(pwrite(fd, data, sizes[i], 0) == (ssize_t)sizes[i]);
        REQUIRE(lseek(fd, 0, SEEK_SET) == 0);
        plain_sha1(data, sizes[i], want);
        CHECK(digest_fd(fd, got) == 0 && memcmp(want, got, 20) == 0, "a file of %zu bytes", sizes[i]);
        CHECK(lseek(fd, 0, SEEK_CUR) == (off_t)sizes[i], "the offset is not at the end");
        plain_sha1(data, 0, want);
        CHECK(digest_fd(fd, got) == 0 && memcmp(want, got, 20) == 0, "at the end of %zu bytes", sizes[i]);
        REQUIRE(lseek(fd, from, SEEK_SET) == from);
        plain_sha1(data + from, sizes[i] - (size_t)from, want);
        CHECK(digest_fd(fd, got) == 0 && memcmp(want, got, 20) == 0, "from offset %ld", (long)from);
        REQUIRE(lseek(fd, 10, SEEK_END) > 0);
        plain_sha1(data, 0, want);
        CHECK(digest_fd(fd, got) == 0 && memcmp(want, got, 20) == 0, "beyond the end");

        other = piped(data, sizes[i], 0, &child);
        plain_sha1(data, sizes[i], want);
        CHECK(digest_fd(other, got) == 0 && memcmp(want, got, 20) == 0, "a pipe with %zu bytes", sizes[i]);
        CHECK(close(other) == 0, "it was closed");
        ended(child);
    }

    REQUIRE((other = open(path, O_WRONLY)) >= 0);
    fd_fails(other, EBADF, "write-only");
    close(other);
    fd_fails(other, EBADF, "closed");
    fd_fails(-1, EBADF, "-1");
    REQUIRE((other = open("/", O_RDONLY)) >= 0);
    fd_fails(other, EISDIR, "a directory");
    close(other);
    close(fd);
    unlink(path);
}

/* Signals whose handler does not restart the read that it interrupts. */
static void test_fd_signals(void)
{
    static unsigned char data[150000];
    struct itimerval every = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    unsigned char want[20], got[20];
    int fd, ends[2];
    pid_t child;

    test_fill(data, sizeof data);
    plain_sha1(data, sizeof data, want);
    fd = piped(data, sizeof data, 50000, &child); /* fork first: the timer is not inherited */
    signals = 0;
    set_signal(SIGALRM, count_signal);
    REQUIRE(setitimer(ITIMER_REAL, &every, NULL) == 0);
    CHECK(digest_fd(fd, got) == 0 && memcmp(want, got, 20) == 0, "interrupted reads, errno %d", errno);
    REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(signals > 0, "no signal came");
    set_signal(SIGALRM, SIG_IGN); /* one may still be on its way */
    close(fd);
    ended(child);

    /* Nothing to read yet is an error of the descriptor's, as it is of read. */
    REQUIRE(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    fd_fails(ends[0], EAGAIN, "nonblocking");
    close(ends[0]);
    close(ends[1]);
}

/* --- collision detection --- */

static void checked_init(void *ctx)
{
    shaone_checked_init(ctx);
}

static void checked_update(void *ctx, const void *data, size_t len)
{
    shaone_checked_update(ctx, data, len);
}

static void checked_final(void *ctx, unsigned char *digest)
{
    CHECK(shaone_checked_final(digest, ctx) == 0, "an attack in an ordinary message");
}

static void checked_digest(const void *data, size_t len, unsigned char *digest)
{
    CHECK(shaone_checked_digest(data, len, digest) == 0, "an attack in an ordinary message");
}

/* An attack is found however the message is cut, is kept by a copy of the context, and is
 * forgotten by the next init. */
static void test_checked_attack(void)
{
    const char *dir = getenv("SHAONE_COLLISIONS");
    unsigned char data[320], plain[20], got[20];
    char path[4096];
    shaone_checked_ctx ctx, copy;
    size_t cut;
    FILE *file;

    if (dir == NULL) {
        printf("not run: attacks in a checked stream (SHAONE_COLLISIONS is not set)\n");
        return;
    }
    snprintf(path, sizeof path, "%s/shattered-1.head", dir);
    REQUIRE((file = fopen(path, "rb")) != NULL);
    REQUIRE(fread(data, 1, sizeof data, file) == sizeof data);
    fclose(file);
    plain_sha1(data, sizeof data, plain);
    for (cut = 0; cut <= sizeof data; cut++) {
        memset(&ctx, 0xa5, sizeof ctx);
        shaone_checked_init(&ctx);
        shaone_checked_update(&ctx, data, cut);
        CHECK(ctx.found == (cut == sizeof data), "found after %zu bytes: %d", cut, ctx.found);
        shaone_checked_update(&ctx, data + cut, sizeof data - cut);
        memcpy(&copy, &ctx, sizeof copy);
        CHECK(shaone_checked_final(got, &ctx) == 1, "not found, cut at %zu", cut);
        CHECK(memcmp(got, plain, 20) == 0, "digest, cut at %zu", cut);
        shaone_checked_update(&copy, "more", 4);
        CHECK(shaone_checked_final(got, &copy) == 1, "lost by the copy, cut at %zu", cut);
        shaone_checked_init(&ctx);
        shaone_checked_update(&ctx, data, 256);
        CHECK(shaone_checked_final(got, &ctx) == 0, "256 bytes are no attack");
    }
}

int main(void)
{
    struct stream_api checked = {sizeof(shaone_checked_ctx), _Alignof(shaone_checked_ctx), checked_init,
                                 checked_update, checked_final, checked_digest};
    struct stream_api api = {sizeof(shaone_ctx), _Alignof(shaone_ctx), init, update, final, shaone_digest};

    test_threads();
    test_names();
    stream_tests(&api);
    api.digest = digest_with_peek;
    stream_guards(&api);
    stream_overlap(&api);
    test_peek();
    test_length();
    test_fork();
    test_signals();
    test_fd();
    test_fd_signals();
    stream_tests(&checked);
    test_checked_attack();
    return test_end("native");
}
