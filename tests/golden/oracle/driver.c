/*
 * Evaluates problems for check.py.  The first line out lists the operations;
 * then each line in, {"problem": ..., "values": {"x": [...]}}, is answered by
 * {"flops": ..., "bytes": ..., "y": [...]}, or {"error": ...}.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle.h"
#include "core/model/op/op_table.h"
#include "core/model/problem_reader.h"

static void print_line(struct json *value)
{
    struct strbuf text = {0};

    json_print(value, &text);
    puts(strbuf_cstr(&text));
    fflush(stdout);
    strbuf_release(&text);
    json_free(value);
}

static void list_operations(void)
{
    struct json *names = json_array_new();

    for (size_t i = 0; op_at(i); i++)
        json_push(names, json_string_new(op_at(i)->name));
    print_line(names);
}

/* The numbers given for inputs and params; each must have all of its elements. */
static enum status take_values(const struct graph *graph, const struct json *given,
                               struct oracle_values *values, struct error *err)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        const struct json *numbers = json_get(given, value->name);
        size_t count = (size_t)shape_elements(&value->shape), k = 0;

        if (value->role != TENSOR_INPUT && value->role != TENSOR_PARAM)
            continue;
        if (json_count(numbers) != count)
            return error_set(err, STATUS_INVALID, "%s needs %zu numbers", value->name, count);
        values->items[i] = block_pool_take(values->blocks, count, sizeof(double));
        for (const struct json *n = json_first(numbers); n; n = json_next(n))
            values->items[i][k++] = json_number(n, 0);
    }
    return STATUS_OK;
}

static void put_outputs(const struct graph *graph, const struct oracle_values *values,
                        struct json *answer)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        size_t count = (size_t)shape_elements(&value->shape);

        if (value->role != TENSOR_OUTPUT)
            continue;

        struct json *numbers = json_put(answer, value->name, json_array_new());

        for (size_t k = 0; k < count; k++)
            json_push(numbers, json_number_new(values->items[i][k]));
    }
}

static enum status answer_graph(const struct graph *graph, const struct json *given,
                                struct json *answer, struct error *err)
{
    struct oracle_values values = oracle_values_make(graph);
    struct block_pool *blocks = block_pool_new();
    enum status st;

    values.blocks = blocks;
    json_put_number(answer, "flops", graph_flops(graph));
    json_put_number(answer, "bytes", graph_bytes(graph));
    st = take_values(graph, given, &values, err);

    if (!st)
        st = oracle_evaluate(graph, &values, err);
    if (!st)
        put_outputs(graph, &values, answer);
    oracle_values_release(&values);
    block_pool_free(blocks);
    return st;
}

static enum status answer_case(const struct json *one, struct json *answer, struct error *err)
{
    struct strbuf text = {0};
    struct problem problem = {0};
    struct graph graph = {0};
    struct binding bindings[16];
    enum status st;

    json_print(json_get(one, "problem"), &text);
    st = problem_parse(&problem, strbuf_cstr(&text), text.len, "case", err);
    if (!st) {
        struct scope scope = problem_scope(&problem, 0, bindings);

        st = graph_build(&graph, &problem, &scope, err);
    }
    if (!st)
        st = answer_graph(&graph, json_get(one, "values"), answer, err);
    graph_release(&graph);
    problem_release(&problem);
    strbuf_release(&text);
    return st;
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t len;

    list_operations();
    while ((len = getline(&line, &capacity, stdin)) > 0) {
        struct error err = {0};
        struct json *one = json_parse(line, (size_t)len, &err);
        struct json *answer = json_object_new();

        if (!one || answer_case(one, answer, &err))
            json_put_string(answer, "error", err.text);
        json_free(one);
        print_line(answer);
    }
    free(line);
    return EXIT_SUCCESS;
}
