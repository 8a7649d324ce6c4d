#ifndef CORE_JUDGE_DEVICE_BINARY_H
#define CORE_JUDGE_DEVICE_BINARY_H

#include "core/base/json.h"
#include "core/base/strbuf.h"

/* The result of compiling a source, from which a program can be loaded without the compiler. */
struct binary {
    char *log; /* of the compiler and the assembler */
    char *ptx;
    struct strbuf machine; /* machine code; empty if the driver translates the PTX */
};

/* Free the texts. All zeros afterwards. */
void binary_release(struct binary *binary);

/* A copy, the caller's. */
struct binary binary_copy(const struct binary *binary);

/* JSON form, with the machine code in base64. */
struct json *binary_encode(const struct binary *binary);
enum status binary_decode(struct binary *binary, const struct json_ref *at,
                          struct error *err) MUST_CHECK;

#endif
