#include "core/codegen/shared_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/codegen/kernel_text.h"
#include "core/model/plan/dispatch.h"

/*
 * Bytes and kernels that are not worth slower kernels: a compiler takes a second for each 30 kB,
 * and 40 ms for each kernel.
 */
enum { LONG_SOURCE = 200 << 10, MANY_KERNELS = 128 };

/*
 * A kernel of the source and the one that does its work. In a language of calls the text is that of
 * the function of one work-item, and another function calls it for all of them.
 */
struct shared {
    struct kernel_text text;
    const char *call; /* the function of calls; NULL in other languages */
    size_t call_len;
    size_t exact; /* the first kernel that is the same but for names */
    size_t as;    /* the kernel that is launched in its place */
    size_t open;  /* the first kernel that is the same but for names and sizes */
};

/* Sizes that differ among the kernels that are the same otherwise. */
struct sizes {
    size_t of;        /* the first of these kernels */
    size_t saved;     /* bytes of source */
    size_t kernels;   /* that are left out */
    bool is_unrolled; /* the compiler makes more of constants */
    size_t *argument; /* for each number of the kernel its argument, or SIZE_MAX */
    size_t *number;   /* for each argument a number that has its value */
    size_t count;     /* of arguments */
};

struct sharing {
    struct writer *writer;
    struct kernel_names names;
    struct {
        struct shared *items;
        size_t count, capacity;
    } kernels;
    struct {
        struct sizes *items;
        size_t count, capacity;
    } groups;
    size_t bytes, left; /* of kernels that are written */
};

static void add_names(struct sharing *s)
{
    const struct writer *w = s->writer;

    for (size_t i = 0; i < w->graph.values.count; i++)
        vec_push(&s->names, w->graph.values.items[i].name);
    for (const struct json *scratch = json_first(w->scratch); scratch; scratch = json_next(scratch))
        vec_push(&s->names, json_key(scratch));
    kernel_names_sort(&s->names);
}

/* The end of the function that calls a kernel for all work-items. */
static const char end_of_call[] = ")\n}\n\n";

/*
 * Find the function that calls a kernel, from `*at` on, which then becomes its end, and make its
 * loop a part of the text that is compared. False if `kernel` is another function.
 */
static bool find_call(const char **at, struct shared *kernel)
{
    static const char suffix[] = "_item(";
    struct kernel_text *text = &kernel->text;
    const char *loop, *item, *end;
    struct strbuf head = {0};

    if (!text_begins(text->name + text->name_len - strlen("_item"), suffix))
        return false;
    text->name_len -= strlen("_item");
    strbuf_adds(&head, "void ");
    strbuf_add(&head, text->name, text->name_len);
    strbuf_adds(&head, "(");
    kernel->call = strstr(*at, strbuf_cstr(&head));
    strbuf_release(&head);
    loop = kernel->call ? strstr(kernel->call, "FOR_") : NULL;
    item = loop ? strstr(loop, suffix) : NULL;
    end = item ? strstr(item, end_of_call) : NULL;
    if (!end)
        return false;
    *at = end + strlen(end_of_call);
    kernel->call_len = (size_t)(*at - kernel->call);
    strbuf_add(&text->exact, loop, (size_t)(item - loop) - text->name_len);
    strbuf_add(&text->open, loop, (size_t)(item - loop) - text->name_len);
    return true;
}

/* Find the kernels of the source: each begins a line, and ends with a bracket that begins one. */
static void find_kernels(struct sharing *s)
{
    const char *word = s->writer->dialect->words[WORD_KERNEL],
               *at = strbuf_cstr(&s->writer->source), *call = strbuf_cstr(&s->writer->calls);

    while ((at = strstr(at, word))) {
        const char *end = strstr(at, "\n}\n");
        struct shared kernel = {.exact = s->kernels.count};
        bool is_kernel = at > strbuf_cstr(&s->writer->source) && at[-1] == '\n' && end;

        if (is_kernel) {
            end += strlen("\n}\n");
            kernel_text_read(&kernel.text, at, (size_t)(end - at), &s->names);
            is_kernel = !s->writer->dialect->has_calls || find_call(&call, &kernel);
        }
        if (is_kernel)
            vec_push(&s->kernels, kernel);
        else
            kernel_text_release(&kernel.text);
        at = is_kernel ? end : at + 1;
    }
}

