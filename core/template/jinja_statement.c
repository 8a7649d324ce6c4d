#include "core/template/jinja_statement.h"

#include <string.h>

#include "core/base/array.h"
#include "core/template/jinja_expression.h"
#include "core/template/jinja_lexer.h"

/* NOLINTBEGIN(misc-no-recursion): recursive descent, as deep as jinja_parser_enter() lets it */

static struct jinja_node *parse_statement(struct jinja_parser *p);

/* "{{ value }}", or the text between tags. */
static struct jinja_node *parse_output(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_PRINT);

    if (p->at->kind == TOKEN_TEXT) {
        node->a = jinja_parser_node(p, NODE_LITERAL);
        node->a->literal = jinja_string(p->at++->text);
        return node;
    }
    p->at++;
    node->a = jinja_expression(p);
    jinja_parser_take(p, TOKEN_PRINT_END, "}}");
    return node;
}

static struct jinja_node *parse_piece(struct jinja_parser *p)
{
    if (p->at->kind != TOKEN_BLOCK_BEGIN)
        return parse_output(p);
    p->at++;
    return parse_statement(p);
}

static bool sees_any(const struct jinja_parser *p, const char *const *words)
{
    for (; *words; words++)
        if (jinja_parser_sees(p, *words))
            return true;
    return false;
}

/*
 * Parse from the end of the opening tag to the word of the tag that ends the body. The word is one
 * of `ends`; the last of `ends` closes the statement.
 */
static struct jinja_node *parse_body(struct jinja_parser *p, const char *const *ends)
{
    struct jinja_node *first = NULL;
    struct jinja_node **end = &first;
    int line = p->at->line;

    jinja_parser_take(p, TOKEN_BLOCK_END, "%}");
    while (p->at->kind != TOKEN_END) {
        if (p->at->kind == TOKEN_BLOCK_BEGIN && p->at[1].kind == TOKEN_NAME) {
            p->at++;
            if (sees_any(p, ends))
                return first;
            p->at--;
        }
        *end = parse_piece(p);
        end = &(*end)->next;
    }
    while (ends[1])
        ends++;
    jinja_parser_fail(p, "no {%% %s %%} for the tag on line %d", *ends, line);
    return first;
}

/* Parse a body that only the word `end` can end, and go past that word. */
static struct jinja_node *parse_last_body(struct jinja_parser *p, const char *end)
{
    struct jinja_node *body = parse_body(p, (const char *const[]){end, NULL});

    jinja_parser_skip(p, end);
    return body;
}

static struct jinja_node *parse_if(struct jinja_parser *p)
{
    static const char *const ends[] = {"elif", "else", "endif", NULL};
    struct jinja_node *node = jinja_parser_node(p, NODE_IF);

    jinja_parser_enter(p);
    node->a = jinja_expression(p);
    node->items = parse_body(p, ends);
    if (jinja_parser_skip(p, "elif"))
        node->otherwise = parse_if(p);
    else if (jinja_parser_skip(p, "else"))
        node->otherwise = parse_last_body(p, "endif");
    else
        jinja_parser_skip(p, "endif");
    p->depth--;
    return node;
}

/* Parse the variable that `for` or `set` binds; the name of a constant is refused. */
static const char *take_target(struct jinja_parser *p)
{
    static const char *const constants[] = {"true", "True", "false", "False", "none", "None", NULL};

    if (sees_any(p, constants))
        jinja_parser_unexpected(p, "a variable");
    return jinja_parser_take_name(p);
}

static struct jinja_node *parse_for(struct jinja_parser *p)
{
    static const char *const ends[] = {"else", "endfor", NULL};
    struct jinja_node *node = jinja_parser_node(p, NODE_FOR);

    node->name = take_target(p);
    jinja_parser_expect(p, "in");
    node->b = jinja_expression_before_if(p);
    if (jinja_parser_skip(p, "if"))
        node->c = jinja_expression(p);
    node->items = parse_body(p, ends);
    if (jinja_parser_skip(p, "else"))
        node->otherwise = parse_last_body(p, "endfor");
    else
        jinja_parser_skip(p, "endfor");
    return node;
}

static struct jinja_node *parse_set(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_SET);

    node->name = take_target(p);
    if (p->at->kind == TOKEN_BLOCK_END)
        jinja_parser_fail(p, "set needs \"= value\": write a macro to keep a block of text");
    jinja_parser_expect(p, "=");
    node->b = jinja_expression(p);
    return node;
}

static struct jinja_node *parse_include(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_INCLUDE);

    node->a = jinja_expression(p);
    return node;
}

/* From "(" to after ")". */
static void parse_parameters(struct jinja_parser *p, struct jinja_macro *macro)
{
    jinja_parser_expect(p, "(");
    while (!jinja_parser_sees(p, ")") && p->at->kind != TOKEN_END) {
        if (macro->count)
            jinja_parser_expect(p, ",");
        if (macro->count == JINJA_PARAMETERS_MAX) {
            jinja_parser_fail(p, "a macro has at most %d parameters", JINJA_PARAMETERS_MAX);
            return;
        }
        macro->parameters[macro->count++] = jinja_parser_take_name(p);
    }
    jinja_parser_expect(p, ")");
}

static struct jinja_node *parse_macro(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_MACRO);

    node->macro = arena_alloc(p->arena, 1, sizeof(*node->macro));
    node->macro->name = jinja_parser_take_name(p);
    parse_parameters(p, node->macro);
    node->macro->body = parse_last_body(p, "endmacro");
    return node;
}

/* From after "{%" to after the last "%}" of the statement. */
static struct jinja_node *parse_statement(struct jinja_parser *p)
{
    static const struct {
        const char *name;
        struct jinja_node *(*parse)(struct jinja_parser *); /* from after the name to "%}" */
    } tags[] = {
        {"for", parse_for},     {"if", parse_if},   {"include", parse_include},
        {"macro", parse_macro}, {"set", parse_set},
    };
    struct jinja_node *node = NULL;

    jinja_parser_enter(p);
    for (size_t i = 0; !node && i < COUNT(tags); i++)
        if (jinja_parser_skip(p, tags[i].name))
            node = tags[i].parse(p);
    if (!node && p->at->kind != TOKEN_NAME)
        jinja_parser_unexpected(p, "the name of a tag");
    else if (!node && p->at->text.len > 3 && memcmp(p->at->text.bytes, "end", 3) == 0)
        jinja_parser_fail(p, "\"%.*s\" does not end this tag", (int)p->at->text.len,
                          p->at->text.bytes);
    else if (!node)
        jinja_parser_fail(p,
                          "unknown or misplaced tag \"%.*s\": kforge knows for, if, elif, else, "
                          "include, macro, raw, set",
                          (int)p->at->text.len, p->at->text.bytes);
    jinja_parser_take(p, TOKEN_BLOCK_END, "%}");
    p->depth--;
    return node ? node : jinja_parser_node(p, NODE_PRINT);
}

/* NOLINTEND(misc-no-recursion) */

enum status jinja_parse(struct jinja_text source, const char *name, struct arena *arena,
                        struct jinja_node **statements, struct error *err)
{
    struct jinja_parser p = {.name = name, .arena = arena, .err = err};
    struct jinja_node **end = statements;
    enum status st = jinja_lex(source, name, arena, &p.at, err);

    *statements = NULL;
    while (!st && p.at->kind != TOKEN_END) {
        *end = parse_piece(&p);
        end = &(*end)->next;
    }
    return st ? st : err->code;
}
