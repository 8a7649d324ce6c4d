#include "core/judge/device/binary.h"

#include <stdlib.h>

#include "core/base/formats/base64.h"
#include "core/base/mem.h"
#include "core/base/vec.h"

void binary_release(struct binary *binary)
{
    free(binary->log);
    free(binary->ptx);
    strbuf_release(&binary->machine);
    for (size_t i = 0; i < binary->parts.count; i++) {
        free(binary->parts.items[i].kernel);
        free(binary->parts.items[i].ptx);
        strbuf_release(&binary->parts.items[i].machine);
    }
    vec_release(&binary->parts);
    *binary = (struct binary){0};
}

struct binary binary_copy(const struct binary *binary)
{
    struct binary copy = {.log = mem_strdup(binary->log), .ptx = mem_strdup(binary->ptx)};

    strbuf_add(&copy.machine, binary->machine.data, binary->machine.len);
    for (size_t i = 0; i < binary->parts.count; i++) {
        const struct binary_part *part = &binary->parts.items[i];
        struct binary_part same = {.kernel = mem_strdup(part->kernel),
                                   .ptx = mem_strdup(part->ptx)};

        strbuf_add(&same.machine, part->machine.data, part->machine.len);
        vec_push(&copy.parts, same);
    }
    return copy;
}

static void put_machine(struct json *object, const struct strbuf *machine)
{
    struct strbuf encoded = {0};

    base64_add(&encoded, machine->data, machine->len);
    json_put_string(object, "machine", strbuf_cstr(&encoded));
    strbuf_release(&encoded);
}

static void put_parts(struct json *object, const struct binary *binary)
{
    struct json *array = json_put(object, "parts", json_array_new());

    for (size_t i = 0; i < binary->parts.count; i++) {
        struct json *part = json_push(array, json_object_new());

        json_put_string(part, "kernel", binary->parts.items[i].kernel);
        json_put_string(part, "ptx", binary->parts.items[i].ptx);
        put_machine(part, &binary->parts.items[i].machine);
    }
}

struct json *binary_encode(const struct binary *binary)
{
    struct json *object = json_object_new();

    json_put_string(object, "log", binary->log);
    json_put_string(object, "ptx", binary->ptx);
    put_machine(object, &binary->machine);
    if (binary->parts.count)
        put_parts(object, binary);
    return object;
}

static enum status read_text(const struct json_ref *at, const char *key, const char **text,
                             struct error *err)
{
    struct json_ref member = json_ref_member(at, key);

    return json_read_string(&member, text, err);
}

static enum status read_machine(const struct json_ref *at, struct strbuf *machine,
                                struct error *err)
{
    const char *encoded = NULL;
    enum status st = read_text(at, "machine", &encoded, err);

    if (!st && !base64_decode(machine, encoded))
        st = json_ref_error(at, err, "the machine code is not base64");
    return st;
}

static enum status read_part(struct binary *binary, const struct json_ref *at, struct error *err)
{
    const char *kernel = NULL, *ptx = NULL;
    struct binary_part part = {0};
    enum status st = read_text(at, "kernel", &kernel, err);

    if (!st)
        st = read_text(at, "ptx", &ptx, err);
    if (!st)
        st = read_machine(at, &part.machine, err);
    if (st) {
        strbuf_release(&part.machine);
        return st;
    }
    part.kernel = mem_strdup(kernel);
    part.ptx = mem_strdup(ptx);
    vec_push(&binary->parts, part);
    return STATUS_OK;
}

enum status binary_decode(struct binary *binary, const struct json_ref *at, struct error *err)
{
    const char *log = NULL, *ptx = NULL;
    struct json_ref parts = json_ref_member(at, "parts");
    struct binary read = {0};
    enum status st = read_text(at, "log", &log, err);

    if (!st)
        st = read_text(at, "ptx", &ptx, err);
    if (!st)
        st = read_machine(at, &read.machine, err);
    for (struct json_ref p = json_ref_first(&parts); !st && p.value; p = json_ref_next(&p))
        st = read_part(&read, &p, err);
    if (st) {
        binary_release(&read);
        return st;
    }
    read.log = mem_strdup(log);
    read.ptx = mem_strdup(ptx);
    *binary = read;
    return STATUS_OK;
}
