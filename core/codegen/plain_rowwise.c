#include <string.h>

#include "core/codegen/plain_kernel.h"
#include "core/model/op/op_channelwise.h"

/* A row, and the words of its formula. */
struct row {
    struct plain *plain;
    struct formula_words words;
    unsigned axes;       /* axes of the first operand that the row lies along */
    const char *count;   /* number of elements, as C text */
    const char *index;   /* index of element j */
    const char *x;       /* the loaded element j */
    const char *channel; /* the channel of the element, declared as `c`; NULL if not needed */
};

static const char *expanded(const struct row *row, const char *text)
{
    struct strbuf out = {0};
    const char *kept;

    formula_expand(text, &row->words, &out);
    kept = plain_text(row->plain, "%s", strbuf_cstr(&out));
    strbuf_release(&out);
    return kept;
}

/* Operands 1 and 2, weight and shift, are indexed by `along`. */
static void set_words(struct row *row, const char *along)
{
    struct plain *p = row->plain;

    formula_set_rowwise(&row->words, &p->call);
    row->words.of['n'] = plain_text(p, "(float)(%s)", row->count);
    row->words.of['w'] = p->call.in_count > 1 ? plain_operand(p, 1, along) : "1.0f";
    row->words.of['s'] = p->call.in_count > 2 ? plain_operand(p, 2, along) : "0.0f";
}

static void set_row(struct row *row, struct plain *p)
{
    struct strbuf count = {0};
    struct coordinates coords = {0};

    row->plain = p;
    row->axes = p->call.op->axes(&p->call);
    extents_product(&p->writer->extents, p->node->in[0], row->axes, &count);
    row->count = plain_text(p, "%s", strbuf_cstr(&count));
    strbuf_release(&count);
    coordinates_axes(&coords, value_axes(p->call.in[0]) & ~row->axes, "i");
    coordinates_axes(&coords, row->axes, "j");
    row->index = plain_index(p, p->node->in[0], &coords);
    row->x = plain_load(p, 0, row->index);
    set_words(row, "j");
}

static void add_loop_head(const struct row *row)
{
    struct plain *p = row->plain;

    plain_add(p, "    for (int j = 0; j < %s; j++) {\n", row->count);
    writer_axes(p->writer, p->node->in[0], row->axes, "j", "        ");
    if (row->channel)
        plain_add(p, "        const int c = %s;\n", row->channel);
    plain_add(p, "        const %s x = %s;\n", row->words.of['X'], row->x);
}

static void add_pass(struct row *row, const struct rowwise_pass *pass)
{
    struct plain *p = row->plain;

    row->words.of['e'] = expanded(row, pass->element);
    row->words.of['a'] = pass->name;
    row->words.of['b'] = row->words.of['e'];
    plain_add(p, "    %s %s = %s;\n", expanded(row, pass->type), pass->name,
              expanded(row, pass->start));
    add_loop_head(row);
    plain_add(p, "        %s = %s;\n    }\n", pass->name, expanded(row, pass->combine));
    if (pass->then)
        plain_add(p, "    %s\n", expanded(row, pass->then));
}

static void add_formula(struct row *row, const struct rowwise_formula *formula)
{
    struct plain *p = row->plain;

    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        add_pass(row, &formula->passes[i]);
    if (p->call.op->kind == OP_REDUCTION) {
        plain_store(p, "i", expanded(row, formula->result), "    ");
        return;
    }
    add_loop_head(row);
    plain_store(p, row->index, expanded(row, formula->result), "        ");
    plain_add(p, "    }\n");
}

/* A running result: each element is computed from the one before. */
struct scan {
    const char *op, *start, *step;
};

static const struct scan *find_scan(const char *op)
{
    static const struct scan scans[] = {
        {"cumsum", "0", "running + x"},
        {"cumprod", "1", "running * x"},
        {0},
    };

    for (const struct scan *scan = scans; scan->op; scan++)
        if (strcmp(scan->op, op) == 0)
            return scan;
    return NULL;
}

static void add_scan(const struct row *row, const struct scan *scan)
{
    struct plain *p = row->plain;

    plain_add(p, "    %s running = %s;\n", row->words.of['T'], scan->start);
    add_loop_head(row);
    plain_add(p, "        running = %s;\n", scan->step);
    plain_store(p, row->index, "running", "        ");
    plain_add(p, "    }\n");
}

/* A work-item goes along one row, which gives one element or another row. */
bool plain_rowwise(struct plain *p)
{
    const struct rowwise_formula *formula = formula_rowwise(p->call.op->name);
    const struct scan *scan = find_scan(p->call.op->name);
    unsigned kept = value_axes(p->call.in[0]) & ~p->call.op->axes(&p->call);
    struct row row = {0};

    if (!formula && !scan)
        return false;
    set_row(&row, p);
    plain_head(p);
    writer_axes(p->writer, p->node->in[0], kept, "i", "    ");
    if (formula)
        add_formula(&row, formula);
    else
        add_scan(&row, scan);
    plain_launch_over(p, p->node->in[0], kept);
    return true;
}

/* A work-item normalizes one element; the other operands have one element per channel. */
static void write_batch_norm(struct plain *p)
{
    struct row row = {.plain = p, .words.of = {['d'] = "1.0f", ['e'] = "0.0f"}};

    formula_set_call(&row.words, &p->call);
    plain_head(p);
    plain_add(p, "    const int c = i / %s %% %s;\n", plain_sizes_from(p, p->node->in[0], 2),
              plain_size(p, p->node->in[0], 1));
    for (size_t i = 0; i < p->call.in_count; i++)
        row.words.of['a' + i] = plain_operand(p, i, i == 0 ? "i" : "c");
    plain_store(p, "i", expanded(&row, formula_batch_norm), "    ");
    plain_launch_over(p, p->node->out, value_axes(p->call.out));
}

/*
 * A work-item normalizes one group, whose elements are contiguous, as layer_norm normalizes a row.
 */
static void write_group_norm(struct plain *p)
{
    size_t in = p->node->in[0];
    const char *space = plain_sizes_from(p, in, 2), *channels = plain_size(p, in, 1);
    bool has_groups = op_attribute(&p->call, "num_groups");
    const char *groups = has_groups ? plain_number(p, "num_groups", 0) : channels;
    struct row row = {.plain = p, .index = "i * n + j", .count = "n"};

    row.x = plain_load(p, 0, row.index);
    if (p->call.in_count > 1)
        row.channel = plain_text(p, "(i * n + j) / %s %% %s", space, channels);
    set_words(&row, "c");
    plain_head(p);
    plain_add(p, "    const int n = %s / %s * %s;\n", channels, groups, space);
    add_formula(&row, formula_rowwise("layer_norm"));
    plain_launch(p, plain_text(p, "%s * %s", plain_size(p, in, 0), groups));
}

bool plain_channels(struct plain *p)
{
    if (channel_norm_of(&p->call).has_statistics)
        write_batch_norm(p);
    else
        write_group_norm(p);
    return true;
}
