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
    bool is_shared;      /* a work-group computes the row, not a work-item */
    /* first element of a work-item in the group; distance to its next one */
    const char *first, *step;
};

/* With shorter rows, or with more rows, a work-item for each row keeps a GPU busy. */
enum { LONG_ROW = 1024, FEW_ROWS = 4096 };

/*
 * True if work-groups share the rows: long rows, if they are few or contiguous. Neighbouring
 * work-items with a contiguous row each would not read neighbouring elements.
 */
static bool should_share(const struct plain *p, int64_t rows, bool are_contiguous)
{
    int64_t elements = shape_elements(&p->call.in[0]->shape);

    return p->writer->is_gpu && elements / rows >= LONG_ROW && (are_contiguous || rows <= FEW_ROWS);
}

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
    row->first = "lane";
    row->step = plain_text(p, "%d", PLAIN_GROUP);
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

    if (row->is_shared)
        plain_add(p, "    for (int j = %s; j < %s; j += %s) {\n", row->first, row->count,
                  row->step);
    else
        plain_add(p, "    for (int j = 0; j < %s; j++) {\n", row->count);
    writer_axes(p->writer, p->node->in[0], row->axes, "j", "        ");
    if (row->channel)
        plain_add(p, "        const int c = %s;\n", row->channel);
    plain_add(p, "        const %s x = %s;\n", row->words.of['X'], row->x);
}

/* Combine the results of a pass of all work-items, in a tree in local memory. */
static void add_tree(struct row *row, const struct rowwise_pass *pass)
{
    struct plain *p = row->plain;
    const char *all = plain_text(p, "all_%s", pass->name);

    row->words.of['a'] = plain_text(p, "%s[lane]", all);
    row->words.of['b'] = plain_text(p, "%s[lane + others]", all);
    plain_add_words(p, plain_text(p,
                                  "    $local %s %s[%d];\n    %s[lane] = %s;\n    $barrier;\n"
                                  "    for (int others = %d; others > 0; others /= 2) {\n"
                                  "        if (lane < others)\n            %s[lane] = %s;\n"
                                  "        $barrier;\n    }\n    %s = %s[0];\n",
                                  expanded(row, pass->type), all, PLAIN_GROUP, all, pass->name,
                                  PLAIN_GROUP / 2, all, expanded(row, pass->combine), pass->name,
                                  all));
}

static void add_start(struct row *row, const struct rowwise_pass *pass)
{
    plain_add(row->plain, "    %s %s = %s;\n", expanded(row, pass->type), pass->name,
              expanded(row, pass->start));
}

static void add_pass(struct row *row, const struct rowwise_pass *pass)
{
    struct plain *p = row->plain;

    add_start(row, pass);
    row->words.of['e'] = expanded(row, pass->element);
    row->words.of['a'] = pass->name;
    row->words.of['b'] = row->words.of['e'];
    add_loop_head(row);
    plain_add(p, "        %s = %s;\n    }\n", pass->name, expanded(row, pass->combine));
    if (row->is_shared)
        add_tree(row, pass);
    if (pass->then)
        plain_add(p, "    %s\n", expanded(row, pass->then));
}

static void add_formula(struct row *row, const struct rowwise_formula *formula)
{
    struct plain *p = row->plain;

    for (size_t i = 0; i < FORMULA_MAX_PASSES && formula->passes[i].name; i++)
        add_pass(row, &formula->passes[i]);
    if (p->call.op->kind == OP_REDUCTION) {
        plain_add(p, row->is_shared ? "    if (lane == 0)\n    " : "");
        plain_store(p, "i", expanded(row, formula->result), "    ");
        return;
    }
    add_loop_head(row);
    plain_store(p, row->index, expanded(row, formula->result), "        ");
    plain_add(p, "    }\n");
}

/* A running result: each element is computed from the one before. */
struct scan {
    const char *op, *start, *step; /* starts with the lowest number if `start` is NULL */
};

