#include "backends/host/signature.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/model/plan/c_token.h"

const char *parameter_name(enum parameter_kind kind)
{
    static const char *const names[] = {
        [PARAMETER_ANY] = "of a type of the source's own",
        [PARAMETER_POINTER] = "a pointer",
        [PARAMETER_FLOAT] = "float",
        [PARAMETER_DOUBLE] = "double",
        [PARAMETER_INT] = "int",
        [PARAMETER_LONG] = "long",
        [PARAMETER_OTHER] = "a number of 16 bits or less",
    };

    return names[kind];
}

bool parameter_takes(enum parameter_kind kind, const struct launch_arg *arg)
{
    enum dtype dtype = arg->kind == ARG_INTEGER ? DTYPE_I32 : arg->dtype;

    if (arg->kind == ARG_BUFFER)
        return kind == PARAMETER_POINTER || kind == PARAMETER_ANY;
    if (arg->kind != ARG_INTEGER && arg->kind != ARG_NUMBER)
        return false;
    switch (kind) {
    case PARAMETER_ANY:
        return true;
    case PARAMETER_FLOAT:
        return dtype == DTYPE_F32;
    case PARAMETER_DOUBLE:
        return dtype == DTYPE_F64;
    case PARAMETER_INT:
        return dtype == DTYPE_I32;
    case PARAMETER_LONG:
        return dtype == DTYPE_I64;
    case PARAMETER_OTHER:
        return dtype == DTYPE_F16 || dtype == DTYPE_BF16 || dtype == DTYPE_BOOL;
    case PARAMETER_POINTER:
    default:
        return false;
    }
}

static const struct {
    const char *word;
    enum parameter_kind kind;
} types[] = {
    {"float", PARAMETER_FLOAT},    {"double", PARAMETER_DOUBLE},  {"long", PARAMETER_LONG},
    {"size_t", PARAMETER_LONG},    {"ptrdiff_t", PARAMETER_LONG}, {"int64_t", PARAMETER_LONG},
    {"uint64_t", PARAMETER_LONG},  {"short", PARAMETER_OTHER},    {"char", PARAMETER_OTHER},
    {"uint16_t", PARAMETER_OTHER}, {"int16_t", PARAMETER_OTHER},  {"uint8_t", PARAMETER_OTHER},
    {"int8_t", PARAMETER_OTHER},   {"_Bool", PARAMETER_OTHER},    {"bool", PARAMETER_OTHER},
    {"int32_t", PARAMETER_INT},    {"uint32_t", PARAMETER_INT},   {"unsigned", PARAMETER_INT},
    {"int", PARAMETER_INT},
};

static bool has_word(const char *text, size_t len, const char *word)
{
    size_t size = strlen(word);

    for (size_t i = 0; i + size <= len; i++)
        if (memcmp(text + i, word, size) == 0 && (i == 0 || !text_is_of_name(text[i - 1])) &&
            (i + size == len || !text_is_of_name(text[i + size])))
            return true;
    return false;
}

static enum parameter_kind kind_of(const char *text, size_t len)
{
    if (memchr(text, '*', len) || memchr(text, '[', len))
        return PARAMETER_POINTER;
    for (size_t i = 0; i < COUNT(types); i++)
        if (has_word(text, len, types[i].word))
            return types[i].kind;
    return PARAMETER_ANY;
}

/* Read the parameters between `open`, a parenthesis, and `end`, the one that closes it. */
static struct signature read_parameters(const char *open, const char *end)
{
    struct signature signature = {.is_known = true};

    if (memchr(open + 1, '(', (size_t)(end - open - 1)))
        return (struct signature){0};
    for (const char *at = open + 1; at < end; at++) {
        size_t len = strcspn(at, ",)");
        bool is_none = has_word(at, len, "void") && !memchr(at, '*', len);

        if (signature.count == COUNT(signature.parameters))
            return (struct signature){0};
        if (!is_none && strspn(at, " \t\n") < len)
            signature.parameters[signature.count++] = kind_of(at, len);
        at += len;
    }
    return signature;
}

/*
 * The parenthesis that ends the parameters of a definition, which a body follows; else NULL. A
 * parenthesis among the parameters ends the search, so that nested ones are not searched for each
 * of them.
 */
static const char *end_of_parameters(const char *at)
{
    struct c_token end = c_token_next(&at), body;

    while (end.len && !c_token_is(&end, ")") && !c_token_is(&end, "("))
        end = c_token_next(&at);
    body = c_token_next(&at);
    return c_token_is(&end, ")") && c_token_is(&body, "{") ? end.text : NULL;
}

void signatures_read(const char *source, signature_place_fn *place, void *data)
{
    struct c_token name = {0}, token;

    for (; (token = c_token_next(&source)).len; name = token) {
        const char *end = NULL;
        struct signature *signature;

        if (name.kind == C_TOKEN_WORD && c_token_is(&token, "("))
            end = end_of_parameters(source);
        signature = end ? place(data, name.text, name.len) : NULL;
        if (signature && !signature->is_known)
            *signature = read_parameters(token.text, end);
    }
}
