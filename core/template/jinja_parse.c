#include "core/template/jinja_parse.h"

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/template/jinja_expression.h"
#include "core/template/jinja_lex.h"
#include "core/template/jinja_parser.h"

/* NOLINTBEGIN(misc-no-recursion): recursive descent, as deep as the parser lets it */

static struct jinja_node *parse_statement(struct jinja_parser *p);

/* "{{ value }}" or the text between tags. */
static struct jinja_node *parse_output(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_PRINT);

    if (p->at->kind == TOKEN_TEXT) {
        node->operand = jinja_parser_node(p, NODE_LITERAL);
        node->operand->literal = jinja_string(p->at++->text);
        return node;
    }
    p->at++;
    node->operand = jinja_expression_tuple(p);
    return node->operand && !jinja_parser_expect(p, TOKEN_PRINT_END) ? node : NULL;
}

static bool at_any(const struct jinja_parser *p, const char *const *names)
{
    for (; *names; names++)
        if (jinja_parser_is_name(p, *names))
            return true;
    return false;
}

/*
 * From the end of the opening tag to the name in the tag that ends the body,
 * which is one of `ends`, the last of which closes the statement.
 */
static enum status parse_body(struct jinja_parser *p, const char *const *ends,
                              struct jinja_node **body)
{
    struct jinja_node **end = body;
    int line = p->at->line;

    if (jinja_parser_expect(p, TOKEN_BLOCK_END))
        return STATUS_INVALID;
    while (p->at->kind != TOKEN_END) {
        bool is_tag = p->at->kind == TOKEN_BLOCK_BEGIN;

        p->at += is_tag;
        if (is_tag && at_any(p, ends))
            return STATUS_OK;
        *end = is_tag ? parse_statement(p) : parse_output(p);
        if (!*end)
            return STATUS_INVALID;
        end = &(*end)->next;
    }
    while (ends[1])
        ends++;
    return jinja_parser_fail(p, "no %s for the tag on line %d", *ends, line);
}

/* The same where only one name can end it, and past that. */
static enum status parse_whole_body(struct jinja_parser *p, const char *end,
                                    struct jinja_node **body)
{
    enum status st = parse_body(p, (const char *const[]){end, NULL}, body);

    p->at += !st;
    return st;
}

static struct jinja_node *parse_if(struct jinja_parser *p)
{
    static const char *const ends[] = {"elif", "else", "endif", NULL};
    struct jinja_node *node = jinja_parser_node(p, NODE_IF);
    struct jinja_branch **end = &node->branches;

    do {
        struct jinja_branch *branch = arena_alloc(p->arena, 1, sizeof(*branch));

        *end = branch;
        end = &branch->next;
        branch->condition = jinja_expression_tuple_before_if(p);
        if (!branch->condition || parse_body(p, ends, &branch->body))
            return NULL;
    } while (jinja_parser_skip_name(p, "elif"));
    if (jinja_parser_skip_name(p, "else")) {
        *end = arena_alloc(p->arena, 1, sizeof(**end));
        return parse_whole_body(p, "endif", &(*end)->body) ? NULL : node;
    }
    p->at++;
    return node;
}

static struct jinja_node *parse_target(struct jinja_parser *p);

static struct jinja_node *parse_one_target(struct jinja_parser *p)
{
    static const char *const constants[] = {"true", "True", "false", "False", "none", "None", NULL};
    struct jinja_node *node = jinja_parser_node(p, NODE_NAME);

    if (jinja_parser_skip_operator(p, "(")) {
        node = jinja_parser_enter(p) ? NULL : parse_target(p);
        jinja_parser_leave(p);
        return node && !jinja_parser_expect_operator(p, ")") ? node : NULL;
    }
    if (at_any(p, constants)) {
        jinja_parser_unexpected(p, "a variable");
        return NULL;
    }
    node->name = jinja_parser_expect_name(p);
    return node->name ? node : NULL;
}