static bool is_same(const struct strbuf *a, const struct strbuf *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Find for each kernel the first one like it, and what is left then. */
static void find_same(struct sharing *s)
{
    struct shared *k = s->kernels.items;

    for (size_t i = 0; i < s->kernels.count; i++) {
        k[i].exact = k[i].open = 0;
        while (!is_same(&k[k[i].exact].text.exact, &k[i].text.exact))
            k[i].exact++;
        while (!is_same(&k[k[i].open].text.open, &k[i].text.open))
            k[i].open++;
        k[i].as = k[i].exact;
        s->bytes += k[i].exact == i ? k[i].text.len : 0;
        s->left += k[i].exact == i;
    }
}

/* True while more is left than a compiler should get. */
static bool is_long(const struct sharing *s)
{
    return s->bytes > LONG_SOURCE || s->left > MANY_KERNELS;
}

/* True if numbers `a` and `b` have the same value in each kernel of the group. */
static bool are_equal(const struct sharing *s, size_t of, size_t a, size_t b)
{
    for (size_t i = of; i < s->kernels.count; i++) {
        const struct kernel_number *numbers = s->kernels.items[i].text.numbers.items;

        if (s->kernels.items[i].open == of && numbers[a].value != numbers[b].value)
            return false;
    }
    return true;
}

static bool differs(const struct sharing *s, size_t of, size_t number)
{
    const struct shared *k = s->kernels.items;

    for (size_t i = of; i < s->kernels.count; i++)
        if (k[i].open == of &&
            k[i].text.numbers.items[number].value != k[of].text.numbers.items[number].value)
            return true;
    return false;
}

/* Choose the arguments for the kernels that are the same as kernel `of` but for sizes. */
static struct sizes choose_arguments(const struct sharing *s, size_t of)
{
    const struct shared *k = s->kernels.items;
    size_t numbers = k[of].text.numbers.count;
    struct sizes group = {.of = of,
                          .argument = mem_alloc_zeroed(numbers + 1, sizeof(*group.argument)),
                          .number = mem_alloc_zeroed(numbers + 1, sizeof(*group.number))};

    group.is_unrolled = strstr(strbuf_cstr(&k[of].text.exact), "#pragma unroll") != NULL;
    for (size_t i = of + 1; i < s->kernels.count; i++)
        if (k[i].open == of && k[i].exact == i) {
            group.saved += k[i].text.len;
            group.kernels++;
        }
    for (size_t n = 0; n < numbers; n++) {
        size_t a = 0;

        group.argument[n] = SIZE_MAX;
        if (!differs(s, of, n))
            continue;
        while (a < group.count && !are_equal(s, of, group.number[a], n))
            a++;
        group.argument[n] = a;
        group.number[a] = n;
        group.count += a == group.count;
    }
    return group;
}

static int compare_groups(const void *a, const void *b)
{
    const struct sizes *x = a, *y = b;

    if (x->is_unrolled != y->is_unrolled)
        return x->is_unrolled - y->is_unrolled;
    return x->saved < y->saved ? 1 : x->saved > y->saved ? -1 : (x->of > y->of) - (x->of < y->of);
}

/* Find the kernels that share a text with sizes as arguments; simple and large ones first. */
static void find_groups(struct sharing *s)
{
    enum { MOST_SIZES = LAUNCH_MAX_ARGS / 2 };
    size_t kept = 0;

    for (size_t i = 0; i < s->kernels.count; i++)
        if (s->kernels.items[i].open == i)
            vec_push(&s->groups, choose_arguments(s, i));
    qsort(s->groups.items, s->groups.count, sizeof(*s->groups.items), compare_groups);
    for (size_t g = 0; g < s->groups.count; g++) {
        struct sizes *group = &s->groups.items[g];

        if (is_long(s) && group->saved && group->count <= MOST_SIZES) {
            s->bytes -= group->saved;
            s->left -= group->kernels;
            s->groups.items[kept++] = *group;
        } else {
            free(group->argument);
            free(group->number);
        }
    }
    s->groups.count = kept;
    for (size_t g = 0; g < kept; g++)
        for (size_t i = 0; i < s->kernels.count; i++)
            if (s->kernels.items[i].open == s->groups.items[g].of)
                s->kernels.items[i].as = s->groups.items[g].of;
}

static const struct sizes *group_of(const struct sharing *s, size_t kernel)
{
    for (size_t g = 0; g < s->groups.count; g++)
        if (s->groups.items[g].of == s->kernels.items[kernel].open)
            return &s->groups.items[g];
    return NULL;
}

/* Append a kernel with arguments in place of the sizes that differ. */
static void write_kernel(const struct sharing *s, size_t kernel, struct strbuf *out)
{
    const struct kernel_text *text = &s->kernels.items[kernel].text;
    const struct sizes *group = group_of(s, kernel);
    size_t done = text->head_len;

    strbuf_add(out, text->text, done);
    for (size_t a = 0; group && a < group->count; a++)
        strbuf_addf(out, ", const int given%zu", a);
    for (size_t n = 0; group && n < text->numbers.count; n++) {
        const struct kernel_number *number = &text->numbers.items[n];

        if (group->argument[n] == SIZE_MAX)
            continue;
        strbuf_add(out, text->text + done, number->at - done);
        strbuf_addf(out, "given%zu", group->argument[n]);
        done = number->at + number->len;
    }
    strbuf_add(out, text->text + done, text->len - done);
}

static void write_source(struct sharing *s)
{
    struct strbuf out = {0};
    const char *source = strbuf_cstr(&s->writer->source), *from = source;

    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct kernel_text *text = &s->kernels.items[i].text;

        if (s->kernels.items[i].as == i) {
            strbuf_add(&out, from, (size_t)(text->text - from));
            write_kernel(s, i, &out);
        }
        from = text->text + text->len;
        while (s->kernels.items[i].as != i && *from == '\n')
            from++;
    }
    strbuf_adds(&out, from);
    strbuf_release(&s->writer->source);
    s->writer->source = out;
}

