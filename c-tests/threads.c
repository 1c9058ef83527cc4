/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The first calls of a process come from 64 threads at once, which race for what the
 * library finds out about the CPU. For the tools that look for races, too.
 */
#include <pthread.h>
#include <shaone.h>

#include "test.h"

enum { THREADS = 64, MESSAGES = 40, LONGEST = 5000 };

static unsigned char pool[LONGEST + MESSAGES];
static const void *data[MESSAGES];
static size_t len[MESSAGES];
static unsigned char want[MESSAGES][20];
static pthread_barrier_t start;

/* Every function that makes a choice; each thread begins with another. */
static void *hash(void *argument)
{
    static const unsigned char no_attack[MESSAGES];
    const int *number = argument;
    int *wrong = argument, i, first = *number;
    *wrong = 0;
    pthread_barrier_wait(&start);
    for (i = first; i < first + 4; i++) {
        unsigned char digests[MESSAGES][20] = {{0}}, found[MESSAGES];
        size_t n = 1 + (size_t)first % MESSAGES, j;
        shaone_ctx ctx;
        switch (i % 4) {
        case 0:
            n = 1;
            shaone_digest(data[0], len[0], digests[0]);
            break;
        case 1:
            for (j = 0; j < n; j++)
                *wrong |= shaone_checked_digest(data[j], len[j], digests[j]);
            break;
        case 2:
            shaone_digest_many(n, data, len, digests);
            break;
        case 3:
            *wrong |= shaone_checked_digest_many(n, data, len, digests, found) != 0;
            *wrong |= memcmp(found, no_attack, n) != 0;
            break;
        }
        *wrong |= memcmp(digests, want, n * 20) != 0;
        shaone_init(&ctx);
        shaone_update(&ctx, data[n - 1], len[n - 1]);
        shaone_final(digests[0], &ctx);
        *wrong |= memcmp(digests[0], want[n - 1], 20) != 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int arguments[THREADS], i;
    test_fill(pool, sizeof pool);
    for (i = 0; i < MESSAGES; i++) {
        data[i] = pool + i;
        len[i] = test_below(i % 2 ? 100 : LONGEST);
        plain_sha1(data[i], len[i], want[i]);
    }
    REQUIRE(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (i = 0; i < THREADS; i++) {
        arguments[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, hash, &arguments[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        CHECK(!arguments[i], "thread %d", i);
    }
    REQUIRE(pthread_barrier_destroy(&start) == 0);
    return test_end("threads");
}
