#include "backends/cuda/source_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

/* A position in the text, and whether the text is understood so far. */
struct reader {
    const char *text;
    size_t at;
    bool is_lost;
};

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_SIGN, TOKEN_DIRECTIVE };

/* Directives have the bytes of all their lines. */
struct token {
    enum token_kind kind;
    size_t begin, end;
};

static bool is_word_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Skip a line and those that continue it; the end of the line remains. */
static void skip_line(struct reader *r)
{
    while (r->text[r->at] && r->text[r->at] != '\n')
        r->at += r->text[r->at] == '\\' && r->text[r->at + 1] ? 2 : 1;
}

static void skip_comment(struct reader *r)
{
    const char *end = strstr(r->text + r->at + 2, "*/");

    r->is_lost |= !end;
    r->at = end ? (size_t)(end - r->text) + 2 : strlen(r->text);
}

/* Skip a literal between quotation marks. */
static void skip_literal(struct reader *r)
{
    char mark = r->text[r->at++];

    while (r->text[r->at] && r->text[r->at] != mark && r->text[r->at] != '\n')
        r->at += r->text[r->at] == '\\' && r->text[r->at + 1] ? 2 : 1;
    r->is_lost |= r->text[r->at] != mark;
    r->at += r->text[r->at] == mark;
}

/* Words are also numbers, such as 1'000 or 1e5f. */
static void skip_word(struct reader *r)
{
    bool is_number = isdigit((unsigned char)r->text[r->at]);

    while (is_word_letter(r->text[r->at]) ||
           (is_number && r->text[r->at] == '\'' && is_word_letter(r->text[r->at + 1])))
        r->at++;
    r->is_lost |= r->text[r->at] == '"' && r->text[r->at - 1] == 'R'; /* a raw literal */
}

/* Skip what is no token; true if something was skipped. */
static bool skip_nothing(struct reader *r)
{
    const char *at = r->text + r->at;

    if (isspace((unsigned char)*at))
        r->at++;
    else if (strncmp(at, "//", 2) == 0)
        skip_line(r);
    else if (strncmp(at, "/*", 2) == 0)
        skip_comment(r);
    else if (*at == '"' || *at == '\'')
        skip_literal(r);
    else
        return false;
    return true;
}

static struct token next_token(struct reader *r)
{
    struct token token = {TOKEN_END, 0, 0};

    while (r->text[r->at] && skip_nothing(r))
        ;
    token.begin = r->at;
    if (r->text[r->at] == '#') {
        token.kind = TOKEN_DIRECTIVE;
        skip_line(r);
    } else if (is_word_letter(r->text[r->at])) {
        token.kind = TOKEN_WORD;
        skip_word(r);
    } else if (r->text[r->at]) {
        token.kind = TOKEN_SIGN;
        r->is_lost |= strncmp(r->text + r->at, "<<<", 3) == 0; /* a kernel that launches another */
        r->at++;
    }
    token.end = r->at;
    return token;
}

static bool is_word(const struct reader *r, const struct token *token, const char *word)
{
    size_t len = token->end - token->begin;

    return strlen(word) == len && strncmp(r->text + token->begin, word, len) == 0;
}

static bool is_any(const struct reader *r, const struct token *token, const char *const *words,
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(r, token, words[i]))
            return true;
    return false;
}

static bool is_sign(const struct reader *r, const struct token *token, char sign)
{
    return token->kind == TOKEN_SIGN && r->text[token->begin] == sign;
}

/* A directive in a kernel that may mean more than the kernel does. */
static bool is_wide_pragma(const struct reader *r, const struct token *token)
{
    static const char *const narrow[] = {"unroll", "nounroll"};
    struct reader inside = {r->text, token->begin + 1, false};
    struct token name = next_token(&inside), what = next_token(&inside);

    return is_word(r, &name, "pragma") && !is_any(r, &what, narrow, COUNT(narrow));
}

/* Skip to the sign that closes what has been opened. */
static void skip_block(struct reader *r, char open, char close)
{
    size_t depth = 1;

    while (depth > 0 && !r->is_lost) {
        struct token token = next_token(r);

        depth += is_sign(r, &token, open);
        depth -= is_sign(r, &token, close);
        r->is_lost |=
            token.kind == TOKEN_END || (token.kind == TOKEN_DIRECTIVE && is_wide_pragma(r, &token));
    }
}

/* The state of a declaration while it is read. */
struct declaration {
    bool has_begun, is_kernel, is_of_device, has_parameters, is_template, is_outer;
    size_t begin;
    size_t names; /* words outside of parentheses that are not known */
};

