#include "core/judge/tools/compiler_sanitizer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/judge/tools/tool.h"

/*
 * The options let the process go on after a finding. Code of the executor is not checked: its
 * threads wait for each other in ways that ThreadSanitizer does not recognize.
 */
static const struct row {
    const char *tool, *check; /* `check` is a name in backends/host/checked_build.c */
    const char *libraries[3];
    const char *options;
    bool needs_fixed_addresses; /* randomized addresses could lie in its shadow memory */
} rows[] = {
    {"memcheck",
     "memory",
     {"libasan.so", "libubsan.so"},
     "ASAN_OPTIONS=halt_on_error=0:detect_leaks=0:color=never:allocator_may_return_null=1:"
     "verify_asan_link_order=0:detect_odr_violation=0",
     false},
    {"racecheck",
     "threads",
     {"libtsan.so"},
     "TSAN_OPTIONS=halt_on_error=0:exitcode=0:color=never:ignore_noninstrumented_modules=1:"
     "report_thread_leaks=0:report_signal_unsafe=0",
     true},
};

void compiler_sanitizer_release(struct compiler_sanitizer *command)
{
    free(command->compiler);
    free(command->preload);
    free(command->options);
    *command = (struct compiler_sanitizer){0};
}

/* Append the path of a library of the compiler, which prints the bare name if it has none. */
static enum status add_library(const char *compiler, const char *name, struct strbuf *preload,
                               struct error *err)
{
    struct strbuf option = {0}, path = {0};
    enum status st;

    strbuf_addf(&option, "-print-file-name=%s", name);
    {
        const char *const argv[] = {compiler, strbuf_cstr(&option), NULL};

        st = tool_run(argv, &path, err);
    }
    if (!st && *strbuf_cstr(&path) != '/')
        st = error_set(err, STATUS_UNAVAILABLE, "%s has no %s: install the package with it",
                       compiler, name);
    else if (!st)
        strbuf_addf(preload, "%s%.*s",
                    preload->len ? " " : "LD_PRELOAD=", (int)strcspn(path.data, "\n"), path.data);
    strbuf_release(&option);
    strbuf_release(&path);
    return st;
}

static const struct row *find_row(const char *tool)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].tool, tool) == 0)
            return &rows[i];
    return NULL;
}

static void put_words(const struct row *row, struct compiler_sanitizer *command)
{
    const char **word = command->words;

    if (row->needs_fixed_addresses) {
        *word++ = "setarch";
        *word++ = "-R";
    }
    *word++ = "env";
    *word++ = command->compiler;
    *word++ = command->preload;
    *word++ = command->options;
    *word++ = strcmp(row->check, "memory") == 0 ? "KFORGE_HOST_CHECK=memory"
                                                : "KFORGE_HOST_CHECK=threads";
    *word = NULL;
}

enum status compiler_sanitizer_prepare(const char *compiler, const char *tool,
                                       struct compiler_sanitizer *command, struct error *err)
{
    const struct row *row = find_row(tool);
    struct strbuf preload = {0}, text = {0};
    enum status st = STATUS_OK;

    if (!row)
        return error_set(err, STATUS_UNAVAILABLE,
                         "gcc has no %s: it has memcheck (AddressSanitizer and UBSan) and "
                         "racecheck (ThreadSanitizer)",
                         tool);
    for (size_t i = 0; !st && row->libraries[i]; i++)
        st = add_library(compiler, row->libraries[i], &preload, err);
    if (!st) {
        strbuf_addf(&text, "KFORGE_CC=%s", compiler);
        *command = (struct compiler_sanitizer){.compiler = strbuf_take(&text),
                                               .preload = strbuf_take(&preload),
                                               .options = mem_strdup(row->options)};
        put_words(row, command);
    }
    strbuf_release(&preload);
    return st;
}

