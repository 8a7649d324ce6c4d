#ifndef CORE_TEMPLATE_JINJA_TREE_H
#define CORE_TEMPLATE_JINJA_TREE_H

#include "core/template/jinja_function.h"
#include "core/template/jinja_number.h"
#include "core/template/jinja_relation.h"
#include "core/template/jinja_value.h"

/*
 * A template as a tree.  Nodes live in the arena they were parsed into;
 * names are terminated strings there.  Nodes in a row (statements, the
 * elements of a list) are linked by `next`.
 */
enum jinja_node_kind {
    NODE_LITERAL,
    NODE_NAME,
    NODE_ATTRIBUTE,
    NODE_SUBSCRIPT,
    NODE_CALL,
    NODE_APPLY, /* of a filter or a test */
    NODE_NOT,
    NODE_SIGN,
    NODE_CALCULATE,
    NODE_CONCATENATE,
    NODE_COMPARE,
    NODE_AND,
    NODE_OR,
    NODE_CHOICE,
    NODE_LIST,
    NODE_TUPLE,
    NODE_DICT,
    NODE_SLICE,   /* the key of a subscript, and nothing else */
    NODE_CAPTURE, /* what statements print, as a string */
    NODE_PRINT,   /* the first of the statements: those before are expressions */
    NODE_IF,
    NODE_FOR,
    NODE_SET,
    NODE_INCLUDE,
    NODE_MACRO,
};

struct jinja_argument {
    const char *keyword; /* NULL: by position; these come first */
    struct jinja_node *value;
    struct jinja_argument *next;
};

struct jinja_macro_node {
    const char *name; /* NULL for the body of a call block */
    const char **parameters;
    struct jinja_node **defaults; /* NULL where there is none */
    size_t count;
    struct jinja_node *body;
};

/* `first` compared with each operand in turn, as in 0 < x <= 9. */
struct jinja_comparison {
    enum jinja_relation relation;
    struct jinja_node *operand;
    struct jinja_comparison *next;
};

/* A macro as a value: its definition, and where that stood. */
struct jinja_macro {
    const struct jinja_macro_node *definition;
    struct jinja_scope *scope;
    const char *template_name;
};

struct jinja_branch {
    struct jinja_node *condition; /* NULL: else */
    struct jinja_node *body;
    struct jinja_branch *next;
};

struct jinja_node {
    enum jinja_node_kind kind;
    int line;
    struct jinja_node *next;
    union {
        struct jinja_value literal;
        const char *name;
        struct jinja_node *operand; /* NOT, PRINT */
        struct jinja_node *items;   /* LIST, TUPLE; of DICT keys and values in turn */
        struct jinja_node *body;    /* CAPTURE */
        struct jinja_branch *branches;
        struct jinja_macro_node *macro;
        struct {
            struct jinja_node *of;
            const char *name;
        } attribute;
        struct {
            struct jinja_node *of, *key;
        } subscript;
        struct jinja_node *bounds[3]; /* SLICE: start, stop, step; NULL: not given */
        struct {
            struct jinja_node *callee;
            struct jinja_argument *arguments;
            struct jinja_macro_node *caller; /* the body of a call block, or NULL */
        } call;
        struct {
            const struct jinja_function *function;
            struct jinja_node *input;
            struct jinja_argument *arguments;
        } apply;
        struct {
            struct jinja_node *operand;
            bool negative;
        } sign;
        struct {
            struct jinja_node *left, *right; /* AND, OR, CONCATENATE, too */
            enum jinja_operator op;
        } binary;
        struct {
            struct jinja_node *first;
            struct jinja_comparison *rest;
        } compare;
        struct {
            struct jinja_node *condition, *yes, *no; /* `no` may be NULL */
        } choice;
        struct {
            struct jinja_node *target, *elements, *filter, *body, *otherwise;
        } loop;
        struct {
            struct jinja_node *target, *value; /* the target is a NAME or a TUPLE of targets */
        } set;
        struct {
            struct jinja_node *name;
            bool may_be_missing, without_context;
        } include;
    };
};

#endif
