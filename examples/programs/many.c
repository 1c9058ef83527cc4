/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * many: print the SHA-1 of many files, of a file's pieces, or the ids that git
 * gives to files, all hashed side by side.
 *
 *     cc -O2 -o many many.c -lshaone
 *
 * Files are mapped into memory and gathered into a batch, and each batch is
 * one call: shaone_digest_many() for files; shaone_pieces() for the pieces of
 * one; shaone_update_many(), twice, and shaone_final_many() for git's objects,
 * which have a header before the contents.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <shaone.h>

#define DIGEST_LEN 20

/* Far more than are hashed at once: the more there are, the less often few are
 * left that are longer than the others. */
#define BATCH 256

enum { EXIT_USAGE = 2 };

enum mode { FILES, PIECES, GIT };

struct batch {
    size_t count;
    const char *name[BATCH];
    const void *data[BATCH]; /* NULL for an empty file */
    size_t len[BATCH];
    unsigned char digests[BATCH][DIGEST_LEN];
};

static const char *program;

static void put_digest(const unsigned char digest[DIGEST_LEN])
{
    int i;

    for (i = 0; i < DIGEST_LEN; i++)
        printf("%02x", digest[i]);
}

/* ---- hashing ----------------------------------------------------------- */

static void hash_files(struct batch *batch)
{
    shaone_digest_many(batch->count, batch->data, batch->len, batch->digests);
}

/* A blob is hashed as "blob SIZE", a NUL, and the contents. */
static void hash_blobs(struct batch *batch)
{
    static char headers[BATCH][32];
    static shaone_ctx contexts[BATCH];
    shaone_ctx *ctx[BATCH];
    const void *header[BATCH];
    size_t header_len[BATCH];
    size_t i;

    for (i = 0; i < batch->count; i++) {
        int n = snprintf(headers[i], sizeof headers[i], "blob %zu",
                         batch->len[i]);

        header[i] = headers[i];
        header_len[i] = (size_t)n + 1; /* with its NUL */
        ctx[i] = &contexts[i];
        sha1_init(ctx[i]);
    }
    shaone_update_many(batch->count, ctx, header, header_len);
    shaone_update_many(batch->count, ctx, batch->data, batch->len);
    shaone_final_many(batch->count, batch->digests, ctx);
}

/* Hash the batch, print it and give the files back. */
static void finish_batch(struct batch *batch, enum mode mode)
{
    size_t i;

    if (mode == GIT)
        hash_blobs(batch);
    else
        hash_files(batch);
    for (i = 0; i < batch->count; i++) {
        put_digest(batch->digests[i]);
        printf("  %s\n", batch->name[i]);
        if (batch->len[i] > 0)
            munmap((void *)batch->data[i], batch->len[i]);
    }
    batch->count = 0;
}

/* Print the digest of each piece; false when there is no memory for them. */
static bool print_pieces(const char *name, const void *data, size_t len,
                         size_t piece_len)
{
    size_t count = len / piece_len + (len % piece_len != 0);
    unsigned char (*digests)[DIGEST_LEN] = calloc(count, DIGEST_LEN);
    size_t i;

    if (digests == NULL)
        return count == 0;
    shaone_pieces(data, len, piece_len, digests);
    for (i = 0; i < count; i++) {
        put_digest(digests[i]);
        printf("  %s:%zu\n", name, i);
    }
    free(digests);
    return true;
}

/* ---- files ------------------------------------------------------------- */

/* Map a whole file. Returns NULL or what failed. (A file that shrinks before
 * it is hashed ends the program with SIGBUS: who can't have that, has to read.) */
