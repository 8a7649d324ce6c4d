#include "backends/executor_answers.h"

#include "core/base/formats/base64.h"

static void add_code(struct strbuf *text, const struct strbuf *code, enum code_kind kind)
{
    if (kind == CODE_MACHINE)
        base64_add(text, code->data, code->len);
    strbuf_adds(text, kind == CODE_MACHINE ? "\n" : strbuf_cstr(code));
}

void executor_put_code(struct json *answer, const struct strbuf *code, enum code_kind kind)
{
    struct strbuf text = {0};

    add_code(&text, code, kind);
    json_put_string(answer, "code", strbuf_cstr(&text));
    strbuf_release(&text);
}

bool executor_put_parts(const struct bench *bench, const struct loaded *slot, struct json *answer)
{
    struct binary binary = {0};
    struct strbuf text = {0};

    if (bench->is_cpu || !bench->ops->binary || bench->ops->binary(slot->program, &binary, NULL))
        return false;
    for (size_t i = 0; i < binary.parts.count; i++)
        add_code(&text, &binary.parts.items[i].machine, CODE_MACHINE);
    if (text.len)
        json_put_string(answer, "code", strbuf_cstr(&text));
    binary_release(&binary);
    strbuf_release(&text);
    return json_get(answer, "code");
}

void executor_put_numbers(struct json *object, const char *key, const double *numbers, size_t count)
{
    struct json *array = json_put(object, key, json_array_new());

    for (size_t i = 0; i < count; i++)
        json_push(array, json_number_new(numbers[i]));
}

void executor_put_indices(struct json *object, const char *key, const bool *is_set, size_t count)
{
    struct json *array = json_put(object, key, json_array_new());

    for (size_t i = 0; i < count; i++)
        if (is_set[i])
            json_push(array, json_number_new((double)i));
}

bool executor_put_handles(const struct bench *bench, const struct loaded *slot, struct json *answer)
{
    struct json *handles = json_array_new();
    enum status st = bench_handles(bench, slot, handles, NULL);

    if (st)
        json_free(handles);
    else
        json_put(answer, "handles", handles);
    return !st;
}
