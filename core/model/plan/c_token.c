#include "core/model/plan/c_token.h"

#include <ctype.h>
#include <string.h>

static bool is_word_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The end of a line and of those that continue it. */
static const char *end_of_line(const char *at)
{
    while (*at && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

/* The text after a comment; NULL if it is open. */
static const char *skip_comment(const char *at)
{
    const char *end = strstr(at + 2, "*/");

    return end ? end + 2 : NULL;
}

/* The text after a literal; NULL if it is open at the end of its line. */
static const char *skip_literal(const char *at)
{
    char mark = *at++;

    while (*at && *at != mark && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == mark ? at + 1 : NULL;
}

/* The text after what is no token, if something of that kind is here; NULL if it is open. */
static const char *skip(const char *at)
{
    if (isspace((unsigned char)*at))
        return at + 1;
    if (strncmp(at, "//", 2) == 0)
        return end_of_line(at);
    if (strncmp(at, "/*", 2) == 0)
        return skip_comment(at);
    return *at == '"' || *at == '\'' ? skip_literal(at) : at;
}

/* Numbers may have marks between their digits: 1'000. */
static const char *end_of_word(const char *at)
{
    bool is_number = isdigit((unsigned char)*at);

    while (is_word_letter(*at) || (is_number && *at == '\'' && is_word_letter(at[1])))
        at++;
    return at;
}

/* The token at a place where nothing is to be skipped. */
static struct c_token token_at(const char *text)
{
    const char *end = text;
    enum c_token_kind kind = C_TOKEN_END;

    if (*text == '#') {
        kind = C_TOKEN_DIRECTIVE;
        end = end_of_line(text);
    } else if (is_word_letter(*text)) {
        kind = C_TOKEN_WORD;
        end = end_of_word(text);
    } else if (*text) {
        kind = C_TOKEN_SIGN;
        end = text + 1;
    }
    return (struct c_token){kind, text, (size_t)(end - text)};
}

/* True for the prefix of a raw literal, which may have any text between its marks. */
static bool is_raw_prefix(const struct c_token *token)
{
    return token->kind == C_TOKEN_WORD && token->text[token->len - 1] == 'R' &&
           token->text[token->len] == '"';
}

struct c_token c_token_next(const char **at)
{
    const char *text = *at, *next = skip(text);
    struct c_token token;

    while (next && next != text) {
        text = next;
        next = skip(text);
    }
    token = next ? token_at(text) : (struct c_token){C_TOKEN_LOST, text, 0};
    if (is_raw_prefix(&token))
        token = (struct c_token){C_TOKEN_LOST, text, 0};
    *at = token.text + token.len;
    return token;
}

bool c_token_is(const struct c_token *token, const char *text)
{
    return token->len == strlen(text) && memcmp(token->text, text, token->len) == 0;
}

bool c_token_is_one_of(const struct c_token *token, const char *const *texts)
{
    for (; *texts; texts++)
        if (c_token_is(token, *texts))
            return true;
    return false;
}
