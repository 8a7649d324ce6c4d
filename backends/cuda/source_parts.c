#include "backends/cuda/source_parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/model/plan/c_token.h"

/* A position in a text, and whether the text is not understood. */
struct reader {
    const char *at;
    bool is_lost;
};

static struct c_token next_token(struct reader *r)
{
    struct c_token token = c_token_next(&r->at);
    bool launches = token.kind == C_TOKEN_SIGN && strncmp(token.text, "<<<", 3) == 0;

    r->is_lost |= token.kind == C_TOKEN_LOST || launches;
    return token;
}

/* A directive in a kernel that may mean more than the kernel does. */
static bool is_wide_pragma(const struct c_token *directive)
{
    static const char *const narrow[] = {"unroll", "nounroll", NULL};
    const char *inside = directive->text + 1;
    struct c_token name = c_token_next(&inside), what = c_token_next(&inside);

    return c_token_is(&name, "pragma") && !c_token_is_one_of(&what, narrow);
}

/* Skip to the sign that closes what has been opened. */
static void skip_block(struct reader *r, const char *open, const char *close)
{
    size_t depth = 1;

    while (depth > 0 && !r->is_lost) {
        struct c_token token = next_token(r);

        depth += c_token_is(&token, open);
        depth -= c_token_is(&token, close);
        r->is_lost |= token.kind == C_TOKEN_END ||
                      (token.kind == C_TOKEN_DIRECTIVE && is_wide_pragma(&token));
    }
}

/* The text, the number of open namespaces, and the kernels so far. */
struct outermost {
    const char *text;
    size_t depth;
    struct source_parts *parts;
};

/* The state of a declaration while it is read. */
struct declaration {
    bool is_kernel, is_of_device, has_parameters, is_template, is_outer;
    const char *begin; /* NULL before its first token */
    size_t names;      /* words outside of parentheses that are not known */
};

static void read_word(const struct c_token *word, struct declaration *d)
{
    static const char *const marks[] = {"__global__", "__kernel", NULL};
    static const char *const outer[] = {"extern", "namespace", NULL};
    static const char *const others[] = {
        "extern",           "static",      "inline", "void", "__launch_bounds__",
        "__cluster_dims__", "__maxnreg__", NULL};

    d->is_outer |= c_token_is_one_of(word, outer);
    d->is_template |= c_token_is(word, "template");
    d->is_of_device |= c_token_is(word, "__device__");
    if (c_token_is_one_of(word, marks))
        d->is_kernel = true;
    else if (!c_token_is_one_of(word, others))
        d->names++;
}

/* True for variables, which all kernels of a program share. */
static bool is_variable(const struct c_token *token, const struct declaration *d)
{
    static const char *const words[] = {"__constant__", "__managed__", NULL};
    static const char *const ends[] = {";", "=", "[", NULL};

    return c_token_is_one_of(token, words) || (c_token_is_one_of(token, ends) && d->is_of_device &&
                                               !d->has_parameters && !d->is_template);
}

/* A block at the outermost level: a kernel, a namespace, or something that all parts keep. */
static void read_block(struct reader *r, struct declaration *d, struct outermost *found)
{
    if (d->is_outer && !d->has_parameters && !d->is_kernel) {
        found->depth++;
    } else {
        skip_block(r, "{", "}");
        r->is_lost |= d->is_kernel && (d->is_template || d->names != 1);
        if (d->is_kernel)
            vec_push(found->parts, ((struct source_part){(size_t)(d->begin - found->text),
                                                         (size_t)(r->at - found->text), NULL}));
    }
    *d = (struct declaration){0};
}

/* The end of a namespace. */
static void end_block(struct reader *r, struct declaration *d, struct outermost *found)
{
    r->is_lost |= found->depth == 0;
    found->depth -= found->depth > 0;
    *d = (struct declaration){0};
}

static void read_token(struct reader *r, const struct c_token *token, struct declaration *d,
                       struct outermost *found)
{
    r->is_lost |= is_variable(token, d) || (token->kind == C_TOKEN_DIRECTIVE && d->is_kernel);
    if (token->kind != C_TOKEN_DIRECTIVE && !d->begin)
        d->begin = token->text;
    if (token->kind == C_TOKEN_WORD) {
        read_word(token, d);
    } else if (c_token_is(token, "{")) {
        read_block(r, d, found);
    } else if (c_token_is(token, "}")) {
        end_block(r, d, found);
    } else if (c_token_is(token, "(")) {
        d->has_parameters = true;
        skip_block(r, "(", ")");
    } else if (c_token_is(token, ";")) {
        *d = (struct declaration){0};
    }
}

/* Directives may change what follows the kernel, so they remain, except those of loops. */
static bool must_stay(const struct c_token *token)
{
    const char *inside = token->text + 1;
    struct c_token name;

    if (token->kind != C_TOKEN_DIRECTIVE)
        return false;
    name = c_token_next(&inside);
    return !c_token_is(&name, "pragma");
}

static void add_lines(const char *begin, const char *end, struct strbuf *out)
{
    for (; begin < end; begin++)
        if (*begin == '\n')
            strbuf_add(out, "\n", 1);
}

/* The directives and line ends of a kernel that is left out. */
static char *make_rest(const char *text, const struct source_part *part)
{
    const char *read = text + part->begin, *written = read, *end = text + part->end;
    struct strbuf rest = {0};

    while (read < end) {
        struct c_token token = c_token_next(&read);

        if (!must_stay(&token))
            continue;
        add_lines(written, token.text, &rest);
        strbuf_add(&rest, token.text, token.len);
        written = read;
    }
    add_lines(written, end, &rest);
    return strbuf_take(&rest);
}

void source_parts_find(const char *text, struct source_parts *parts)
{
    struct reader r = {.at = text};
    struct declaration d = {0};
    struct outermost found = {.text = text, .parts = parts};
    struct c_token token = next_token(&r);

    for (; token.kind != C_TOKEN_END && !r.is_lost; token = next_token(&r))
        read_token(&r, &token, &d, &found);
    if (r.is_lost)
        source_parts_release(parts);
    for (size_t i = 0; i < parts->count; i++)
        parts->items[i].rest = make_rest(text, &parts->items[i]);
}

void source_parts_release(struct source_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        free(parts->items[i].rest);
    vec_release(parts);
}

char *source_parts_only(const char *text, const struct source_parts *parts, size_t first,
                        size_t last)
{
    struct strbuf out = {0};
    size_t at = 0;

    for (size_t i = 0; i < parts->count; i++) {
        const struct source_part *part = &parts->items[i];

        if (i >= first && i < last)
            continue;
        strbuf_add(&out, text + at, part->begin - at);
        strbuf_adds(&out, part->rest);
        at = part->end;
    }
    strbuf_adds(&out, text + at);
    return strbuf_take(&out);
}
