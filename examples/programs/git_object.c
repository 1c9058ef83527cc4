/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * git_object: print the object id of files as git computes it, the SHA-1 of
 * a header "TYPE SIZE\0" followed by the contents. Like `git hash-object
 * --literally --no-filters`: contents are not checked, line ends not changed.
 *
 *     cc -O2 -o git_object git_object.c -lshaone
 *
 * The size comes first in what is hashed. A regular file tells it beforehand
 * and is streamed; anything else is read into memory first.
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
#include <sys/stat.h>
#include <unistd.h>

#include <shaone.h>

#define DIGEST_LEN 20
#define READ_SIZE (128 * 1024)

enum { EXIT_USAGE = 2 };

static const char *program;

static void complain(const char *name, const char *message)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s: %s\n", program, name, message);
}

/* read(2), again when a signal came between. */
static ssize_t read_some(int fd, void *buffer, size_t len)
{
    ssize_t n;

    do
        n = read(fd, buffer, len);
    while (n < 0 && errno == EINTR);
    return n;
}

static void begin_object(shaone_ctx *ctx, const char *type, uintmax_t size)
{
    char header[64];
    int len = snprintf(header, sizeof header, "%s %" PRIuMAX, type, size);

    sha1_init(ctx);
    sha1_update(ctx, header, (size_t)len + 1); /* with its NUL */
}

/* Hash `size` bytes from fd while they are read. More or fewer is an error:
 * the header, already hashed, would be wrong. Returns NULL or what failed. */
static const char *hash_stream(int fd, const char *type, uintmax_t size,
                               unsigned char id[DIGEST_LEN])
{
    static unsigned char buffer[READ_SIZE];
    uintmax_t left = size;
    shaone_ctx ctx;
    ssize_t n;

#ifdef POSIX_FADV_SEQUENTIAL
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    begin_object(&ctx, type, size);
    while ((n = read_some(fd, buffer, sizeof buffer)) > 0) {
        if ((uintmax_t)n > left)
            return "file grew while it was read";
        left -= (uintmax_t)n;
        sha1_update(&ctx, buffer, (size_t)n);
    }
    if (n < 0)
        return strerror(errno);
    if (left > 0)
        return "file shrank while it was read";
    sha1_final(id, &ctx);
    return NULL;
}

/* Hash what can be read from fd until its end, of a size not known before. */
static const char *hash_slurped(int fd, const char *type,
                                unsigned char id[DIGEST_LEN])
{
    unsigned char *data = NULL;
    size_t capacity = 0;
    size_t size = 0;
    shaone_ctx ctx;
    ssize_t n;

    do {
        if (capacity - size < READ_SIZE) {
            size_t larger = capacity + capacity / 2 + READ_SIZE;
            unsigned char *moved = larger > capacity ? realloc(data, larger)
                                                     : NULL;

            if (moved == NULL) {
                free(data);
                return strerror(ENOMEM);
            }
            data = moved;
            capacity = larger;
        }
        n = read_some(fd, data + size, capacity - size);
        if (n < 0) {
            const char *message = strerror(errno);

            free(data);
            return message;
        }
        size += (size_t)n;
    } while (n > 0);

    begin_object(&ctx, type, size);
    sha1_update(&ctx, data, size);
    sha1_final(id, &ctx);
    free(data);
    return NULL;
}

static const char *hash_fd(int fd, const char *type,
                           unsigned char id[DIGEST_LEN])
{
    struct stat st;
    off_t at;

    if (fstat(fd, &st) != 0)
        return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return strerror(EISDIR);
    /* Files of /proc say that they are empty, and are not. */
    if (S_ISREG(st.st_mode) && st.st_size > 0) {
        at = lseek(fd, 0, SEEK_CUR); /* standard input may be part way */
        if (at >= 0 && at <= st.st_size)
            return hash_stream(fd, type, (uintmax_t)(st.st_size - at), id);
    }
    return hash_slurped(fd, type, id);
}

static bool hash_file(const char *name, const char *type,
                      unsigned char id[DIGEST_LEN])
{
    bool is_stdin = strcmp(name, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    const char *failure = fd < 0 ? strerror(errno) : hash_fd(fd, type, id);

    if (failure != NULL)
        complain(is_stdin ? "standard input" : name, failure);
    if (fd >= 0 && !is_stdin)
        close(fd);
    return failure == NULL;
}

static bool known_type(const char *type)
{
    static const char *const types[] = {"blob", "tree", "commit", "tag"};
    size_t i;

    for (i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

static void print_help(void)
{
    printf("Usage: %s [-t TYPE] [FILE]...\n", program);
    fputs("Print the id that git gives to an object with the contents of each\n"
          "FILE. Without FILE, or where FILE is -, read standard input.\n"
          "\n"
          "  -t TYPE     blob (the default), tree, commit or tag\n"
          "      --help  print this help and exit\n"
          "\n"
          "The exit status is 0 when all went well, 1 when a file could not be\n"
          "read, and 2 when the command line is wrong.\n",
          stdout);
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
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    static char from_stdin[] = "-";
    static char *only_stdin[] = {from_stdin, NULL};
    const char *type = "blob";
    bool ok = true;
    char **file;
    int c;

    program = argc > 0 ? argv[0] : "git_object";
    while ((c = getopt_long(argc, argv, "t:", options, NULL)) != -1) {
        switch (c) {
        case 't':
            type = optarg;
            break;
        case 'h':
            print_help();
            return finish(true);
        default:
            fprintf(stderr, "Try '%s --help'.\n", program);
            return EXIT_USAGE;
        }
    }
    if (!known_type(type)) {
        fprintf(stderr, "%s: invalid object type '%s'\n", program, type);
        fprintf(stderr, "Try '%s --help'.\n", program);
        return EXIT_USAGE;
    }

    file = optind < argc ? argv + optind : only_stdin;
    for (; *file != NULL && !ferror(stdout); file++) {
        unsigned char id[DIGEST_LEN];
        int i;

        if (!hash_file(*file, type, id)) {
            ok = false;
            continue;
        }
        for (i = 0; i < DIGEST_LEN; i++)
            printf("%02x", id[i]);
        putchar('\n');
    }
    return finish(ok);
}
