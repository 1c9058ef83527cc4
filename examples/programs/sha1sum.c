/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * sha1sum: print or check SHA-1 digests, with the options, formats, messages
 * and exit codes of the program of that name in GNU coreutils 9.
 *
 *     cc -O2 -o sha1sum sha1sum.c -lshaone
 *
 * The hashing is in hash_fd(): sha1_init(), sha1_update() for every piece
 * read, sha1_final(); or, to look for collision attacks as well, the functions
 * of sha1collisiondetection, which the same library has. All the rest is file
 * names and lists of digests.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include <shaone.h>

#define DIGEST_LEN 20
#define HEX_LEN (2 * DIGEST_LEN)

/* Large enough to make read(2) cheap, small enough to stay in the L2 cache. */
#define READ_SIZE (128 * 1024)

/* Files below this size are hashed together, so many at most, that stay in the
 * L2 cache too. */
#define SMALL_SIZE (64 * 1024)
#define SMALL_FILES 64
#define SMALL_BUFFER (512 * 1024)

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define PAGE_ALIGNED __attribute__((aligned(4096)))
#else
#define PRINTF_LIKE(text, first)
#define PAGE_ALIGNED
#endif

/* What a check reports; of several options the last one counts. */
enum report { REPORT_ALL, REPORT_FAILURES, REPORT_NOTHING, REPORT_BAD_LINES };

/* How a list separates digest and name. "hash  name" and "hash *name" have a
 * blank and a mode character; an old BSD form has one blank only, and there a
 * name may begin with ' ' or '*'. The first line decides for all lists. */
enum separator { SEPARATOR_UNKNOWN, SEPARATOR_BLANK_MODE, SEPARATOR_BLANK };

enum hash_result { HASH_OK, HASH_ATTACKED, HASH_MISSING, HASH_ERROR };

static const char *program;
static enum report report = REPORT_ALL;
static bool ignore_missing;
static bool strict;
static bool progress;
static bool check_collisions;
static bool stdin_used;
static enum separator separator = SEPARATOR_UNKNOWN;

/* ---- messages ---------------------------------------------------------- */

static void report_write_error(void)
{
    int error = errno;

    fprintf(stderr, "%s: write error: %s\n", program, strerror(error));
    exit(EXIT_FAILURE);
}

/* Called after each line: standard output is line buffered, so an error shows
 * while errno still tells its reason, and no more files are read in vain. */
static void check_stdout(void)
{
    if (ferror(stdout))
        report_write_error();
}

static void flush_stdout(void)
{
    if (fflush(stdout) != 0)
        report_write_error();
}

/* The length of the character at s, and whether it can be shown as it is. */
static size_t next_char(const char *s, mbstate_t *state, bool *printable)
{
    wchar_t wc;
    size_t n = mbrtowc(&wc, s, MB_CUR_MAX, state);

    if (n == (size_t)-1 || n == (size_t)-2 || n == 0) {
        memset(state, 0, sizeof *state);
        *printable = false;
        return 1;
    }
    *printable = iswprint((wint_t)wc) != 0;
    return n;
}

/* Write a file name so that a shell would read it back; as it is when it has
 * nothing special. A ':' counts as special, because one follows the name. */