/* Append a function of calls, which passes on the sizes that its kernel takes. */
static void write_call(const struct sharing *s, size_t kernel, struct strbuf *out)
{
    const struct shared *k = &s->kernels.items[kernel];
    const struct sizes *group = group_of(s, kernel);
    const char *parameters_end = strstr(k->call, ")\n{"), *end = k->call + k->call_len,
               *names_end = end - strlen(end_of_call) - 1;

    strbuf_add(out, k->call, (size_t)(parameters_end - k->call));
    for (size_t a = 0; group && a < group->count; a++)
        strbuf_addf(out, ", const int given%zu", a);
    strbuf_add(out, parameters_end, (size_t)(names_end - parameters_end));
    for (size_t a = 0; group && a < group->count; a++)
        strbuf_addf(out, ", given%zu", a);
    strbuf_add(out, names_end, (size_t)(end - names_end));
}

/* Write the functions of calls again, without those of kernels that others replace. */
static void write_calls(struct sharing *s)
{
    struct strbuf out = {0};
    const char *from = strbuf_cstr(&s->writer->calls);

    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct shared *k = &s->kernels.items[i];

        strbuf_add(&out, from, (size_t)(k->call - from));
        if (k->as == i)
            write_call(s, i, &out);
        from = k->call + k->call_len;
    }
    strbuf_adds(&out, from);
    strbuf_release(&s->writer->calls);
    s->writer->calls = out;
}

static size_t find_kernel(const struct sharing *s, const char *name)
{
    size_t i = 0;

    while (i < s->kernels.count && (s->kernels.items[i].text.name_len != strlen(name) ||
                                    !text_begins(s->kernels.items[i].text.name, name)))
        i++;
    return i;
}

/* A launch of the kernel that does the work, with the sizes that it takes. */
static struct json *change_launch(const struct sharing *s, const struct json *launch)
{
    size_t kernel = find_kernel(s, json_get_string(launch, "kernel", ""));
    const struct sizes *group = kernel < s->kernels.count ? group_of(s, kernel) : NULL;
    struct json *changed = json_dup(launch), *args = json_dup(json_get(launch, "args"));
    struct strbuf name = {0};

    for (size_t a = 0; group && a < group->count; a++) {
        int value = s->kernels.items[kernel].text.numbers.items[group->number[a]].value;

        json_put_number(json_push(args, json_object_new()), "i32", value);
    }
    json_put(changed, "args", args);
    if (kernel < s->kernels.count) {
        const struct kernel_text *text = &s->kernels.items[s->kernels.items[kernel].as].text;

        strbuf_add(&name, text->name, text->name_len);
        json_put_string(changed, "kernel", strbuf_cstr(&name));
    }
    strbuf_release(&name);
    return changed;
}

static void change_launches(const struct sharing *s, struct json **launches)
{
    struct json *changed = json_array_new();

    for (const struct json *l = json_first(*launches); l; l = json_next(l))
        json_push(changed, change_launch(s, l));
    json_free(*launches);
    *launches = changed;
}

static void release(struct sharing *s)
{
    for (size_t i = 0; i < s->kernels.count; i++)
        kernel_text_release(&s->kernels.items[i].text);
    for (size_t g = 0; g < s->groups.count; g++) {
        free(s->groups.items[g].argument);
        free(s->groups.items[g].number);
    }
    vec_release(&s->kernels);
    vec_release(&s->groups);
    vec_release(&s->names);
}

void shared_kernels_merge(struct writer *writer)
{
    struct sharing s = {.writer = writer};

    add_names(&s);
    find_kernels(&s);
    find_same(&s);
    if (is_long(&s))
        find_groups(&s);
    change_launches(&s, &writer->prepare);
    change_launches(&s, &writer->launches);
    write_source(&s);
    if (writer->dialect->has_calls)
        write_calls(&s);
    release(&s);
}