static const char *map_fd(int fd, const void **data, size_t *len)
{
    struct stat st;
    char byte;

    if (fstat(fd, &st) != 0)
        return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return strerror(EISDIR);
    if (!S_ISREG(st.st_mode))
        return "Not a regular file";
    if (st.st_size == 0) {
        /* Nothing to map; but files of /proc only say that they are empty. */
        ssize_t n = read(fd, &byte, 1);

        return n == 0 ? NULL : n < 0 ? strerror(errno) : "Size is not known";
    }
    if ((uintmax_t)st.st_size > SIZE_MAX / 2)
        return strerror(EFBIG);
    *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (*data == MAP_FAILED)
        return strerror(errno);
    *len = (size_t)st.st_size;
    return NULL;
}

static const char *map_file(const char *name, const void **data, size_t *len)
{
    /* Not to wait for the other end of a pipe, which is no use anyway. */
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const char *failure;

    if (fd < 0)
        return strerror(errno);
    failure = map_fd(fd, data, len);
    close(fd); /* a mapping stays */
    return failure;
}

/* ---- command line ------------------------------------------------------ */

static void print_help(void)
{
    printf("Usage: %s [--pieces N | --git] FILE...\n", program);
    fputs("Print the SHA-1 of each FILE, which must be a regular file.\n"
          "\n"
          "  --pieces N  of each piece of N bytes; the last may be shorter.\n"
          "              Lines end with FILE:NUMBER, counted from 0\n"
          "  --git       the id that git gives to a blob with these contents\n"
          "  --help      print this help and exit\n"
          "\n"
          "The exit status is 0 when all went well, 1 when a file could not be\n"
          "read, and 2 when the command line is wrong.\n",
          stdout);
}

static int usage_error(const char *message)
{
    if (message != NULL)
        fprintf(stderr, "%s: %s\n", program, message);
    fprintf(stderr, "Try '%s --help'.\n", program);
    return EXIT_USAGE;
}

/* A positive number of bytes, or 0. */
static size_t parse_size(const char *text)
{
    uintmax_t size;
    char *end;

    errno = 0;
    size = strtoumax(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' ||
        size > SIZE_MAX)
        return 0;
    return (size_t)size;
}

static int finish(bool ok)
{
    if (ferror(stdout) || fclose(stdout) != 0) {
        fprintf(stderr, "%s: write error: %s\n", program, strerror(errno));
        return EXIT_FAILURE;
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"git", no_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},
        {"pieces", required_argument, NULL, 'p'},
        {NULL, 0, NULL, 0},
    };
    static struct batch batch;
    enum mode mode = FILES;
    size_t piece_len = 0;
    bool ok = true;
    char **file;
    int c;

    program = argc > 0 ? argv[0] : "many";
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'h') {
            print_help();
            return finish(true);
        }
        if (c == '?')
            return usage_error(NULL);
        if (mode != FILES && mode != (c == 'g' ? GIT : PIECES))
            return usage_error("--pieces and --git exclude each other");
        mode = c == 'g' ? GIT : PIECES;
        if (mode == PIECES && (piece_len = parse_size(optarg)) == 0)
            return usage_error("a piece must have a positive number of bytes");
    }
    if (optind == argc)
        return usage_error("no file given");

    for (file = argv + optind; *file != NULL && !ferror(stdout); file++) {
        const void *data = NULL;
        size_t len = 0;
        const char *failure = map_file(*file, &data, &len);

        if (failure == NULL && mode == PIECES) {
            if (!print_pieces(*file, data, len, piece_len))
                failure = strerror(ENOMEM);
            if (len > 0)
                munmap((void *)data, len);
        } else if (failure == NULL) {
            batch.name[batch.count] = *file;
            batch.data[batch.count] = data;
            batch.len[batch.count] = len;
            if (++batch.count == BATCH)
                finish_batch(&batch, mode);
        }
        if (failure != NULL) {
            /* What was printed before comes before. */
            finish_batch(&batch, mode);
            fflush(stdout);
            fprintf(stderr, "%s: %s: %s\n", program, *file, failure);
            ok = false;
        }
    }
    finish_batch(&batch, mode);
    return finish(ok);
}