static const struct scan *find_scan(const char *op)
{
    static const struct scan scans[] = {
        {"cumsum", "0", "running + x"},
        {"cumprod", "1", "running * x"},
        {"cummax", NULL, "larger(running, x)"},
        {"logcumsumexp", NULL, "log_add(running, x)"},
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

    plain_add(p, "    %s running = %s;\n", row->words.of['T'],
              scan->start ? scan->start : row->words.of['L']);
    add_loop_head(row);
    plain_add(p, "        running = %s;\n", scan->step);
    plain_store(p, row->index, "running", "        ");
    plain_add(p, "    }\n");
}

static void begin_rows(const struct row *row)
{
    if (row->is_shared)
        plain_head_of_groups(row->plain);
    else
        plain_head(row->plain);
}

/* Launch a work-item for each of `rows`, or a work-group. */
static void launch_rows(const struct row *row, const char *rows)
{
    if (row->is_shared)
        plain_launch_groups(row->plain, rows);
    else
        plain_launch(row->plain, rows);
}

/*
 * A one-pass reduction of very few and very long rows, such as the sum of a whole tensor, divides
 * each row into parts. A work-group computes each part.
 */
enum { SPLIT_ROWS = 128, SPLIT_LENGTH = 1 << 18, SPLIT_PARTS = 256 };

/* The number of parts of all rows, as a size expression. */
static const char *parts_count(struct plain *p, unsigned kept)
{
    struct strbuf rows = {0};
    const char *count;

    extents_product(&p->writer->extents, p->node->in[0], kept, &rows);
    count = plain_text(p, "%s * %d", strbuf_cstr(&rows), SPLIT_PARTS);
    strbuf_release(&rows);
    return count;
}

static int64_t count_rows(const struct plain *p, unsigned kept)
{
    const struct shape *shape = &p->call.in[0]->shape;
    int64_t rows = 1;

    for (size_t axis = 0; axis < shape->rank; axis++)
        rows *= kept >> axis & 1 ? shape->dims[axis] : 1;
    return rows;
}

static bool should_split(const struct row *row, const struct rowwise_formula *formula, int64_t rows)
{
    const struct op_call *call = &row->plain->call;

    return row->is_shared && call->op->kind == OP_REDUCTION && !formula->passes[1].name &&
           rows <= SPLIT_ROWS && shape_elements(&call->in[0]->shape) / rows >= SPLIT_LENGTH;
}

/* The element type of a pass's result. */
static enum dtype pass_dtype(const char *type)
{
    if (strcmp(type, "long") == 0)
        return DTYPE_I64;
    return strcmp(type, "int") == 0 ? DTYPE_I32 : DTYPE_F32;
}

/* Write the kernel that leaves the results of all parts in the scratch buffer `parts`. */
static void write_parts(struct row *row, const struct rowwise_pass *pass, unsigned kept,
                        const struct kernel_arg *parts)
{
    struct plain *p = row->plain;
    struct kernel kernel = {.name = plain_text(p, "%s_parts", p->kernel.name)};
    const char *count = parts_count(p, kept);

    writer_scratch(p->writer, parts->name, parts->dtype, &count, 1);
    kernel_add_value(&kernel, p->call.in[0], false);
    kernel_add_arg(&kernel, parts);
    writer_head(p->writer, &kernel);
    plain_add_words(p, plain_text(p,
                                  "    const int part = $group_id0 %% %d, lane = $local_id0;\n"
                                  "    const int i = $group_id0 / %d;\n",
                                  SPLIT_PARTS, SPLIT_PARTS));
    writer_axes(p->writer, p->node->in[0], kept, "i", "    ");
    row->first = plain_text(p, "part * %d + lane", PLAIN_GROUP);
    row->step = plain_text(p, "%d", SPLIT_PARTS * PLAIN_GROUP);
    add_pass(row, pass);
    plain_add(p, "    if (lane == 0)\n        p_%s[i * %d + part] = %s;\n}\n\n", parts->name,
              SPLIT_PARTS, pass->name);
    writer_launch(p->writer, p->writer->launches, &kernel,
                  &(struct space){.global = {plain_text(p, "%s * %d", count, PLAIN_GROUP)},
                                  .local = {plain_text(p, "%d", PLAIN_GROUP)},
                                  .rank = 1});
    kernel_release(&kernel);
}

/* A work-item combines the parts of a row. */
static void write_split(struct row *row, const struct rowwise_formula *formula, unsigned kept)
{
    struct plain *p = row->plain;
    const struct rowwise_pass *pass = &formula->passes[0];
    const struct kernel_arg written = {.name = plain_text(p, "%s_parts", p->call.out->name),
                                       .dtype = pass_dtype(expanded(row, pass->type)),
                                       .is_written = true};
    struct kernel_arg read = written;

    write_parts(row, pass, kept, &written);
    read.is_written = false;
    kernel_add_arg(&p->kernel, &read);
    kernel_add_value(&p->kernel, p->call.out, true);
    writer_head(p->writer, &p->kernel);
    plain_add(p, "    const int i = get_global_id(0);\n");
    add_start(row, pass);
    row->words.of['a'] = pass->name;
    row->words.of['b'] = plain_text(p, "p_%s[i * %d + part]", read.name, SPLIT_PARTS);
    plain_add(p, "    for (int part = 0; part < %d; part++)\n        %s = %s;\n", SPLIT_PARTS,
              pass->name, expanded(row, pass->combine));
    plain_store(p, "i", expanded(row, formula->result), "    ");
    plain_launch_over(p, p->node->in[0], kept);
}

static bool shares_rows(const struct plain *p, unsigned kept)
{
    const struct shape *shape = &p->call.in[0]->shape;
    int64_t rows = count_rows(p, kept);

    return should_share(p, rows, shape->rank > 0 && !(kept >> (shape->rank - 1) & 1));
}

/* A work-item or a work-group processes one row; the result is one element or a row. */
bool plain_rowwise(struct plain *p)
{
    const struct rowwise_formula *formula = formula_rowwise(p->call.op->name);
    const struct scan *scan = find_scan(p->call.op->name);
    unsigned kept = value_axes(p->call.in[0]) & ~p->call.op->axes(&p->call);
    struct strbuf rows = {0};
    struct row row = {0};

    if (strcmp(p->call.op->name, "argsort") == 0)
        return plain_order(p);
    if (!formula && !scan)
        return false;
    set_row(&row, p);
    row.is_shared = formula && shares_rows(p, kept);
    if (formula && should_split(&row, formula, count_rows(p, kept))) {
        write_split(&row, formula, kept);
        return true;
    }
    begin_rows(&row);
    writer_axes(p->writer, p->node->in[0], kept, "i", "    ");
    if (formula)
        add_formula(&row, formula);
    else
        add_scan(&row, scan);
    extents_product(&p->writer->extents, p->node->in[0], kept, &rows);
    launch_rows(&row, strbuf_cstr(&rows));
    strbuf_release(&rows);
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
 * A work-item or a work-group normalizes one group of channels, whose elements are contiguous, as
 * layer_norm normalizes a row.
 */
static void write_group_norm(struct plain *p, const struct channel_norm *norm)
{
    size_t in = p->node->in[0];
    const char *space = plain_sizes_from(p, in, 2), *channels = plain_size(p, in, 1);
    bool has_groups = op_attribute(&p->call, "num_groups");
    const char *groups = has_groups ? plain_number(p, "num_groups", 0) : channels;
    struct row row = {.plain = p,
                      .index = "i * n + j",
                      .count = "n",
                      .first = "lane",
                      .step = plain_text(p, "%d", PLAIN_GROUP)};

    row.x = plain_load(p, 0, row.index);
    if (p->call.in_count > 1)
        row.channel = plain_text(p, "(i * n + j) / %s %% %s", space, channels);
    set_words(&row, "c");
    row.is_shared = should_share(p, norm->samples * norm->groups, true);
    begin_rows(&row);
    plain_add(p, "    const int n = %s / %s * %s;\n", channels, groups, space);
    add_formula(&row, formula_rowwise("layer_norm"));
    launch_rows(&row, plain_text(p, "%s * %s", plain_size(p, in, 0), groups));
}

bool plain_channels(struct plain *p)
{
    struct channel_norm norm = channel_norm_of(&p->call);

    if (norm.has_statistics)
        write_batch_norm(p);
    else
        write_group_norm(p, &norm);
    return true;
}
