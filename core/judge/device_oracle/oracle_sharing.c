#include "core/judge/device_oracle/oracle_sharing.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"

static const char head[] = "__kernel void ", name[] = "oracle_", end_of_kernel[] = "\n}\n",
                  end_of_parameters[] = ")\n{";

enum { LONGEST_NUMBER = 9 /* digits that an int holds in any case */ };
/* The least size that becomes an argument; in kernels of products it is above those of windows. */
enum { LEAST_SIZE = 2, LEAST_OF_PRODUCT = 8 };

/* A whole number in the text of a kernel that an argument could replace. */
struct size {
    size_t at, len;
    int value;
};

/* A kernel with the definitions of its section, by itself. */
struct kernel {
    struct strbuf text, open; /* `open` has no `sizes`, neither has its name */
    struct {
        struct size *items;
        size_t count, capacity;
    } sizes;
    bool is_product;
    size_t name_end; /* bytes before the number in its name */
    size_t launch, section;
    const struct kernel *as;   /* the kernel that is launched in its place */
    const struct group *group; /* whose sizes are arguments; or NULL */
};

/* Kernels that differ in sizes, if at all: those in [first, last) of the sorted ones. */
struct group {
    size_t first, last;
    size_t different; /* kernels that differ */
    bool is_product;
    size_t *argument; /* for each size its argument, or SIZE_MAX; NULL if all sizes stay */
    size_t arguments;
};

struct sharing {
    const char *source;
    struct dispatch *dispatch;
    struct {
        struct kernel *items;
        size_t count, capacity;
    } kernels; /* in the order of the source */
    struct kernel **sorted;
    struct {
        struct group *items;
        size_t count, capacity;
    } groups;
};

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* True for directives, and for definitions of numbers that arrays and the preprocessor need. */
static bool has_constants(const char *line)
{
    static const char *const constants[] = {"SUMS ",       "GATES ",        "STATES ",
                                            "PART_STATE ", "PART_NUMBERS ", "SUM_NUMBERS "};
    static const char define[] = "#define ";

    if (*line != '#')
        return false;
    if (strncmp(line, define, strlen(define)) != 0)
        return true;
    for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
        if (strncmp(line + strlen(define), constants[i], strlen(constants[i])) == 0)
            return true;
    return false;
}

/* The bytes of a number, with its suffix and exponent. */
static size_t number_length(const char *number)
{
    size_t len = 0;

    while (is_of_word(number[len]) || number[len] == '.' ||
           ((number[len] == '-' || number[len] == '+') && number[len - 1] == 'e'))
        len++;
    return len;
}

/*
 * Read a number; sizes below LEAST_SIZE stay, because much of the text vanishes with them, and so
 * do those of arrays. In products the sizes of windows stay, too: their loops divide by them.
 */
static size_t read_number(struct kernel *k, size_t at, bool is_fixed)
{
    const char *number = strbuf_cstr(&k->text) + at;
    size_t len = number_length(number), digits = strspn(number, "0123456789");
    bool is_whole =
        digits <= LONGEST_NUMBER && (digits == len || (digits + 1 == len && number[digits] == 'L'));
    bool is_alone = number[-1] == '[' && number[len] == ']';
    int least = k->is_product ? LEAST_OF_PRODUCT : LEAST_SIZE;
    int value = is_whole ? (int)strtol(number, NULL, 10) : 0;

    if (is_fixed || is_alone || value < least) {
        strbuf_add(&k->open, number, len);
    } else {
        strbuf_addf(&k->open, "#%s", digits == len ? "" : "L");
        vec_push(&k->sizes, ((struct size){at, len, value}));
    }
    return len;
}

/* Write the text without its sizes. */
static void open_sizes(struct kernel *k)
{
    const char *text = strbuf_cstr(&k->text);
    bool is_fixed = has_constants(text);

    k->is_product = strstr(text, "#pragma unroll") != NULL;
    for (size_t at = 0; at < k->text.len;) {
        size_t len = 1;

        if (isdigit((unsigned char)text[at])) {
            at += read_number(k, at, is_fixed);
            continue;
        }
        while (is_of_word(text[at]) && is_of_word(text[at + len]))
            len++;
        strbuf_add(&k->open, text + at, len);
        at += len;
        if (text[at - 1] == '\n')
            is_fixed = has_constants(text + at);
    }
}

/* The next kernel in [at, end); NULL if there is none. */
static const char *find_kernel(const char *at, const char *end)
{
    const char *found = strstr(at, head);

    while (found && found < end && found[-1] != '\n')
        found = strstr(found + 1, head);
    return found && found < end ? found : NULL;
}

static const char *end_of(const char *kernel)
{
    return strstr(kernel, end_of_kernel) + strlen(end_of_kernel);
}

