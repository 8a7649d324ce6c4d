#ifndef CORE_JUDGE_DEVICE_BINARY_H
#define CORE_JUDGE_DEVICE_BINARY_H

#include "core/base/json.h"
#include "core/base/strbuf.h"

/* What a compiler made of a source: enough to load the program again without the compiler. */
struct binary {
    char *log; /* of the compiler and the assembler */
    char *ptx;
    struct strbuf machine; /* code of the machine; empty where the driver translates the PTX */
};

/* Free the texts; all zeros afterwards. */
void binary_release(struct binary *binary);

/* A copy, the caller's. */
struct binary binary_copy(const struct binary *binary);

/* As JSON, the code of the machine in base64. */
struct json *binary_encode(const struct binary *binary);
enum status binary_decode(struct binary *binary, const struct json_ref *at,
                          struct error *err) MUST_CHECK;

#endif
