#include "tui/code.h"

#include <ctype.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const keywords[] = {
    "__constant",    "__global",     "__kernel", "__local", "__private", "__read_only",
    "__read_write",  "__write_only", "break",    "case",    "const",     "constant",
    "continue",      "default",      "do",       "else",    "enum",      "extern",
    "for",           "global",       "goto",     "if",      "inline",    "kernel",
    "local",         "private",      "restrict", "return",  "sizeof",    "static",
    "struct",        "switch",       "typedef",  "union",   "volatile",  "while",
    "__attribute__",
};

/* The scalar ones also with a vector's length behind them: float4. */
static const char *const types[] = {
    "bool",      "char",     "double",  "event_t", "float",    "half",   "image2d_t",
    "int",       "int16_t",  "int32_t", "int64_t", "int8_t",   "long",   "ptrdiff_t",
    "sampler_t", "short",    "signed",  "size_t",  "uchar",    "uint",   "uint16_t",
    "uint32_t",  "uint64_t", "uint8_t", "ulong",   "unsigned", "ushort", "void",
};

static const char *const builtins[] = {
    "abs",        "acos",     "asin",  "atan",      "atan2",    "barrier",  "cbrt",  "ceil",
    "clamp",      "copysign", "cos",   "cosh",      "cross",    "distance", "dot",   "erf",
    "erfc",       "exp",      "exp10", "exp2",      "expm1",    "fabs",     "floor", "fma",
    "fmax",       "fmin",     "fmod",  "hypot",     "isfinite", "isinf",    "isnan", "length",
    "log",        "log10",    "log1p", "log2",      "mad",      "mad24",    "max",   "mem_fence",
    "min",        "mix",      "mul24", "normalize", "popcount", "pow",      "powr",  "prefetch",
    "printf",     "rint",     "round", "rsqrt",     "select",   "sign",     "sin",   "sinh",
    "smoothstep", "sqrt",     "step",  "tan",       "tanh",     "tgamma",   "trunc",
};

/* Families of functions: whatever begins so. */
static const char *const families[] = {
    "as_",   "async_work_group_", "atom_",      "atomic_", "convert_", "get_",
    "half_", "native_",           "sub_group_", "vload",   "vstore",   "work_group_",
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_listed(const char *const *words, size_t count, const char *text, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(words[i], text, len) == 0 && words[i][len] == '\0')
            return true;
    return false;
}

/* The length without a vector's 2, 3, 4, 8 or 16. */
static size_t scalar_length(const char *text, size_t len)
{
    if (len > 2 && memcmp(text + len - 2, "16", 2) == 0)
        return len - 2;
    return len > 1 && strchr("2348", text[len - 1]) ? len - 1 : len;
}

static bool is_builtin(const char *text, size_t len)
{
    for (size_t i = 0; i < COUNT(families); i++)
        if (strlen(families[i]) < len && memcmp(families[i], text, strlen(families[i])) == 0)
            return true;
    return is_listed(builtins, COUNT(builtins), text, len);
}

static enum role word_role(const char *text, size_t len)
{
    if (is_listed(keywords, COUNT(keywords), text, len))
        return ROLE_KEYWORD;
    if (is_listed(types, COUNT(types), text, len) ||
        is_listed(types, COUNT(types), text, scalar_length(text, len)))
        return ROLE_TYPE;
    return is_builtin(text, len) ? ROLE_BUILTIN : ROLE_TEXT;
}

static size_t word_length(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && is_word(text[i]))
        i++;
    return i;
}

/* Preprocessing numbers (C17 6.4.8): digits, letters, dots, and a sign after an exponent. */
static size_t number_length(const char *text, size_t len)
{
    size_t i = 1;

    while (i < len && (is_word(text[i]) || text[i] == '.' ||
                       (strchr("+-", text[i]) && strchr("eEpP", text[i - 1]))))
        i++;
    return i;
}

/* Up to the closing quote, or to the end of a line that has none. */
static size_t string_length(const char *text, size_t len)
{
    size_t i = 1;

    while (i < len && text[i] != text[0])
        i += text[i] == '\\' ? 2 : 1;
    return i < len ? i + 1 : len;
}

/* What is left of a block comment; `state` moves on where it ends. */
static size_t comment_length(enum code_state *state, const char *text, size_t len)
{
    const char *end = memmem(text, len, "*/", 2);

    *state = end ? CODE_PLAIN : CODE_COMMENT;
    return end ? (size_t)(end - text) + 2 : len;
}

static size_t blank_length(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && isspace((unsigned char)text[i]))
        i++;
    return i;
}

static bool begins(const char *text, size_t len, const char *with)
{
    return len >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* A directive runs to the end of its line, or to a comment. */
static size_t directive_length(const char *text, size_t len)
{
    size_t i = 1;

    while (i < len && !begins(text + i, len - i, "/*") && !begins(text + i, len - i, "//"))
        i++;
    return i;
}

/* `*role` when that is where the lexer is, else plain text. */
static size_t plain_token(const char *text, size_t len, enum role *role)
{
    if (isdigit((unsigned char)text[0]) ||
        (len > 1 && text[0] == '.' && isdigit((unsigned char)text[1]))) {
        *role = ROLE_NUMBER;
        return number_length(text, len);
    }
    if (text[0] == '"' || text[0] == '\'') {
        *role = ROLE_STRING;
        return string_length(text, len);
    }
    if (is_word(text[0])) {
        size_t word = word_length(text, len);

        *role = word_role(text, word);
        return word;
    }
    *role = ROLE_TEXT;
    return 1;
}

size_t code_token(enum code_state *state, const char *text, size_t len, enum role *role)
{
    size_t blanks = blank_length(text, len);

    *role = ROLE_COMMENT;
    if (*state == CODE_COMMENT)
        return comment_length(state, text, len);
    if (begins(text, len, "//"))
        return len;
    if (begins(text, len, "/*"))
        return len > 2 ? 2 + comment_length(state, text + 2, len - 2)
                       : (*state = CODE_COMMENT, len);
    *role = ROLE_DIRECTIVE;
    if (*state == CODE_DIRECTIVE || text[0] == '#') {
        *state = CODE_DIRECTIVE;
        return directive_length(text, len);
    }
    *role = ROLE_TEXT;
    return blanks ? blanks : plain_token(text, len, role);
}

enum code_state code_next_line(enum code_state state, const char *line, size_t len)
{
    enum role role;

    for (size_t at = 0; at < len;)
        at += code_token(&state, line + at, len - at, &role);
    if (state == CODE_DIRECTIVE && (len == 0 || line[len - 1] != '\\'))
        return CODE_PLAIN;
    return state;
}

void code_put_line(struct pen *pen, enum code_state state, const char *line, size_t len)
{
    for (size_t at = 0; at < len && !pen_is_past_edge(pen);) {
        enum role role;
        size_t taken = code_token(&state, line + at, len - at, &role);

        pen_put(pen, role, line + at, taken);
        at += taken;
    }
}