static void read_word(const struct reader *r, const struct token *token, struct declaration *d)
{
    static const char *const marks[] = {"__global__", "__kernel"}, *const others[] = {
                                                                       "extern",
                                                                       "static",
                                                                       "inline",
                                                                       "void",
                                                                       "__launch_bounds__",
                                                                       "__cluster_dims__",
                                                                       "__maxnreg__"};
    static const char *const outer[] = {"extern", "namespace"};

    d->is_outer |= is_any(r, token, outer, COUNT(outer));
    d->is_template |= is_word(r, token, "template");
    d->is_of_device |= is_word(r, token, "__device__");
    if (is_any(r, token, marks, COUNT(marks)))
        d->is_kernel = true;
    else if (!is_any(r, token, others, COUNT(others)))
        d->names++;
}

/* True for variables, which all kernels of a program share. */
static bool is_variable(const struct reader *r, const struct token *token,
                        const struct declaration *d)
{
    static const char *const words[] = {"__constant__", "__managed__"};
    bool ends = is_sign(r, token, ';') || is_sign(r, token, '=') || is_sign(r, token, '[');

    return is_any(r, token, words, COUNT(words)) ||
           (ends && d->is_of_device && !d->has_parameters && !d->is_template);
}

/* A block at the outermost level: a kernel, a namespace, or something that all parts keep. */
static void read_block(struct reader *r, struct declaration *d, size_t *outer,
                       struct source_parts *parts)
{
    if (d->is_outer && !d->has_parameters && !d->is_kernel) {
        ++*outer;
    } else {
        skip_block(r, '{', '}');
        r->is_lost |= d->is_kernel && (d->is_template || d->names != 1);
        if (d->is_kernel)
            vec_push(parts, ((struct source_part){d->begin, r->at, NULL}));
    }
    *d = (struct declaration){0};
}

static void read_sign(struct reader *r, const struct token *token, struct declaration *d)
{
    if (is_sign(r, token, '(')) {
        d->has_parameters = true;
        skip_block(r, '(', ')');
    } else if (is_sign(r, token, ';')) {
        *d = (struct declaration){0};
    }
}

/* Directives may change what follows the kernel, so they remain, except those of loops. */
static bool must_stay(const struct reader *r, const struct token *token)
{
    struct reader inside = {r->text, token->begin + 1, false};
    struct token name = next_token(&inside);

    return token->kind == TOKEN_DIRECTIVE && !is_word(r, &name, "pragma");
}

static void add_lines(const char *text, size_t begin, size_t end, struct strbuf *out)
{
    for (size_t i = begin; i < end; i++)
        if (text[i] == '\n')
            strbuf_add(out, "\n", 1);
}

/* The directives and line ends of a kernel that is left out. */
static char *make_rest(const char *text, const struct source_part *part)
{
    struct reader r = {text, part->begin, false};
    struct strbuf rest = {0};
    size_t at = part->begin;

    while (r.at < part->end) {
        struct token token = next_token(&r);

        if (!must_stay(&r, &token))
            continue;
        add_lines(text, at, token.begin, &rest);
        strbuf_add(&rest, text + token.begin, token.end - token.begin);
        at = token.end;
    }
    add_lines(text, at, part->end, &rest);
    return strbuf_take(&rest);
}

void source_parts_find(const char *text, struct source_parts *parts)
{
    struct reader r = {text, 0, false};
    struct declaration d = {0};
    size_t outer = 0;
    struct token token = next_token(&r);

    for (; token.kind != TOKEN_END && !r.is_lost; token = next_token(&r)) {
        r.is_lost |= is_variable(&r, &token, &d) || (token.kind == TOKEN_DIRECTIVE && d.is_kernel);
        if (token.kind != TOKEN_DIRECTIVE && !d.has_begun) {
            d.has_begun = true;
            d.begin = token.begin;
        }
        if (token.kind == TOKEN_WORD)
            read_word(&r, &token, &d);
        else if (is_sign(&r, &token, '{'))
            read_block(&r, &d, &outer, parts);
        else if (is_sign(&r, &token, '}') && outer-- == 0)
            r.is_lost = true;
        else if (is_sign(&r, &token, '}'))
            d = (struct declaration){0};
        else if (token.kind == TOKEN_SIGN)
            read_sign(&r, &token, &d);
    }
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

char *source_parts_only(const char *text, const struct source_parts *parts, size_t index)
{
    struct strbuf out = {0};
    size_t at = 0;

    for (size_t i = 0; i < parts->count; i++) {
        const struct source_part *part = &parts->items[i];

        if (i == index)
            continue;
        strbuf_add(&out, text + at, part->begin - at);
        strbuf_adds(&out, part->rest);
        at = part->end;
    }
    strbuf_adds(&out, text + at);
    return strbuf_take(&out);
}
