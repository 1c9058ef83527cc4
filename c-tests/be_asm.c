/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Never run: tests/c_api.rs compiles it to assembly and reads that. Each
 * function must be one load or store and at most one byte swap.
 */
#include "shaone/be.h"

#define FUNCTIONS(kind, bits)                                \
    uint##bits##_t asm_get_##kind(const void *p);            \
    void asm_put_##kind(void *p, uint##bits##_t value);      \
    uint##bits##_t asm_get_##kind(const void *p)             \
    {                                                        \
        return get_##kind(p);                                \
    }                                                        \
    void asm_put_##kind(void *p, uint##bits##_t value)       \
    {                                                        \
        put_##kind(p, value);                                \
    }

FUNCTIONS(be16, 16)
FUNCTIONS(be32, 32)
FUNCTIONS(be64, 64)
FUNCTIONS(le16, 16)
FUNCTIONS(le32, 32)
FUNCTIONS(le64, 64)
