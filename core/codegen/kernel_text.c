#include "core/codegen/kernel_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/vec.h"

enum { LONGEST_NUMBER = 9 }; /* digits that an int holds in any case */

/* A kernel that is being read. */
struct reading {
    struct kernel_text *kernel;
    const struct kernel_names *names;
    const char *at, *end;
    const char *fixed_until; /* numbers before it stay as they are */
    struct {
        struct word {
            const char *text;
            size_t len;
        } * items;
        size_t count, capacity;
    } words; /* the words that are numbered, in their order */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void kernel_names_sort(struct kernel_names *names)
{
    if (names->count)
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
}

static bool has_name(const struct kernel_names *names, const char *text, size_t len)
{
    size_t low = 0, high = names->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strncmp(text, names->items[middle], len);

        if (order == 0)
            order = names->items[middle][len] ? -1 : 0;
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/*
 * True for a word that is made of a prefix and the name of a value, such as p_t1, and perhaps a
 * number: v_t1_2. Functions are no such words.
 */
static bool is_of_value(const struct reading *r, const char *word, size_t len)
{
    size_t digits = 0;

    if (word[len] == '(')
        return false;
    while (digits < len && isdigit((unsigned char)word[len - digits - 1]))
        digits++;
    for (size_t i = 0; i + 1 < len; i++) {
        size_t rest = len - i - 1;

        if (word[i] != '_')
            continue;
        if (has_name(r->names, word + i + 1, rest))
            return true;
        if (digits && rest > digits + 1 && word[len - digits - 1] == '_' &&
            has_name(r->names, word + i + 1, rest - digits - 1))
            return true;
    }
    return false;
}

static size_t number_of(struct reading *r, const char *word, size_t len)
{
    size_t i = 0;

    while (i < r->words.count &&
           (r->words.items[i].len != len || strncmp(r->words.items[i].text, word, len) != 0))
        i++;
    if (i == r->words.count)
        vec_push(&r->words, ((struct word){word, len}));
    return i;
}

static void add_both(struct kernel_text *kernel, const char *text, size_t len)
{
    strbuf_add(&kernel->exact, text, len);
    strbuf_add(&kernel->open, text, len);
}

static void read_word(struct reading *r)
{
    struct kernel_text *k = r->kernel;
    const char *word = r->at;
    size_t len = 0;

    while (word + len < r->end && text_is_of_name(word[len]))
        len++;
    r->at += len;
    if (len == k->name_len && strncmp(word, k->name, len) == 0) {
        add_both(k, "$", 1);
    } else if (is_of_value(r, word, len)) {
        strbuf_addf(&k->exact, "$%zu", number_of(r, word, len));
        strbuf_addf(&k->open, "$%zu", number_of(r, word, len));
    } else {
        add_both(k, word, len);
    }
}

/* True for digits that a variable could replace: no part of a float, and no template's argument. */
static bool is_open_number(const struct reading *r, const char *number, size_t len)
{
    bool is_whole = len <= LONGEST_NUMBER && strspn(number, "0123456789") == len;

    return is_whole && number >= r->fixed_until && number[-1] != '<' && number[-1] != '.' &&
           number[len] != '>' && number[len] != '.';
}

static void read_number(struct reading *r)
{
    struct kernel_text *k = r->kernel;
    const char *number = r->at;
    size_t len = 0;

    while (number + len < r->end &&
           (text_is_of_name(number[len]) || number[len] == '.' ||
            ((number[len] == '-' || number[len] == '+') && number[len - 1] == 'e')))
        len++;
    r->at += len;
    strbuf_add(&k->exact, number, len);
    if (!is_open_number(r, number, len)) {
        strbuf_add(&k->open, number, len);
        return;
    }
    strbuf_adds(&k->open, "#");
    vec_push(&k->numbers, ((struct kernel_number){(size_t)(number - k->text), len,
                                                  (int)strtol(number, NULL, 10)}));
}

/* Numbers in brackets without a name, the sizes of arrays, stay. */
static void read_bracket(struct reading *r)
{
    const char *close = r->at + strcspn(r->at, "]");
    bool has_name = false;

    for (const char *c = r->at + 1; c < close; c++)
        has_name |= text_is_of_name(*c) && !isdigit((unsigned char)*c);
    if (!has_name && close > r->fixed_until)
        r->fixed_until = close;
    add_both(r->kernel, r->at++, 1);
}

static bool has_text(const char *line, size_t len, const char *text)
{
    return memmem(line, len, text, strlen(text)) != NULL;
}

/*
 * Numbers stay in directives and in the line behind one, which is a loop to unroll, in declarations
 * of shared memory and constants, and beside text.
 */
static void begin_line(struct reading *r)
{
    const char *line = r->at, *end = line + strcspn(line, "\n");
    size_t len = (size_t)(end - line);

    if (has_text(line, len, "#pragma"))
        end = *end ? end + 1 + strcspn(end + 1, "\n") : end;
    else if (!has_text(line, len, "__shared__") && !has_text(line, len, "__local") &&
             !has_text(line, len, "constexpr") && !has_text(line, len, "\""))
        return;
    if (end > r->fixed_until)
        r->fixed_until = end;
}

/* Find the name of the kernel and the end of its parameters in its first line. */
static void read_head(struct kernel_text *kernel)
{
    const char *line_end = kernel->text + strcspn(kernel->text, "\n"), *open = line_end;

    kernel->head_len = (size_t)(line_end - kernel->text) - 1;
    while (open > kernel->text && *open != '(')
        open--;
    kernel->name = open;
    while (kernel->name > kernel->text && text_is_of_name(kernel->name[-1]))
        kernel->name--;
    kernel->name_len = (size_t)(open - kernel->name);
}

void kernel_text_read(struct kernel_text *kernel, const char *text, size_t len,
                      const struct kernel_names *names)
{
    struct reading r = {.kernel = kernel, .names = names, .at = text, .end = text + len};

    *kernel = (struct kernel_text){.text = text, .len = len};
    read_head(kernel);
    r.fixed_until = text + kernel->head_len;
    while (r.at < r.end) {
        if (isdigit((unsigned char)*r.at)) {
            read_number(&r);
        } else if (text_is_of_name(*r.at)) {
            read_word(&r);
        } else if (*r.at == '[') {
            read_bracket(&r);
        } else {
            add_both(kernel, r.at++, 1);
            if (r.at[-1] == '\n')
                begin_line(&r);
        }
    }
    vec_release(&r.words);
}

void kernel_text_release(struct kernel_text *kernel)
{
    strbuf_release(&kernel->exact);
    strbuf_release(&kernel->open);
    vec_release(&kernel->numbers);
}
