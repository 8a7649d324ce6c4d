#include "backends/host/object_maker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/host/checked_build.h"
#include "backends/host/object.h"
#include "backends/host/openmp_gnu.inc.h"
#include "backends/host/spawn.h"
#include "backends/host/sycl_runtime.inc.h"
#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/language.h"
#include "core/system/file.h"

#define HEADER_FILE "header.pch"

enum { MOST_LOG = 64 << 20, MOST_OBJECT = 64 << 20 };

struct words {
    const char **items;
    size_t count, capacity;
};

bool object_maker_open(struct object_maker *maker, const struct found_compiler *compilers)
{
    const char *scratch = getenv("KFORGE_SCRATCH");

    *maker = (struct object_maker){
        .compilers = compilers,
        .folder = file_join(scratch ? scratch : file_temporary_folder(), "kforge-host-XXXXXX"),
        .log = memfd_create("log", MFD_CLOEXEC),
        .checks = checked_build_wanted()};
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
 * Run the compiler with its row's options, `options`, those of the checked build, and the words in
 * `rest`; the texts are borrowed.
 */
static bool run_for(struct object_maker *maker, char *options, bool is_checked,
                    const char *const *rest)
{
    struct words argv = {0};
    const char *option;
    bool is_accepted;

    vec_push(&argv, maker->compiler->path);
    add_all(&argv, maker->compiler->row->options);
    while (options && (option = strsep(&options, " ")))
        if (*option)
            vec_push(&argv, option);
    if (is_checked)
        add_all(&argv, maker->checks->options);
    add_all(&argv, rest);
    vec_push(&argv, NULL);
    if (ftruncate(maker->log, 0) || lseek(maker->log, 0, SEEK_SET))
        return false;
    is_accepted = spawn_run(argv.items, maker->log);
    vec_release(&argv);
    return is_accepted;
}

static bool run(struct object_maker *maker, char *options, const char *const *rest)
{
    return run_for(maker, options, false, rest);
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

/*
 * Compile kforge's OpenMP, once, as C; also with a sanitizer if the sanitizer must observe its
 * barriers.
 */
static void make_openmp(struct object_maker *maker)
{
    const char *rest[] = {
        "-fvisibility=hidden", "-w", "-fno-openmp", "-c", "openmp.c", "-o", "openmp.o", NULL};

    maker->compiler = &maker->compilers[0];
    if (!maker->has_tried)
        maker->has_openmp =
            !file_write_text(".", "openmp.c", openmp_gnu_inc, NULL) && run(maker, NULL, rest);
    rest[COUNT(rest) - 2] = "openmp_checked.o";
    if (!maker->has_tried && maker->has_openmp && maker->checks && maker->checks->has_openmp)
        maker->has_openmp = run_for(maker, NULL, true, rest);
    maker->has_tried = true;
}

/* The keyword of inline assembler that begins here; NULL if none does. */
static const char *assembler_at(const char *text, const char *begin)
{
    static const char *const words[] = {"asm", "__asm", "__asm__"};

    for (size_t i = 0; i < COUNT(words); i++) {
        size_t len = strlen(words[i]);

        if (strncmp(text, words[i], len) == 0 && !text_is_of_name(text[len]) &&
            (text == begin || !text_is_of_name(text[-1])))
            return words[i];
    }
    return NULL;
}

static bool has_assembler(const struct object_maker *maker, const char *text, unsigned line,
                          struct strbuf *log)
{
    for (const char *at = text; *at; at++) {
        const char *word = assembler_at(at, text);

        line += *at == '\n';
        if (!word)
            continue;
        strbuf_addf(log, "%s:%u:1: error: %s: a kernel may not contain assembler\n",
                    maker->source_file, line, word);
        return true;
    }
    return false;
}

/*
 * True if the preprocessed source has assembler in lines of its own. Lines from headers do not
 * count, because they may have assembler. A line such as `# 3 "kernel.c" 2` gives the origin of the
 * lines after it.
 */
static bool has_hidden_assembler(const struct object_maker *maker, char *preprocessed,
                                 struct strbuf *log)
{
    size_t len = strlen(maker->source_file);
    char *rest = preprocessed;
    unsigned number = 0;
    bool is_own = false;
    const char *line;

    while ((line = strsep(&rest, "\n"))) {
        if (*line == '#') {
            number = (unsigned)strtoul(line + 1, NULL, 10) - 1;
            line = strchr(line, '"');
            is_own =
                line && strncmp(line + 1, maker->source_file, len) == 0 && line[len + 1] == '"';
            continue;
        }
        number++;
        if (is_own && has_assembler(maker, line, number, log))
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
static bool is_free_of_assembler(struct object_maker *maker, const struct object_source *source,
                                 struct strbuf *log)
{
    const char *const rest[] = {"-E", "-w", maker->source_file, NULL};
    struct strbuf preprocessed = {0};
    char *copy;
    bool is_free;

    if (has_assembler(maker, source->text, 1, log))
        return false;
    if (!strstr(source->text, "##") && !strstr(source->text, "\\\n"))
        return true;
    copy = mem_strdup(source->options);
    (void)run(maker, copy, rest);
    read_log(maker, &preprocessed);
    is_free = !preprocessed.len || !has_hidden_assembler(maker, preprocessed.data, log);
    strbuf_release(&preprocessed);
    free(copy);
    return is_free;
}

/* Choose the compiler of the source's language. False if there is none; the log says so. */
static bool choose(struct object_maker *maker, const char *language, struct strbuf *log)
{
    const char *name = *language ? language : NULL;

    maker->compiler = compilers_of(maker->compilers, name);
    maker->source_file =
        maker->compiler ? language_of(maker->compiler->row->language)->source_file : "";
    if (!maker->compiler)
        strbuf_addf(log, "error: there is no compiler for %s here\n", language_title(language));
    return maker->compiler;
}

/*
 * Compile the row's header in advance, once. The file's name is that of a source, because acpp adds
 * its options for sources only.
 */
static void make_header(struct object_maker *maker)
{
    const char *const rest[] = {"-c", "-x", "c++-header", "header.cpp", "-o", HEADER_FILE, NULL};
    const char *header = maker->compiler->row->header;

    if (!header || maker->has_tried_header)
        return;
    maker->has_tried_header = true;
    maker->has_header = !file_write_text(".", "header.cpp", header, NULL) && run(maker, NULL, rest);
}

/* A compiler takes a header that was compiled with the same options only. */
static bool takes_header(const struct object_maker *maker, const char *options, bool is_checked)
{
    return maker->has_header && maker->compiler->row->header && !*options && !is_checked;
}

/*
 * The options of a source. In a long one, which has hundreds of kernels for a graph of thousands of
 * operations, the copies of loops that gcc makes at -O3 take as long as half of the rest, and gain
 * little. The caller frees them.
 */
static char *options_of(const struct object_source *source)
{
    enum { LONG_SOURCE = 400000 };
    struct strbuf options = {0};

    if (strlen(source->text) > LONG_SOURCE)
        strbuf_adds(&options, "-O2 ");
    strbuf_adds(&options, source->options);
    return strbuf_take(&options);
}

/* Link and check an object, of the checked build or the ordinary one. */
static bool make(struct object_maker *maker, const struct object_source *source, bool is_checked,
                 struct strbuf *object, struct strbuf *log)
{
    struct strbuf name = {0}, faults = {0};
    const struct object_rules rules = {.source = source->text,
                                       .file = maker->source_file,
                                       .has_runtime =
                                           language_of(maker->compiler->row->language)->has_runtime,
                                       .is_checked = is_checked};
    char *options = options_of(source);
    bool is_accepted;

    strbuf_addf(&name, is_checked ? "kernel-%u.so" : "kernel.so", maker->made);
    (void)unlink(strbuf_cstr(&name));
    {
        const char *openmp =
            is_checked && maker->checks->has_openmp ? "openmp_checked.o" : "openmp.o";
        const char *const rest[] = {maker->source_file,
                                    "-o",
                                    name.data,
                                    "-lm",
                                    "-lgcc",
                                    maker->has_openmp ? openmp : "-lgcc",
                                    takes_header(maker, options, is_checked) ? "-include-pch"
                                                                             : NULL,
                                    HEADER_FILE,
                                    NULL};

        is_accepted = run_for(maker, options, is_checked, rest);
    }
    read_log(maker, log);
    is_accepted = is_accepted && !file_read(name.data, MOST_OBJECT, object, NULL);
    if (is_accepted)
        object_check(object, &rules, &faults);
    is_accepted = is_accepted && faults.len == 0;
    strbuf_adds(log, strbuf_cstr(&faults));
    strbuf_release(&name);
    strbuf_release(&faults);
    free(options);
    return is_accepted;
}

/* True for kforge's own source, which no sanitizer has to examine. */
static bool is_runtime(const struct object_source *source)
{
    return strcmp(source->text, sycl_runtime_inc) == 0;
}

bool object_maker_make(struct object_maker *maker, const struct object_source *source,
                       struct strbuf *object, struct strbuf *log)
{
    bool is_accepted;

    make_openmp(maker);
    is_accepted = choose(maker, source->language, log);
    if (is_accepted)
        make_header(maker);
    is_accepted = is_accepted && !file_write_text(".", maker->source_file, source->text, NULL) &&
                  is_free_of_assembler(maker, source, log) &&
                  make(maker, source, false, object, log);
    if (!is_accepted || !maker->checks || is_runtime(source))
        return is_accepted;
    strbuf_release(object);
    strbuf_release(log);
    maker->made++;
    return make(maker, source, true, object, log);
}

void object_maker_add_path(const struct object_maker *maker, struct strbuf *path)
{
    if (maker->checks)
        strbuf_addf(path, "%s/kernel-%u.so", maker->folder, maker->made);
}
