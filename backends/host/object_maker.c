#include "backends/host/object_maker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/host/object.h"
#include "backends/host/openmp_gnu.inc.h"
#include "backends/host/spawn.h"
#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/system/file.h"

enum { MOST_LOG = 64 << 20, MOST_OBJECT = 64 << 20 };

struct words {
    const char **items;
    size_t count, capacity;
};

bool object_maker_open(struct object_maker *maker, const struct found_compiler *compiler)
{
    const char *scratch = getenv("KFORGE_SCRATCH");

    *maker = (struct object_maker){
        .compiler = compiler,
        .folder = file_join(scratch ? scratch : file_temporary_folder(), "kforge-host-XXXXXX"),
        .log = memfd_create("log", MFD_CLOEXEC)};
    return mkdtemp(maker->folder) && chdir(maker->folder) == 0 && maker->log >= 0;
}

void object_maker_close(struct object_maker *maker)
{
    if (chdir("/") == 0)
        file_remove_folder(maker->folder);
    free(maker->folder);
    if (maker->log >= 0)
        close(maker->log);
}

static void add_all(struct words *words, const char *const *more)
{
    for (; *more; more++)
        vec_push(words, *more);
}

/*
 * Run the compiler with its row's options, `options`, and the words in `rest`; the texts are
 * borrowed.
 */
static bool run(struct object_maker *maker, char *options, const char *const *rest)
{
    struct words argv = {0};
    const char *option;
    bool is_accepted;

    vec_push(&argv, maker->compiler->path);
    add_all(&argv, maker->compiler->row->options);
    while (options && (option = strsep(&options, " ")))
        if (*option)
            vec_push(&argv, option);
    add_all(&argv, rest);
    vec_push(&argv, NULL);
    if (ftruncate(maker->log, 0) || lseek(maker->log, 0, SEEK_SET))
        return false;
    is_accepted = spawn_run(argv.items, maker->log);
    vec_release(&argv);
    return is_accepted;
}

static void read_log(const struct object_maker *maker, struct strbuf *log)
{
    off_t size = lseek(maker->log, 0, SEEK_END);
    char *bytes;

    if (size <= 0 || size > MOST_LOG)
        return;
    bytes = mem_alloc_zeroed((size_t)size + 1, 1);
    if (pread(maker->log, bytes, (size_t)size, 0) == size)
        strbuf_adds(log, bytes);
    free(bytes);
}

/* Compile kforge's OpenMP, once. It is done only when a kernel uses OpenMP. */
static void make_openmp(struct object_maker *maker)
{
    static const char *const rest[] = {
        "-fvisibility=hidden", "-w", "-fno-openmp", "-c", "openmp.c", "-o", "openmp.o", NULL};

    if (!maker->has_tried)
        maker->has_openmp =
            !file_write_text(".", "openmp.c", openmp_gnu_inc, NULL) && run(maker, NULL, rest);
    maker->has_tried = true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The keyword of inline assembler that begins here; NULL if none does. */
static const char *assembler_at(const char *text, const char *begin)
{
    static const char *const words[] = {"asm", "__asm", "__asm__"};

    for (size_t i = 0; i < COUNT(words); i++) {
        size_t len = strlen(words[i]);

        if (strncmp(text, words[i], len) == 0 && !is_word(text[len]) &&
            (text == begin || !is_word(text[-1])))
            return words[i];
    }
    return NULL;
}

static bool has_assembler(const char *text, const char *begin, unsigned line, struct strbuf *log)
{
    for (const char *at = text; *at; at++) {
        const char *word = assembler_at(at, begin);

        line += *at == '\n';
        if (!word)
            continue;
        strbuf_addf(log, "kernel.c:%u:1: error: %s: a kernel may not contain assembler\n", line,
                    word);
        return true;
    }
    return false;
}

/*
 * True if the preprocessed source has assembler in lines of its own. Lines from headers do not
 * count: they may have assembler. A line such as `# 3 "kernel.c" 2` tells the origin of the lines
 * after it.
 */
static bool has_hidden_assembler(char *preprocessed, struct strbuf *log)
{
    char *rest = preprocessed;
    unsigned number = 0;
    bool is_own = false;
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        if (*line == '#') {
            number = (unsigned)strtoul(line + 1, NULL, 10) - 1;
            is_own = strstr(line, "\"kernel.c\"") != NULL;
            continue;
        }
        number++;
        if (is_own && has_assembler(line, line, number, log))
            return true;
    }
    return false;
}

/*
 * True if the source has no assembler, which could make system calls. Macros and continued lines
 * can hide the keyword, so a source with such lines is preprocessed first. Machine code hidden in
 * constants is not found. Therefore this check alone protects nothing; the containment does
 * (SECURITY.md).
 */
static bool is_free_of_assembler(struct object_maker *maker, const char *source,
                                 const char *options, struct strbuf *log)
{
    static const char *const rest[] = {"-E", "-w", "kernel.c", NULL};
    struct strbuf preprocessed = {0};
    char *copy;
    bool is_free;

    if (has_assembler(source, source, 1, log))
        return false;
    if (!strstr(source, "##") && !strstr(source, "\\\n"))
        return true;
    copy = mem_strdup(options);
    (void)run(maker, copy, rest);
    read_log(maker, &preprocessed);
    is_free = !preprocessed.len || !has_hidden_assembler(preprocessed.data, log);
    strbuf_release(&preprocessed);
    free(copy);
    return is_free;
}

static bool check(const char *source, struct strbuf *object, struct strbuf *log)
{
    struct strbuf faults = {0};
    bool is_accepted;

    object_check(object, source, &faults);
    is_accepted = faults.len == 0;
    strbuf_adds(log, strbuf_cstr(&faults));
    strbuf_release(&faults);
    return is_accepted;
}

bool object_maker_make(struct object_maker *maker, const char *source, const char *options,
                       struct strbuf *object, struct strbuf *log)
{
    const char *rest[] = {"kernel.c", "-o", "kernel.so", "-lm", "-lgcc", NULL, NULL};
    char *copy = mem_strdup(options);
    bool is_accepted;

    make_openmp(maker);
    rest[COUNT(rest) - 2] = maker->has_openmp ? "openmp.o" : NULL;
    (void)unlink("kernel.so");
    is_accepted = !file_write_text(".", "kernel.c", source, NULL) &&
                  is_free_of_assembler(maker, source, options, log);
    if (is_accepted) {
        is_accepted = run(maker, copy, rest);
        read_log(maker, log);
    }
    if (is_accepted && file_read("kernel.so", MOST_OBJECT, object, NULL))
        is_accepted = false;
    free(copy);
    return is_accepted && check(source, object, log);
}