static void put_quoted(FILE *out, const char *name)
{
    static const char special[] = " !\"$&'()*:;<=>?[\\^`|";
    static const char not_in_double_quotes[] = "!\"#$&()*;<=>?[\\^`{|}~";
    bool comment_or_home = *name == '#' || *name == '~';
    bool quote = *name == '\0' || comment_or_home ||
                 strcmp(name, "{") == 0 || strcmp(name, "}") == 0 ||
                 strpbrk(name, special) != NULL;
    bool double_quote = strchr(name, '\'') != NULL &&
                        strpbrk(name + comment_or_home,
                                not_in_double_quotes) == NULL;
    bool in_escape = false;
    bool printable;
    mbstate_t state;
    size_t n;
    const char *s;

    memset(&state, 0, sizeof state);
    for (s = name; *s != '\0'; s += n) {
        n = next_char(s, &state, &printable);
        if (!printable) {
            quote = true;
            double_quote = false;
        }
    }
    if (!quote) {
        fputs(name, out);
        return;
    }
    if (double_quote) {
        fprintf(out, "\"%s\"", name);
        return;
    }

    memset(&state, 0, sizeof state);
    putc('\'', out);
    for (s = name; *s != '\0'; s += n) {
        n = next_char(s, &state, &printable);
        if (*s == '\'') {
            fputs("'\\''", out);
            in_escape = false;
        } else if (printable) {
            if (in_escape)
                fputs("''", out);
            fwrite(s, 1, n, out);
            in_escape = false;
        } else {
            static const char letters[] = "abtnvfr"; /* 7 to 13 */
            size_t i;

            if (!in_escape)
                fputs("'$'", out);
            for (i = 0; i < n; i++) {
                unsigned char c = (unsigned char)s[i];

                if (c >= 7 && c <= 13)
                    fprintf(out, "\\%c", letters[c - 7]);
                else
                    fprintf(out, "\\%03o", (unsigned)c);
            }
            in_escape = true;
        }
    }
    putc('\'', out);
}

PRINTF_LIKE(1, 2)
static void complain(const char *format, ...)
{
    va_list args;

    flush_stdout();
    fprintf(stderr, "%s: ", program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

PRINTF_LIKE(2, 3)
static void complain_about(const char *name, const char *format, ...)
{
    va_list args;

    flush_stdout();
    fprintf(stderr, "%s: ", program);
    put_quoted(stderr, name);
    fputs(": ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

static void complain_errno(const char *name, int error)
{
    complain_about(name, "%s", strerror(error));
}

/* ---- hashing ----------------------------------------------------------- */

/* open(2), but never as 0, 1 or 2: with standard input closed, "-" in a list
 * must not turn out to be the list itself. */
static int open_file(const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && fd <= STDERR_FILENO) {
        int low = fd;
        int error;

        fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        error = errno;
        close(low);
        errno = error;
    }
    return fd;
}

struct meter {
    struct timespec start;
    double next; /* seconds from start to the next line */
    double done; /* bytes */
    double size; /* bytes, 0 when not known */
    bool shown;
};

static double meter_seconds(const struct meter *meter)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - meter->start.tv_sec) +
           (double)(now.tv_nsec - meter->start.tv_nsec) / 1e9;
}

static void meter_start(struct meter *meter, int fd)
{
    struct stat st;
    off_t at;

    memset(meter, 0, sizeof *meter);
    clock_gettime(CLOCK_MONOTONIC, &meter->start);
    meter->next = 0.5; /* short inputs show nothing */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        at = lseek(fd, 0, SEEK_CUR);
        if (at >= 0 && st.st_size > at)
            meter->size = (double)(st.st_size - at);
    }
}

static void meter_advance(struct meter *meter, size_t bytes)
{
    double seconds = meter_seconds(meter);

    meter->done += (double)bytes;
    if (seconds < meter->next)
        return;
    meter->next = seconds + 0.2;
    meter->shown = true;
    fprintf(stderr, "\r%.0f MB", meter->done / 1e6);
    if (meter->size > 0)
        fprintf(stderr, " of %.0f MB, %.0f %%", meter->size / 1e6,
                meter->done < meter->size ? 100 * meter->done / meter->size
                                          : 100.0);
    fprintf(stderr, ", %.0f MB/s\033[K", meter->done / 1e6 / seconds);
    fflush(stderr);
}