/* Append what [from, end) has beside kernels. */
static void add_definitions(const char *from, const char *end, struct strbuf *out)
{
    const char *kernel;

    while ((kernel = find_kernel(from, end))) {
        strbuf_add(out, from, (size_t)(kernel - from));
        from = end_of(kernel);
    }
    strbuf_add(out, from, (size_t)(end - from));
}

/* Add the kernel at `at` of the section [begin, end), as the one without a number. */
static void add_kernel(struct sharing *s, size_t section, const char *begin, const char *at,
                       const char *end)
{
    struct kernel kernel = {.section = section};
    const char *number = at + strlen(head) + strlen(name);
    char *rest;

    kernel.launch = strtoul(number, &rest, 10);
    add_definitions(begin, at, &kernel.text);
    strbuf_add(&kernel.text, at, (size_t)(number - at));
    kernel.name_end = kernel.text.len;
    strbuf_add(&kernel.text, rest, (size_t)(end_of(at) - rest));
    add_definitions(end_of(at), end, &kernel.text);
    open_sizes(&kernel);
    vec_push(&s->kernels, kernel);
}

static void find_kernels(struct sharing *s, const struct oracle_sections *sections, size_t length)
{
    for (size_t i = 0; i < sections->count; i++) {
        const char *begin = s->source + sections->items[i], *at = begin;
        const char *end = s->source + (i + 1 < sections->count ? sections->items[i + 1] : length);

        while ((at = find_kernel(at, end))) {
            add_kernel(s, i, begin, at, end);
            at = end_of(at);
        }
    }
}

static int compare_texts(const struct strbuf *a, const struct strbuf *b)
{
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return memcmp(strbuf_cstr(a), strbuf_cstr(b), a->len);
}

/* Order kernels by what they are without sizes, then by their text. */
static int compare_kernels(const void *a, const void *b)
{
    const struct kernel *x = *(const struct kernel *const *)a,
                        *y = *(const struct kernel *const *)b;
    int order = compare_texts(&x->open, &y->open);

    order = order ? order : compare_texts(&x->text, &y->text);
    return order ? order : (x->launch > y->launch) - (x->launch < y->launch);
}

static void sort_kernels(struct sharing *s)
{
    s->sorted = mem_alloc_zeroed(s->kernels.count + 1, sizeof(struct kernel *));
    for (size_t i = 0; i < s->kernels.count; i++)
        s->sorted[i] = &s->kernels.items[i];
    qsort(s->sorted, s->kernels.count, sizeof(struct kernel *), compare_kernels);
}

/* Find the groups, and for each kernel the first one with its text. */
static void find_groups(struct sharing *s)
{
    struct group *group = NULL;

    for (size_t i = 0; i < s->kernels.count; i++) {
        struct kernel *kernel = s->sorted[i];
        const struct kernel *before = i ? s->sorted[i - 1] : NULL;
        bool is_like = before && compare_texts(&before->open, &kernel->open) == 0;
        bool is_same = is_like && compare_texts(&before->text, &kernel->text) == 0;

        if (!is_like) {
            vec_push(&s->groups, ((struct group){.first = i}));
            group = &s->groups.items[s->groups.count - 1];
            group->is_product = kernel->is_product;
        }
        group->last = i + 1;
        group->different += !is_same;
        kernel->as = is_same ? before->as : kernel;
    }
}

static int value_of(const struct sharing *s, size_t sorted, size_t size)
{
    return s->sorted[sorted]->sizes.items[size].value;
}

/* True if two sizes have the same value in each kernel of the group. */
static bool are_equal(const struct sharing *s, const struct group *group, size_t a, size_t b)
{
    for (size_t i = group->first; i < group->last; i++)
        if (value_of(s, i, a) != value_of(s, i, b))
            return false;
    return true;
}

static bool differs(const struct sharing *s, const struct group *group, size_t size)
{
    for (size_t i = group->first; i < group->last; i++)
        if (value_of(s, i, size) != value_of(s, group->first, size))
            return true;
    return false;
}

/* Make arguments of the sizes that differ, as far as a launch can have so many. */
static void choose_arguments(const struct sharing *s, struct group *group)
{
    size_t count = s->sorted[group->first]->sizes.count;
    size_t *sizes = mem_alloc_zeroed(count + 1, sizeof(*sizes)); /* by argument */

    group->argument = mem_alloc_zeroed(count + 1, sizeof(*group->argument));
    for (size_t n = 0; n < count; n++) {
        size_t a = 0;

        group->argument[n] = SIZE_MAX;
        if (!differs(s, group, n))
            continue;
        while (a < group->arguments && !are_equal(s, group, sizes[a], n))
            a++;
        sizes[a] = n;
        group->argument[n] = a;
        group->arguments += a == group->arguments;
    }
    free(sizes);
    if (s->dispatch->launches.items[s->sorted[group->first]->launch].arg_count + group->arguments <=
        LAUNCH_MAX_ARGS)
        return;
    free(group->argument);
    group->argument = NULL;
}