/* The place in the candidate's source in a text such as "f /tmp/kernel.c:5"; 0 if it has none. */
static unsigned line_in(const char *text)
{
    static const char *const files[] = {"/kernel.c", "/kernel.sycl.c"};
    const char *file = NULL, *colon;

    for (size_t i = 0; !file && i < COUNT(files); i++) {
        file = strstr(text, files[i]);
        if (!file && text_after(text, files[i] + 1))
            file = text;
    }
    colon = file ? strchr(file, ':') : NULL;
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* The length of a function's name without parameters; a lambda counts as the function around it. */
static size_t name_length(const char *name)
{
    static const char *const lambdas[] = {"::{lambda", "::$_"}; /* of gcc and clang */
    size_t len = strcspn(name, "(. ");

    for (size_t i = 0; i < COUNT(lambdas); i++) {
        const char *lambda = strstr(name, lambdas[i]);

        if (lambda && (size_t)(lambda - name) < len)
            len = (size_t)(lambda - name);
    }
    return len;
}

/* "    #0 0x7f11 in scale._omp_fn.0 /tmp/kernel.c:5": the first one in the source is the place. */
static void read_frame(const char *text, struct access_error *found)
{
    const char *name = strchr(text, ' '), *in = strstr(text, " in ");

    if (text_after(text, "#0") &&
        strstr(text, "/openmp.c:")) { /* kforge's OpenMP shares on purpose */
        free(found->kind);
        found->kind = NULL;
        return;
    }
    if (found->line || !line_in(text) || !name)
        return;
    name = in ? in + strlen(" in ") : name + 1;
    found->line = line_in(text);
    found->kernel = mem_strndup(name, name_length(name));
}

/* Append words in lower case: "WRITE of size 4 at 0x7f" up to " at ". */
static void add_access(struct strbuf *kind, const char *text)
{
    const char *end = strstr(text, " at ");

    for (; *text && text != end; text++)
        strbuf_addf(kind, "%c", tolower((unsigned char)*text));
}

static void extend_kind(struct access_error *found, const char *joint, const char *access)
{
    struct strbuf kind = {0};

    strbuf_adds(&kind, found->kind);
    strbuf_adds(&kind, joint);
    add_access(&kind, access);
    free(found->kind);
    found->kind = strbuf_take(&kind);
}

/* "stack-buffer-overflow on address 0x7ffe at pc 0x7f": the guard zones of buffers are poisoned. */
static struct access_error read_address_error(const char *text)
{
    struct access_error found = {.count = 1};
    const char *address = strstr(text, "address 0x");
    size_t len = strcspn(text, " ");

    found.kind = text_after(text, "use-after-poison") ? mem_strdup("outside of its buffer")
                                                      : mem_strndup(text, len);
    if (address)
        found.address =
            mem_strndup(address, strcspn(address + strlen("address "), " ") + strlen("address "));
    return found;
}

/* "kernel.c:5:30: runtime error: signed integer overflow: ..." */
static struct access_error read_undefined(const char *line, const char *what)
{
    return (struct access_error){.kind = mem_strdup(what), .line = line_in(line), .count = 1};
}

/* "WRITE of size 4 at 0x7f" or "Atomic read of size 4 at 0x7f by thread T1:": an access. */
static bool is_access(const char *text)
{
    static const char *const beginnings[] = {"WRITE of size", "READ of size", "Write of size",
                                             "Read of size", "Atomic "};

    for (size_t i = 0; i < COUNT(beginnings); i++)
        if (text_after(text, beginnings[i]))
            return true;
    return false;
}

static void read_detail(const char *line, struct access_error *found)
{
    const char *text = line + strspn(line, " ");

    if (*text == '#')
        read_frame(text, found);
    else if (is_access(text))
        extend_kind(found, ": ", text);
    else if (text_after(text, "Previous "))
        extend_kind(found, ", ", text);
}

void compiler_sanitizer_read(const char *printed, struct sanitizing *sanitizing)
{
    static const char undefined[] = ": runtime error: ", address[] = "ERROR: AddressSanitizer: ";
    static const char race[] = "WARNING: ThreadSanitizer: ";
    char *copy = mem_strdup(printed), *rest = copy;
    struct access_error found = {0};
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        const char *what = strstr(line, undefined), *wrong = strstr(line, address);
        const char *warned = text_after(line, race);

        if (!what && !wrong && !warned) {
            if (found.kind)
                read_detail(line, &found);
            continue;
        }
        sanitizing_take(sanitizing, &found);
        if (what)
            found = read_undefined(line, what + strlen(undefined));
        else if (wrong)
            found = read_address_error(wrong + strlen(address));
        else
            found = (struct access_error){.kind = mem_strndup(warned, strcspn(warned, "(") - 1),
                                          .count = 1};
    }
    sanitizing_take(sanitizing, &found);
    free(copy);
}
