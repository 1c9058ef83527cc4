/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The list parser of sha1sum, in this process. */

#define main sha1sum_main
#include "../../examples/programs/sha1sum.c"

/* What `sha1sum -c OPTIONS list` prints, with both outputs in one; *text is to be freed.
 * The options are a report and the two switches. */
bool shim_check_list(const char *list, int report_what, bool set_strict, bool set_ignore_missing,
                     char **text, size_t *len)
{
    FILE *out = stdout, *err = stderr;
    bool ok;

    program = "sha1sum";
    report = (enum report)report_what;
    strict = set_strict;
    ignore_missing = set_ignore_missing;
    separator = SEPARATOR_UNKNOWN;
    stdin_used = false;
    /* In glibc these are variables. */
    stdout = stderr = open_memstream(text, len);
    if (stdout == NULL)
        abort();
    ok = check_list(list);
    fclose(stdout);
    stdout = out;
    stderr = err;
    return ok;
}