/* One name, or several with commas between them. */
static struct jinja_node *parse_target(struct jinja_parser *p)
{
    struct jinja_node *tuple = jinja_parser_node(p, NODE_TUPLE);
    struct jinja_node *first = parse_one_target(p);

    if (!first || !jinja_parser_is_operator(p, ","))
        return first;
    tuple->items = first;
    for (struct jinja_node **end = &first->next; jinja_parser_skip_operator(p, ",");) {
        *end = parse_one_target(p);
        if (!*end)
            return NULL;
        end = &(*end)->next;
    }
    return tuple;
}

static struct jinja_node *parse_for(struct jinja_parser *p)
{
    static const char *const ends[] = {"else", "endfor", NULL};
    struct jinja_node *node = jinja_parser_node(p, NODE_FOR);

    node->loop.target = parse_target(p);
    if (!node->loop.target)
        return NULL;
    if (!jinja_parser_skip_name(p, "in")) {
        jinja_parser_unexpected(p, "\"in\"");
        return NULL;
    }
    node->loop.elements = jinja_expression_tuple_before_if(p);
    if (!node->loop.elements)
        return NULL;
    if (jinja_parser_skip_name(p, "if")) {
        node->loop.filter = jinja_expression(p);
        if (!node->loop.filter)
            return NULL;
    }
    if (parse_body(p, ends, &node->loop.body))
        return NULL;
    if (jinja_parser_skip_name(p, "else"))
        return parse_whole_body(p, "endfor", &node->loop.otherwise) ? NULL : node;
    p->at++;
    return node;
}

/* With "=" and a value, or with a body, perhaps filtered. */
static struct jinja_node *parse_set(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_SET);
    struct jinja_node *capture = jinja_parser_node(p, NODE_CAPTURE);

    node->set.target = parse_target(p);
    if (!node->set.target)
        return NULL;
    if (jinja_parser_skip_operator(p, "=")) {
        node->set.value = jinja_expression_tuple(p);
        return node->set.value ? node : NULL;
    }
    node->set.value = jinja_expression_filters(p, capture);
    return node->set.value && !parse_whole_body(p, "endset", &capture->body) ? node : NULL;
}

/* Whether both words stand here, one behind the other; goes past them. */
static bool skip_words(struct jinja_parser *p, const char *first, const char *second)
{
    const struct jinja_token *start = p->at;

    if (jinja_parser_skip_name(p, first) && jinja_parser_skip_name(p, second))
        return true;
    p->at = start;
    return false;
}

static struct jinja_node *parse_include(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_INCLUDE);

    node->include.name = jinja_expression(p);
    if (!node->include.name)
        return NULL;
    node->include.may_be_missing = skip_words(p, "ignore", "missing");
    node->include.without_context = skip_words(p, "without", "context");
    skip_words(p, "with", "context");
    return node;
}

/* While they are read, the parameters of a macro. */
struct parameters {
    struct parameter {
        const char *name;
        struct jinja_node *fallback;
    } * items;
    size_t count, capacity;
};

static enum status parse_parameter(struct jinja_parser *p, struct parameters *parameters)
{
    struct parameter parameter = {.name = jinja_parser_expect_name(p)};
    bool needs_default =
        parameters->count && parameters->items[parameters->count - 1].fallback != NULL;

    if (!parameter.name)
        return STATUS_INVALID;
    if (jinja_parser_skip_operator(p, "=")) {
        parameter.fallback = jinja_expression(p);
        if (!parameter.fallback)
            return STATUS_INVALID;
    } else if (needs_default) {
        return jinja_parser_fail(p, "\"%s\" needs a default, like the one before it",
                                 parameter.name);
    }
    vec_push(parameters, parameter);
    return STATUS_OK;
}

/* From "(" to behind ")". */
static enum status parse_parameters(struct jinja_parser *p, struct jinja_macro_node *macro)
{
    struct parameters parameters = {0};
    enum status st = jinja_parser_expect_operator(p, "(");

