#include "core/codegen/kernel_body.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/codegen/formula.h"

static const char barrier[] = "__syncthreads()";

/* True for a kernel that needs no more of its launch than its place in the index space. */
static bool can_join(const char *text, size_t len)
{
    static const char *const words[] = {"get_global_id(", "cluster",         "setmaxnreg",
                                        "bar.sync",       "barrier_",        "mbarrier",
                                        "gridDim.z",      "ushort memory[]", "__grid_constant__"};

    for (size_t i = 0; i < COUNT(words); i++)
        if (memmem(text, len, words[i], strlen(words[i])))
            return false;
    return true;
}

static void read_parameters(struct kernel_body *k, const char *at, const char *end)
{
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *last = comma ? comma : end;
        const char *name = last;

        while (name > at && text_is_of_name(name[-1]))
            name--;
        vec_push(&k->parameters,
                 ((struct kernel_parameter){at, (size_t)(name - at), text_begins(at, "const ")}));
        at = comma ? comma + strlen(", ") : end;
    }
}

/* Read the head of a kernel, `void __launch_bounds__(256) name(parameters)` and a bracket. */
static bool read_kernel(struct kernel_body *k)
{
    const char *line_end = memchr(k->text, '\n', k->len), *open = line_end, *close;

    if (!line_end || !text_begins(line_end, "\n{\n") || line_end[-1] != ')')
        return false;
    close = line_end - 1;
    while (open > k->text && *open != '(')
        open--;
    k->name = open;
    while (k->name > k->text && text_is_of_name(k->name[-1]))
        k->name--;
    k->name_len = (size_t)(open - k->name);
    k->body = line_end + strlen("\n{");
    read_parameters(k, open + 1, close);
    k->can_join = can_join(k->text, k->len);
    k->has_barrier = memmem(k->text, k->len, barrier, strlen(barrier)) != NULL;
    return k->name_len > 0;
}

void kernel_bodies_read(struct kernel_bodies *kernels, const char *source,
                        const struct dialect *dialect)
{
    const char *word = dialect->words[WORD_KERNEL], *at = source;

    while ((at = strstr(at, word))) {
        const char *end = strstr(at, "\n}\n");
        struct kernel_body kernel = {.text = at};

        kernel.len = end ? (size_t)(end - at) + strlen("\n}\n") : 0;
        if (end && (at == source || at[-1] == '\n') && read_kernel(&kernel)) {
            vec_push(kernels, kernel);
            at += kernel.len;
        } else {
            vec_release(&kernel.parameters);
            at++;
        }
    }
}

void kernel_bodies_release(struct kernel_bodies *kernels)
{
    for (size_t i = 0; i < kernels->count; i++)
        vec_release(&kernels->items[i].parameters);
    vec_release(kernels);
}

size_t kernel_bodies_find(const struct kernel_bodies *kernels, const char *name)
{
    size_t i = 0;

    while (i < kernels->count && !text_is(kernels->items[i].name, kernels->items[i].name_len, name))
        i++;
    return i;
}

void kernel_bodies_launch(struct kernel_bodies *kernels, const struct json *launches)
{
    for (const struct json *l = json_first(launches); l; l = json_next(l)) {
        size_t n = kernel_bodies_find(kernels, json_get_string(l, "kernel", ""));

        if (n < kernels->count)
            kernels->items[n].is_launched = true;
    }
}

bool kernel_body_has_group(struct kernel_body *kernel, const int64_t group[3])
{
    if (!kernel->group[0])
        memcpy(kernel->group, group, sizeof(kernel->group));
    return memcmp(kernel->group, group, sizeof(kernel->group)) == 0;
}

/* The text that takes the place of a word of the index space; NULL for other words. */
static const char *place_of(const char *at, size_t *len)
{
    static const struct {
        const char *word, *text;
    } places[] = {
        {"blockIdx.x", "(joined_group % joined_across)"},
        {"blockIdx.y", "(joined_group / joined_across % joined_down)"},
        {"blockIdx.z", "(joined_group / (joined_across * joined_down))"},
        {"threadIdx.x", "($t)"},
        {"threadIdx.y", "(threadIdx.x / $x % $y)"},
        {"threadIdx.z", "(threadIdx.x / ($x * $y))"},
        {"blockDim.x", "$xu"},
        {"blockDim.y", "$yu"},
        {"blockDim.z", "$zu"},
        {"gridDim.x", "joined_across"},
        {"gridDim.y", "joined_down"},
        {"__syncthreads()", "$b"},
    };

    for (size_t i = 0; i < COUNT(places); i++)
        if (text_begins(at, places[i].word)) {
            *len = strlen(places[i].word);
            return places[i].text;
        }
    return NULL;
}

static void write_body(const struct kernel_body *k, const struct formula_words *words,
                       struct strbuf *out)
{
    const char *end = k->text + k->len;

    for (const char *at = k->body; at < end;) {
        size_t len = 1;
        const char *place = text_is_of_name(at[-1]) ? NULL : place_of(at, &len);

        if (place)
            formula_expand(place, words, out);
        else
            strbuf_add(out, at, 1);
        at += len;
    }
}

/* The words of places_of() for the kernel's work-groups. */
static void set_words(const struct kernel_body *k, const struct dialect *dialect,
                      struct strbuf texts[], struct formula_words *words)
{
    static const char letters[] = "xyzitb";
    const int64_t *group = k->group;

    for (size_t i = 0; i < 3; i++)
        strbuf_addf(&texts[i], "%d", (int)group[i]);
    strbuf_addf(&texts[3], "%d", (int)(group[0] * group[1] * group[2]));
    strbuf_adds(&texts[4], "threadIdx.x");
    if (group[1] * group[2] > 1)
        strbuf_addf(&texts[4], " %% %d", (int)group[0]);
    words->of['i'] = strbuf_cstr(&texts[3]);
    formula_expand(k->is_part ? dialect->part_barrier : barrier, words, &texts[5]);
    for (size_t i = 0; letters[i]; i++)
        words->of[(int)letters[i]] = strbuf_cstr(&texts[i]);
}

void kernel_body_write(const struct kernel_body *kernel, const struct dialect *dialect,
                       struct strbuf *out)
{
    struct strbuf texts[6] = {0};
    struct formula_words words = {0};
    const char *parameters = kernel->name + kernel->name_len + strlen("(");

    set_words(kernel, dialect, texts, &words);
    strbuf_addf(out, "static __device__ __forceinline__ void %.*s_part(", (int)kernel->name_len,
                kernel->name);
    strbuf_add(out, parameters, (size_t)(kernel->body - strlen(")\n{") - parameters));
    strbuf_adds(out, ", const uint joined_group, const uint joined_across, const uint "
                     "joined_down)\n{");
    write_body(kernel, &words, out);
    for (size_t i = 0; i < COUNT(texts); i++)
        strbuf_release(&texts[i]);
}
