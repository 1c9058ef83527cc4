/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* gnulib declares hmac_sha1 here; ours stands with the rest. */
#ifndef SHAONE_COMPAT_GNULIB_HMAC_H
#define SHAONE_COMPAT_GNULIB_HMAC_H

#include "sha1.h"

#endif /* SHAONE_COMPAT_GNULIB_HMAC_H */