    while (!st && !jinja_parser_skip_operator(p, ")")) {
        if (parameters.count)
            st = jinja_parser_expect_operator(p, ",");
        if (!st)
            st = parse_parameter(p, &parameters);
    }
    macro->count = parameters.count;
    macro->parameters = arena_alloc(p->arena, macro->count, sizeof(*macro->parameters));
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    macro->defaults = arena_alloc(p->arena, macro->count, sizeof(*macro->defaults));
    for (size_t i = 0; i < macro->count; i++) {
        macro->parameters[i] = parameters.items[i].name;
        macro->defaults[i] = parameters.items[i].fallback;
    }
    vec_release(&parameters);
    return st;
}

static struct jinja_node *parse_macro(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_MACRO);
    struct jinja_macro_node *macro = arena_alloc(p->arena, 1, sizeof(*macro));

    node->macro = macro;
    macro->name = jinja_parser_expect_name(p);
    if (!macro->name || parse_parameters(p, macro))
        return NULL;
    return parse_whole_body(p, "endmacro", &macro->body) ? NULL : node;
}

/* Prints a call whose callee may call the body back, as caller(). */
static struct jinja_node *parse_call_block(struct jinja_parser *p)
{
    struct jinja_node *node = jinja_parser_node(p, NODE_PRINT);
    struct jinja_macro_node *caller = arena_alloc(p->arena, 1, sizeof(*caller));

    if (jinja_parser_is_operator(p, "(") && parse_parameters(p, caller))
        return NULL;
    node->operand = jinja_expression(p);
    if (!node->operand)
        return NULL;
    if (node->operand->kind != NODE_CALL) {
        jinja_parser_unexpected(p, "a call");
        return NULL;
    }
    node->operand->call.caller = caller;
    return parse_whole_body(p, "endcall", &caller->body) ? NULL : node;
}

static const struct statement {
    const char *name;
    struct jinja_node *(*parse)(struct jinja_parser *); /* from behind the name to "%}" */
} tags[] = {
    {"call", parse_call_block}, {"for", parse_for},     {"if", parse_if},
    {"include", parse_include}, {"macro", parse_macro}, {"set", parse_set},
};

/* From behind "{%" to behind the last "%}" of the statement. */
static struct jinja_node *parse_statement(struct jinja_parser *p)
{
    struct jinja_node *node = NULL;
    enum status st = jinja_parser_enter(p);
    const struct statement *statement = NULL;

    for (size_t i = 0; i < COUNT(tags); i++)
        if (jinja_parser_is_name(p, tags[i].name))
            statement = &tags[i];
    if (!st && statement) {
        p->at++;
        node = statement->parse(p);
    } else if (!st) {
        jinja_parser_fail(p, "unknown or misplaced tag \"%.*s\"", (int)p->at->text.len,
                          p->at->text.bytes);
    }
    if (node && jinja_parser_expect(p, TOKEN_BLOCK_END))
        node = NULL;
    jinja_parser_leave(p);
    return node;
}

/* NOLINTEND(misc-no-recursion) */

enum status jinja_parse(struct jinja_text source, const char *name, struct arena *arena,
                        struct jinja_node **statements, struct error *err)
{
    struct jinja_parser p = {.name = name, .arena = arena, .err = err};
    struct jinja_node *first = NULL;
    struct jinja_node **end = &first;
    enum status st = jinja_lex(source, name, arena, &p.at, err);

    while (!st && p.at->kind != TOKEN_END) {
        bool is_tag = p.at->kind == TOKEN_BLOCK_BEGIN;

        p.at += is_tag;
        *end = is_tag ? parse_statement(&p) : parse_output(&p);
        if (!*end)
            return STATUS_INVALID;
        end = &(*end)->next;
    }
    if (!st)
        *statements = first;
    return st;
}
