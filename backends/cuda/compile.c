#include "backends/cuda/compile.h"

#include <stdlib.h>
#include <string.h>

#include "backends/cuda/platform.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/model/language.h"
#include "core/model/plan/bare_source.h"
#include "core/system/clock.h"

/* The words of the compiler's command line; each is owned. */
struct words {
    char **items;
    size_t count, capacity;
};

static void add_word(struct words *words, const char *option, const char *value)
{
    struct strbuf word = {0};

    strbuf_addf(&word, "%s%s", option, value);
    vec_push(words, strbuf_take(&word));
}

static void words_release(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    vec_release(words);
}

/* True for a definition that is made in the source. */
static bool is_moved(const struct gpu_platform *platform, const char *option)
{
    return platform->has_headers && strncmp(option, "-D", 2) == 0;
}

/* The source after the definitions that are moved into it. The caller frees it. */
static char *with_options(const struct gpu_platform *platform, const struct program_source *source)
{
    char *copy = mem_strdup(source->options), *rest = copy;
    struct strbuf text = {0};
    char *option;

    while ((option = strsep(&rest, " "))) {
        char *value = strchr(option, '=');

        if (!is_moved(platform, option))
            continue;
        if (value)
            *value = ' ';
        strbuf_addf(&text, "#define %s%s\n", option + 2, value ? "" : " 1");
    }
    if (text.len)
        strbuf_addf(&text, "#line 1 \"%s\"\n", platform->source_file);
    strbuf_adds(&text, source->text);
    free(copy);
    return strbuf_take(&text);
}

/* The source as the compiler gets it. The caller frees it. */
static char *complete(const struct gpu_platform *platform, const struct program_source *source)
{
    return language_of(platform->name)->lacks_headers
               ? bare_source_complete(source->text, platform->source_file)
               : with_options(platform, source);
}

static bool has_threads(const struct nvrtc *nvrtc)
{
    const struct gpu_platform *platform = nvrtc->platform;

    return platform->threads_option &&
           1000 * nvrtc->major + 10 * nvrtc->minor >= platform->threads_version;
}

/* The options that every program gets, then the candidate's own, which are separated by blanks. */
static struct words list_options(const struct compile_target *target, const char *options)
{
    const struct gpu_platform *platform = target->nvrtc->platform;
    struct words words = {0};
    char *headers = nvrtc_headers(platform), *copy = mem_strdup(options), *rest = copy;
    const char *option;

    add_word(&words, "--gpu-architecture=", target->arch);
    for (const char *const *word = platform->options; *word; word++)
        add_word(&words, *word, "");
    if (has_threads(target->nvrtc) && !target->is_alone)
        add_word(&words, platform->threads_option, "");
    if (headers)
        add_word(&words, "--include-path=", headers);
    while ((option = strsep(&rest, " ")))
        if (*option && !is_moved(platform, option))
            add_word(&words, option, "");
    free(headers);
    free(copy);
    return words;
}

typedef nvrtcResult size_function(nvrtcProgram, size_t *);
typedef nvrtcResult text_function(nvrtcProgram, char *);

/* A text or code of the program; empty if there is none.  The caller frees it. */
static char *take(nvrtcProgram handle, size_function *ask_size, text_function *ask)
{
    size_t size = 0;
    char *text;

    (void)ask_size(handle, &size);
    text = mem_alloc_zeroed(size + 1, 1);
    if (size && ask(handle, text))
        *text = '\0';
    return text;
}

/*
 * Machine code exists only for a real architecture ("sm_90"), PTX also for a virtual one
 * ("compute_90").
 */
static void take_binary(const struct nvrtc *nvrtc, nvrtcProgram handle, struct binary *binary)
{
    char *code = take(handle, nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN);
    size_t size = 0;

    (void)nvrtc->nvrtcGetCUBINSize(handle, &size);
    strbuf_add(&binary->machine, code, *code ? size : 0);
    binary->ptx = nvrtc->nvrtcGetPTX ? take(handle, nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX)
                                     : mem_strdup("");
    free(code);
}

static nvrtcResult run(const struct nvrtc *nvrtc, const struct words *options, const char *text,
                       nvrtcProgram *handle)
{
    nvrtcResult code =
        nvrtc->nvrtcCreateProgram(handle, text, nvrtc->platform->source_file, 0, NULL, NULL);

    if (!code)
        code = nvrtc->nvrtcCompileProgram(*handle, (int)options->count,
                                          (const char *const *)options->items);
    return code;
}

static char *take_log(const struct nvrtc *nvrtc, nvrtcProgram handle)
{
    char *log = handle ? take(handle, nvrtc->nvrtcGetProgramLogSize, nvrtc->nvrtcGetProgramLog)
                       : mem_strdup("");
    char *named = nvrtc->platform->name_source ? nvrtc->platform->name_source(log) : NULL;

    if (!named)
        return log;
    free(log);
    return named;
}

nvrtcResult compile_source(const struct compile_target *target, const struct program_source *source,
                           struct binary *binary, struct build_report *report)
{
    const struct nvrtc *nvrtc = target->nvrtc;
    struct words options = list_options(target, source->options);
    int64_t start_us = clock_now_us();
    nvrtcProgram handle = NULL;
    char *text = complete(nvrtc->platform, source);
    nvrtcResult code = run(nvrtc, &options, text, &handle);

    report->ms = (double)(clock_now_us() - start_us) / 1000;
    binary->log = take_log(nvrtc, handle);
    if (!code)
        take_binary(nvrtc, handle, binary);
    if (handle)
        (void)nvrtc->nvrtcDestroyProgram(&handle);
    words_release(&options);
    free(text);
    return code;
}
