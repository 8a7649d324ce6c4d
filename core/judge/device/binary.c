#include "core/judge/device/binary.h"

#include <stdlib.h>

#include "core/base/base64.h"
#include "core/base/mem.h"

void binary_release(struct binary *binary)
{
    free(binary->log);
    free(binary->ptx);
    strbuf_release(&binary->machine);
    *binary = (struct binary){0};
}

struct binary binary_copy(const struct binary *binary)
{
    struct binary copy = {.log = mem_strdup(binary->log), .ptx = mem_strdup(binary->ptx)};

    strbuf_add(&copy.machine, binary->machine.data, binary->machine.len);
    return copy;
}

struct json *binary_encode(const struct binary *binary)
{
    struct json *object = json_object_new();
    struct strbuf machine = {0};

    base64_add(&machine, binary->machine.data, binary->machine.len);
    json_put_string(object, "log", binary->log);
    json_put_string(object, "ptx", binary->ptx);
    json_put_string(object, "machine", strbuf_cstr(&machine));
    strbuf_release(&machine);
    return object;
}

static enum status read_text(const struct json_ref *at, const char *key, const char **text,
                             struct error *err)
{
    struct json_ref member = json_ref_member(at, key);

    return json_read_string(&member, text, err);
}

enum status binary_decode(struct binary *binary, const struct json_ref *at, struct error *err)
{
    const char *log = NULL, *ptx = NULL, *machine = NULL;
    struct binary read = {0};
    enum status st = read_text(at, "log", &log, err);

    if (!st)
        st = read_text(at, "ptx", &ptx, err);
    if (!st)
        st = read_text(at, "machine", &machine, err);
    if (!st && !base64_decode(&read.machine, machine))
        st = json_ref_error(at, err, "the machine code is not base64");
    if (st) {
        binary_release(&read);
        return st;
    }
    read.log = mem_strdup(log);
    read.ptx = mem_strdup(ptx);
    *binary = read;
    return STATUS_OK;
}
