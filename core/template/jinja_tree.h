#ifndef CORE_TEMPLATE_JINJA_TREE_H
#define CORE_TEMPLATE_JINJA_TREE_H

#include "core/template/jinja_operator.h"
#include "core/template/jinja_value.h"

/*
 * A parsed template: a tree of nodes of one type, in the arena of the
 * rendering.  The comment at each kind says which members it uses.  Nodes in a
 * row (statements, arguments, elements) are linked by `next`.
 */
enum jinja_node_kind {
    NODE_LITERAL,     /* literal */
    NODE_NAME,        /* name */
    NODE_ATTRIBUTE,   /* a.name */
    NODE_SUBSCRIPT,   /* a[b] */
    NODE_CALL,        /* name(items): a macro */
    NODE_FILTER,      /* a | filter(items) */
    NODE_TEST,        /* a has one of the types */
    NODE_NOT,         /* not a */
    NODE_NEGATE,      /* -a */
    NODE_BINARY,      /* a op b */
    NODE_CONCATENATE, /* a ~ b */
    NODE_AND,         /* a and b */
    NODE_OR,          /* a or b */
    NODE_CHOICE,      /* a if b else c; c may be NULL */
    NODE_LIST,        /* [items] */
    NODE_PRINT,       /* {{ a }}, and text; the statements begin here */
    NODE_IF,          /* if a: items, else: otherwise; an elif is an IF in `otherwise` */
    NODE_FOR,         /* for name in b if c: items, else: otherwise; c may be NULL */
    NODE_SET,         /* set name = b */
    NODE_INCLUDE,     /* include a */
    NODE_MACRO,       /* macro */
};

struct jinja_node {
    enum jinja_node_kind kind;
    int line;
    struct jinja_node *next;
    const char *name; /* terminated */
    struct jinja_node *a, *b, *c;
    struct jinja_node *items, *otherwise;
    struct jinja_value literal;
    enum jinja_operator op;
    const struct jinja_filter *filter;
    unsigned types; /* bit 1 << enum jinja_type */
    struct jinja_macro *macro;
};

enum { JINJA_PARAMETERS_MAX = 16 };

struct jinja_macro {
    const char *name;
    const char *parameters[JINJA_PARAMETERS_MAX];
    size_t count; /* number of parameters */
    struct jinja_node *body;
    struct jinja_scope *scope; /* where the macro was defined; set when the statement runs */
    const char *template_name;
};

#endif
