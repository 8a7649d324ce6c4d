#ifndef CORE_JUDGE_DEVICE_BINARY_H
#define CORE_JUDGE_DEVICE_BINARY_H

#include "core/base/json.h"
#include "core/base/strbuf.h"

/* The code of a kernel, or of several. */
struct binary_part {
    char *kernel; /* the name by which launches call the first one; its entry may have another */
    char *ptx;
    struct strbuf machine;
};

/* The result of compiling a source, from which a program can be loaded without the compiler. */
struct binary {
    char *log; /* messages of the compiler and the assembler */
    char *ptx;
    struct strbuf machine; /* machine code; empty if the driver translates the PTX */
    /*
     * The results of a compiler that compiles one or a few kernels at a time. The members above are
     * then empty.
     */
    struct {
        struct binary_part *items;
        size_t count, capacity;
    } parts;
};

/* Free the texts. All zeros afterwards. */
void binary_release(struct binary *binary);

/* A copy, the caller's. */
struct binary binary_copy(const struct binary *binary);

/*
 * To JSON, which the caller owns, and back, with the machine code in base64. Decoding fails with
 * STATUS_INVALID.
 */
struct json *binary_encode(const struct binary *binary);
enum status binary_decode(struct binary *binary, const struct json_ref *at,
                          struct error *err) MUST_CHECK;

#endif