/* Groups that save most come first, those of products last. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->is_product != y->is_product)
        return x->is_product - y->is_product;
    if (x->different != y->different)
        return x->different < y->different ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

static void choose_groups(struct sharing *s, size_t most)
{
    size_t left = 0;

    if (s->groups.count)
        qsort(s->groups.items, s->groups.count, sizeof(*s->groups.items), compare_groups);
    for (size_t g = 0; g < s->groups.count; g++)
        left += s->groups.items[g].different;
    for (size_t g = 0; g < s->groups.count && left > most; g++) {
        struct group *group = &s->groups.items[g];

        if (group->different > 1)
            choose_arguments(s, group);
        if (!group->argument)
            continue;
        left -= group->different - 1;
        for (size_t i = group->first; i < group->last; i++) {
            s->sorted[i]->as = s->sorted[group->first];
            s->sorted[i]->group = group;
        }
    }
}

/* Append the bytes [from, end) of a kernel, with arguments in place of the sizes that differ. */
static void add_text(const struct kernel *kernel, size_t from, size_t end, struct strbuf *out)
{
    const char *text = strbuf_cstr(&kernel->text);

    for (size_t n = 0; kernel->group && n < kernel->sizes.count; n++) {
        const struct size *size = &kernel->sizes.items[n];
        size_t argument = kernel->group->argument[n];

        if (argument == SIZE_MAX || size->at < from || size->at >= end)
            continue;
        strbuf_add(out, text + from, size->at - from);
        strbuf_addf(out, text[size->at + size->len - 1] == 'L' ? "(long)given%zu" : "given%zu",
                    argument);
        from = size->at + size->len;
    }
    strbuf_add(out, text + from, end - from);
}

static void write_kernel(const struct kernel *kernel, struct strbuf *out)
{
    const char *text = strbuf_cstr(&kernel->text);
    size_t parameters_end = (size_t)(strstr(text + kernel->name_end, end_of_parameters) - text);

    add_text(kernel, 0, kernel->name_end, out);
    strbuf_addf(out, "%zu", kernel->launch);
    strbuf_add(out, text + kernel->name_end, parameters_end - kernel->name_end);
    for (size_t a = 0; kernel->group && a < kernel->group->arguments; a++)
        strbuf_addf(out, ", const int given%zu", a);
    add_text(kernel, parameters_end, kernel->text.len, out);
}

/* Write the kernels that are launched, and the sections that have none. */
static void write_source(const struct sharing *s, const struct oracle_sections *sections,
                         size_t length, struct strbuf *out)
{
    size_t next = 0;

    strbuf_add(out, s->source, sections->items[0]);
    for (size_t i = 0; i < sections->count; i++) {
        size_t begin = sections->items[i];
        size_t end = i + 1 < sections->count ? sections->items[i + 1] : length;

        if (next == s->kernels.count || s->kernels.items[next].section != i)
            strbuf_add(out, s->source + begin, end - begin);
        for (; next < s->kernels.count && s->kernels.items[next].section == i; next++)
            if (s->kernels.items[next].as == &s->kernels.items[next])
                write_kernel(&s->kernels.items[next], out);
    }
}

static void change_launches(const struct sharing *s)
{
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct kernel *kernel = &s->kernels.items[i];
        struct launch *launch = &s->dispatch->launches.items[kernel->launch];
        struct strbuf called = {0};
        size_t arguments = 0;

        strbuf_addf(&called, "%s%zu", name, kernel->as->launch);
        free(launch->kernel);
        launch->kernel = strbuf_take(&called);
        for (size_t n = 0; kernel->group && n < kernel->sizes.count; n++) {
            if (kernel->group->argument[n] != arguments)
                continue;
            launch->args[launch->arg_count++] =
                (struct launch_arg){.kind = ARG_INTEGER, .integer = kernel->sizes.items[n].value};
            arguments++;
        }
    }
}

static void release(struct sharing *s)
{
    for (size_t i = 0; i < s->kernels.count; i++) {
        strbuf_release(&s->kernels.items[i].text);
        strbuf_release(&s->kernels.items[i].open);
        vec_release(&s->kernels.items[i].sizes);
    }
    for (size_t g = 0; g < s->groups.count; g++)
        free(s->groups.items[g].argument);
    vec_release(&s->kernels);
    vec_release(&s->groups);
    free(s->sorted);
}

void oracle_share_kernels(struct strbuf *source, const struct oracle_sections *sections,
                          struct dispatch *dispatch, size_t most)
{
    struct sharing s = {.source = strbuf_cstr(source), .dispatch = dispatch};
    struct strbuf out = {0};

    if (sections->count == 0)
        return;
    find_kernels(&s, sections, source->len);
    sort_kernels(&s);
    find_groups(&s);
    choose_groups(&s, most);
    write_source(&s, sections, source->len, &out);
    change_launches(&s);
    release(&s);
    strbuf_release(source);
    *source = out;
}