static void meter_erase(const struct meter *meter)
{
    if (meter->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

/* A hash in progress; the second when collisions are looked for. */
union hash {
    shaone_ctx plain;
    shaone_checked_ctx checked;
};

static void hash_init(union hash *hash)
{
    if (check_collisions)
        shaone_checked_init(&hash->checked);
    else
        sha1_init(&hash->plain);
}

static void hash_update(union hash *hash, const unsigned char *data, size_t len)
{
    if (check_collisions)
        shaone_checked_update(&hash->checked, data, len);
    else
        sha1_update(&hash->plain, data, len);
}

static enum hash_result hash_final(unsigned char digest[DIGEST_LEN], union hash *hash)
{
    if (check_collisions)
        return shaone_checked_final(digest, &hash->checked) == 0 ? HASH_OK : HASH_ATTACKED;
    sha1_final(digest, &hash->plain);
    return HASH_OK;
}

/* Hash from the current offset to the end; HASH_ERROR sets errno. Without the
 * progress line and collisions this would be shaone_digest_fd(fd, digest). */
static enum hash_result hash_fd(int fd, unsigned char digest[DIGEST_LEN])
{
    static unsigned char buffer[READ_SIZE] PAGE_ALIGNED;
    struct meter meter;
    union hash hash;
    ssize_t n;
    int error;

#ifdef POSIX_FADV_SEQUENTIAL
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    if (progress)
        meter_start(&meter, fd);
    hash_init(&hash);
    while ((n = read(fd, buffer, sizeof buffer)) != 0) {
        if (n < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        hash_update(&hash, buffer, (size_t)n);
        if (progress)
            meter_advance(&meter, (size_t)n);
    }
    error = errno;
    if (progress)
        meter_erase(&meter);
    if (n < 0) {
        errno = error;
        return HASH_ERROR;
    }
    return hash_final(digest, &hash);
}

/* Hash one file by name, "-" being standard input. Says what went wrong. */
static enum hash_result hash_file(const char *name,
                                  unsigned char digest[DIGEST_LEN])
{
    bool is_stdin = strcmp(name, "-") == 0;
    int fd = STDIN_FILENO;
    enum hash_result result;

    if (is_stdin) {
        stdin_used = true;
    } else {
        fd = open_file(name);
        if (fd < 0) {
            if (ignore_missing && errno == ENOENT)
                return HASH_MISSING;
            complain_errno(name, errno);
            return HASH_ERROR;
        }
    }
    result = hash_fd(fd, digest);
    if (result == HASH_ERROR) {
        complain_errno(name, errno);
        if (!is_stdin)
            close(fd);
        return HASH_ERROR;
    }
    if (!is_stdin && close(fd) != 0) {
        complain_errno(name, errno);
        return HASH_ERROR;
    }
    if (result == HASH_ATTACKED)
        complain_about(name, "is part of a SHA-1 collision attack");
    return result;
}

/* ---- printing ---------------------------------------------------------- */

static void put_name(const char *name, bool escape)
{
    if (!escape) {
        fputs(name, stdout);
        return;
    }
    for (; *name != '\0'; name++) {
        switch (*name) {
        case '\n':
            fputs("\\n", stdout);
            break;
        case '\r':
            fputs("\\r", stdout);
            break;
        case '\\':
            fputs("\\\\", stdout);
            break;
        default:
            putchar(*name);
        }
    }
}

static void put_line(const char *name, const unsigned char digest[DIGEST_LEN],
                     bool tag, char mode, char end)
{
    static const char digits[] = "0123456789abcdef";
    bool escape = end == '\n' && strpbrk(name, "\n\r\\") != NULL;
    char hex[HEX_LEN + 1];
    int i;

    for (i = 0; i < DIGEST_LEN; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[HEX_LEN] = '\0';

    if (escape)
        putchar('\\');
    if (tag) {
        fputs("SHA1 (", stdout);
        put_name(name, escape);
        printf(") = %s", hex);
    } else {
        printf("%s %c", hex, mode);
        put_name(name, escape);
    }
    putchar(end);
    check_stdout();
}

/* ---- small files ------------------------------------------------------- */

/* Read one after the other, hashed side by side, printed in their order. */
static struct {
    size_t count;
    size_t used; /* bytes of the buffer */
    const char *name[SMALL_FILES];
    const void *data[SMALL_FILES];
    size_t len[SMALL_FILES];
    unsigned char digests[SMALL_FILES][DIGEST_LEN];
    unsigned char buffer[SMALL_BUFFER];
} small;

static bool small_files_full(void)
{
    return small.count == SMALL_FILES ||
           SMALL_BUFFER - small.used <= SMALL_SIZE;
}

static void put_small_files(bool tag, char mode, char end)
{
    size_t i;

    shaone_digest_many(small.count, small.data, small.len, small.digests);
    for (i = 0; i < small.count; i++)
        put_line(small.name[i], small.digests[i], tag, mode, end);
    small.count = 0;
    small.used = 0;
}

/* Read a file, if it is one of those. If not, or when anything is wrong with
 * it, it is left to hash_file(): false. */
static bool add_small_file(const char *name)
{
    unsigned char *data = small.buffer + small.used;
    size_t len = 0;
    struct stat st;
    ssize_t n;
    int fd;

    /* Before it is opened: that may wait, and earlier files are to be printed
     * first. Files of /proc say that they are empty. */
    if (check_collisions || progress || strcmp(name, "-") == 0 ||
        stat(name, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0 ||
        st.st_size >= SMALL_SIZE)
        return false;
    fd = open_file(name);
    if (fd < 0)
        return false;
    while ((n = read(fd, data + len, SMALL_SIZE - len)) > 0)
        len += (size_t)n;
    if (close(fd) != 0 || n < 0 || len == SMALL_SIZE)
        return false;
    small.name[small.count] = name;
    small.data[small.count] = data;
    small.len[small.count++] = len;
    small.used += len;
    return true;
}

/* ---- checking ---------------------------------------------------------- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Read 40 hex digits; NULL when they are not there. */
static const char *parse_hex(const char *s, unsigned char digest[DIGEST_LEN])
{
    int i;

    for (i = 0; i < DIGEST_LEN; i++, s += 2) {
        int high = hex_value(s[0]);
        int low = high < 0 ? -1 : hex_value(s[1]);

        if (low < 0)
            return NULL;
        digest[i] = (unsigned char)(high << 4 | low);
    }
    return s;
}

static const char *skip_blanks(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* Undo the escapes of put_name() in place; false when there are others. */
static bool unescape(char *name, size_t len)
{
    const char *from = name;
    const char *end = name + len;
    char *to = name;

    for (; from < end; from++) {
        char c = *from;

        if (c == '\0')
            return false;
        if (c == '\\') {
            if (++from == end)
                return false;
            switch (*from) {
            case 'n':
                c = '\n';
                break;
            case 'r':
                c = '\r';
                break;
            case '\\':
                break;
            default:
                return false;
            }
        }
        *to++ = c;
    }
    *to = '\0';
    return true;
}

/* Take a line of a list apart, in place. Returns the name, or NULL when the
 * line has none of the known forms. */
static char *parse_line(char *line, size_t len, unsigned char digest[DIGEST_LEN])
{
    char *end = line + len;
    char *s = line;
    bool escaped;

    while (*s == ' ' || *s == '\t')
        s++;
    escaped = *s == '\\';
    if (escaped)
        s++;

    if (strncmp(s, "SHA1", 4) == 0) {
        /* SHA1 (name) = hash, with or without the first blank */
        const char *p;
        char *close_paren = end;

        s += 4;
        if (*s == ' ')
            s++;
        if (*s++ != '(')
            return NULL;
        /* A name may have a ')' of its own, a digest has none. */
        do {
            if (close_paren == s)
                return NULL;
        } while (*--close_paren != ')');
        p = skip_blanks(close_paren + 1);
        if (*p++ != '=')
            return NULL;
        p = parse_hex(skip_blanks(p), digest);
        if (p == NULL || *p != '\0')
            return NULL;
        end = close_paren;
        *end = '\0';
    } else {
        const char *p = parse_hex(s, digest);

        if (p == NULL || (*p != ' ' && *p != '\t'))
            return NULL;
        s += HEX_LEN + 1;
        if (s == end)
            return NULL;
        if (separator == SEPARATOR_UNKNOWN) {
            bool has_mode = (*s == ' ' || *s == '*') && end - s > 1;

            separator = has_mode ? SEPARATOR_BLANK_MODE : SEPARATOR_BLANK;
        }
        if (separator == SEPARATOR_BLANK_MODE) {
            if ((*s != ' ' && *s != '*') || end - s == 1)
                return NULL;
            s++;
        }
    }
    if (escaped && !unescape(s, (size_t)(end - s)))
        return NULL;
    return s;
}

struct tally {
    uintmax_t well_formed;
    uintmax_t misformatted;
    uintmax_t unreadable;
    uintmax_t mismatched;
    uintmax_t attacked;
    uintmax_t matched;
};

static void put_verdict(const char *name, const char *verdict)
{
    bool escape = strchr(name, '\n') != NULL;

    if (escape)
        putchar('\\');
    put_name(name, escape);
    printf(": %s\n", verdict);
    check_stdout();
}

static void check_one(const char *name, const unsigned char expected[DIGEST_LEN],
                      struct tally *tally)
{
    unsigned char digest[DIGEST_LEN];
    enum hash_result result = hash_file(name, digest);

    switch (result) {
    case HASH_MISSING:
        break;
    case HASH_ERROR:
        tally->unreadable++;
        if (report != REPORT_NOTHING)
            put_verdict(name, "FAILED open or read");
        break;
    case HASH_OK:
    case HASH_ATTACKED:
        if (memcmp(digest, expected, DIGEST_LEN) != 0) {
            tally->mismatched++;
            if (report != REPORT_NOTHING)
                put_verdict(name, "FAILED");
        } else if (result == HASH_ATTACKED) {
            /* Another file has this digest too. */
            tally->attacked++;
            if (report != REPORT_NOTHING)
                put_verdict(name, "FAILED collision attack");
        } else {
            tally->matched++;
            if (report != REPORT_NOTHING && report != REPORT_FAILURES)
                put_verdict(name, "OK");
        }
    }
}

static void warn_count(uintmax_t count, const char *one, const char *many)
{
    if (count > 0)
        complain("WARNING: %" PRIuMAX " %s", count, count == 1 ? one : many);
}

static bool conclude(const char *list_name, const struct tally *tally)
{
    if (tally->well_formed == 0) {
        complain_about(list_name, "no properly formatted checksum lines found");
        return false;
    }
    if (report != REPORT_NOTHING) {
        warn_count(tally->misformatted, "line is improperly formatted",
                   "lines are improperly formatted");
        warn_count(tally->unreadable, "listed file could not be read",
                   "listed files could not be read");
        warn_count(tally->mismatched, "computed checksum did NOT match",
                   "computed checksums did NOT match");
        warn_count(tally->attacked,
                   "listed file is part of a collision attack",
                   "listed files are part of a collision attack");
        if (ignore_missing && tally->matched == 0)
            complain_about(list_name, "no file was verified");
    }
    return tally->matched > 0 && tally->unreadable == 0 &&
           tally->mismatched == 0 && tally->attacked == 0 &&
           !(strict && tally->misformatted > 0);
}

/* Check all files of a list; true when all is well. */
static bool check_list(const char *list_name)
{
    bool is_stdin = strcmp(list_name, "-") == 0;
    struct tally tally = {0, 0, 0, 0, 0, 0};
    uintmax_t line_number = 0;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t got;
    FILE *list;
    bool failed;

    if (is_stdin) {
        stdin_used = true;
        list_name = "standard input";
        list = stdin;
    } else {
        int fd = open_file(list_name);

        list = fd < 0 ? NULL : fdopen(fd, "r");
        if (list == NULL) {
            complain_errno(list_name, errno);
            if (fd >= 0)
                close(fd);
            return false;
        }
    }

    while ((got = getline(&line, &capacity, list)) > 0) {
        unsigned char expected[DIGEST_LEN];
        size_t len = (size_t)got;
        const char *name;

        line_number++;
        if (line[0] == '#')
            continue;
        if (line[len - 1] == '\n')
            len--;
        if (len > 0 && line[len - 1] == '\r')
            len--;
        if (len == 0)
            continue;
        line[len] = '\0';

        name = parse_line(line, len, expected);
        /* Standard input can't be both the list and a file in it. */
        if (name != NULL && !(is_stdin && strcmp(name, "-") == 0)) {
            tally.well_formed++;
            check_one(name, expected, &tally);
            continue;
        }
        tally.misformatted++;
        if (report == REPORT_BAD_LINES)
            complain_about(list_name,
                           "%" PRIuMAX
                           ": improperly formatted SHA1 checksum line",
                           line_number);
    }
    free(line);

    failed = ferror(list) != 0;
    if (failed)
        complain_about(list_name, "read error");
    if (!is_stdin && fclose(list) != 0 && !failed) {
        complain_errno(list_name, errno);
        failed = true;
    }
    return !failed && conclude(list_name, &tally);
}

/* ---- command line ------------------------------------------------------ */

static void print_help(void)
{
    printf("Usage: %s [OPTION]... [FILE]...\n", program);
    fputs("Print the SHA-1 digest of each FILE, or check the digests in lists.\n"
          "Without FILE, or where FILE is -, read standard input.\n"
          "\n"
          "  -b, --binary          mark each digest as of binary data ('*')\n"
          "  -t, --text            mark it as of text (' ', the default); the\n"
          "                        bytes hashed are the same\n"
          "      --tag             print lines of the form SHA1 (FILE) = DIGEST\n"
          "  -z, --zero            end lines with NUL and do not escape names\n"
          "  -c, --check           each FILE is a list of digests: check the\n"
          "                        files that it names\n"
          "      --check-collisions\n"
          "                        look for SHA-1 collision attacks too: warn of a\n"
          "                        FILE that is part of one, and fail; the digest is\n"
          "                        printed all the same. With --check such a file\n"
          "                        has FAILED, even where its digest is as listed.\n"
          "                        This option has no shorter form\n"
          "      --progress        show bytes and speed of long inputs, when\n"
          "                        standard error is a terminal\n"
          "      --help            print this help and exit\n"
          "      --version         print the version and exit\n"
          "\n"
          "With --check:\n"
          "      --ignore-missing  pass over files that do not exist\n"
          "      --quiet           do not print OK for each good file\n"
          "      --status          print no verdicts, only set the exit status\n"
          "      --strict          fail when a line of a list is malformed\n"
          "  -w, --warn            name each malformed line\n"
          "\n"
          "A list is earlier output of this program in any of its forms. Names\n"
          "with a newline, a carriage return or a backslash are written with\n"
          "\\n, \\r, \\\\, on a line that begins with a backslash.\n"
          "\n"
          "The exit status is 0 when all went well and 1 otherwise.\n",
          stdout);
}

static void usage_error(const char *message)
{
    if (message != NULL)
        fprintf(stderr, "%s: %s\n", program, message);
    fprintf(stderr, "Try '%s --help' for more information.\n", program);
    exit(EXIT_FAILURE);
}

/* Take --check-collisions out of the arguments and tell whether it was there.
 * Among getopt_long()'s options it would make --check's shorter forms ambiguous. */
static bool take_check_collisions(int *argc, char **argv)
{
    bool posix = getenv("POSIXLY_CORRECT") != NULL;
    bool taken = false;
    int from = 1;
    int to = 1;

    for (; from < *argc; from++) {
        const char *arg = argv[from];

        if (strcmp(arg, "--check-collisions") == 0) {
            taken = true;
            continue;
        }
        /* File names from here on. */
        if (strcmp(arg, "--") == 0 ||
            (posix && (arg[0] != '-' || arg[1] == '\0')))
            break;
        argv[to++] = argv[from];
    }
    while (from < *argc)
        argv[to++] = argv[from++];
    if (to < *argc) {
        argv[to] = NULL;
        *argc = to;
    }
    return taken;
}

static int finish(bool ok)
{
    if (stdin_used && close(STDIN_FILENO) != 0) {
        complain("standard input: %s", strerror(errno));
        ok = false;
    }
    check_stdout();
    flush_stdout();
    /* A closed standard output is no error when there was nothing to say. */
    if (fclose(stdout) != 0 && errno != EBADF)
        report_write_error();
    return ok && !ferror(stderr) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    enum {
        OPT_HELP = 256,
        OPT_IGNORE_MISSING,
        OPT_PROGRESS,
        OPT_QUIET,
        OPT_STATUS,
        OPT_STRICT,
        OPT_TAG,
        OPT_VERSION
    };
    static const struct option options[] = {
        {"binary", no_argument, NULL, 'b'},
        {"check", no_argument, NULL, 'c'},
        {"help", no_argument, NULL, OPT_HELP},
        {"ignore-missing", no_argument, NULL, OPT_IGNORE_MISSING},
        {"progress", no_argument, NULL, OPT_PROGRESS},
        {"quiet", no_argument, NULL, OPT_QUIET},
        {"status", no_argument, NULL, OPT_STATUS},
        {"strict", no_argument, NULL, OPT_STRICT},
        {"tag", no_argument, NULL, OPT_TAG},
        {"text", no_argument, NULL, 't'},
        {"version", no_argument, NULL, OPT_VERSION},
        {"warn", no_argument, NULL, 'w'},
        {"zero", no_argument, NULL, 'z'},
        {NULL, 0, NULL, 0},
    };
    static char from_stdin[] = "-";
    static char *only_stdin[] = {from_stdin, NULL};
    bool check = false;
    bool tag = false;
    char mode = '\0'; /* not given */
    char end = '\n';
    bool ok = true;
    char **file;
    int c;

    program = argc > 0 ? argv[0] : "sha1sum";
    setlocale(LC_ALL, "");
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ); /* a message is one write(2) */

    check_collisions = take_check_collisions(&argc, argv);
    while ((c = getopt_long(argc, argv, "bctwz", options, NULL)) != -1) {
        switch (c) {
        case 'b':
            mode = '*';
            break;
        case 't':
            mode = ' ';
            break;
        case 'c':
            check = true;
            break;
        case 'w':
            report = REPORT_BAD_LINES;
            break;
        case 'z':
            end = '\0';
            break;
        case OPT_TAG:
            tag = true;
            mode = '*';
            break;
        case OPT_IGNORE_MISSING:
            ignore_missing = true;
            break;
        case OPT_QUIET:
            report = REPORT_FAILURES;
            break;
        case OPT_STATUS:
            report = REPORT_NOTHING;
            break;
        case OPT_STRICT:
            strict = true;
            break;
        case OPT_PROGRESS:
            progress = isatty(STDERR_FILENO) == 1;
            break;
        case OPT_HELP:
            print_help();
            return finish(true);
        case OPT_VERSION:
            printf("sha1sum (shaone) %s\n", shaone_version());
            return finish(true);
        default:
            usage_error(NULL);
        }
    }

    if (tag && mode == ' ')
        usage_error("--tag does not support --text mode");
    if (check) {
        if (end == '\0')
            usage_error("the --zero option is not supported when verifying "
                        "checksums");
        if (tag)
            usage_error("the --tag option is meaningless when verifying "
                        "checksums");
        if (mode != '\0')
            usage_error("the --binary and --text options are meaningless when "
                        "verifying checksums");
    } else {
        if (ignore_missing)
            usage_error("the --ignore-missing option is meaningful only when "
                        "verifying checksums");
        if (report == REPORT_NOTHING)
            usage_error("the --status option is meaningful only when verifying "
                        "checksums");
        if (report == REPORT_BAD_LINES)
            usage_error("the --warn option is meaningful only when verifying "
                        "checksums");
        if (report == REPORT_FAILURES)
            usage_error("the --quiet option is meaningful only when verifying "
                        "checksums");
        if (strict)
            usage_error("the --strict option is meaningful only when verifying "
                        "checksums");
    }

    if (mode == '\0')
        mode = ' ';
    for (file = optind < argc ? argv + optind : only_stdin; *file; file++) {
        unsigned char digest[DIGEST_LEN];
        enum hash_result result;

        if (check) {
            ok &= check_list(*file);
            continue;
        }
        if (add_small_file(*file)) {
            if (small_files_full())
                put_small_files(tag, mode, end);
            continue;
        }
        put_small_files(tag, mode, end);
        result = hash_file(*file, digest);
        if (result == HASH_OK || result == HASH_ATTACKED)
            put_line(*file, digest, tag, mode, end);
        ok &= result == HASH_OK;
    }
    put_small_files(tag, mode, end);
    return finish(ok);
}
