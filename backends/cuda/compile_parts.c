#include "backends/cuda/compile_parts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/platform.h"
#include "backends/cuda/source_parts.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/system/clock.h"
#include "core/system/parallel.h"

/* A kernel while it is compiled, or several that follow each other. */
struct part {
    size_t first, last; /* in the source */
    char *text;
    char key[DIGEST_HEX_SIZE];
    struct binary binary;
    size_t bytes; /* of the kernels alone */
    bool is_kept, is_made;
    unsigned first_line, last_line;
};

/*
 * Each thread's compiler takes memory, and reads all of the source once for each kernel, so threads
 * are few. The device oracle of a deep model has some hundred kernels.
 */
enum { THREADS = 16, MOST_KERNELS = 1000 };

/*
 * NVRTC 13.0 reads one program at a time, whatever the number of threads, which takes 20 ms and
 * more. So kernels of a source with more than MOST_PARTS share parts, small ones above all.
 */
enum { MOST_PARTS = 32 };

/* All kernels of a source. */
struct job {
    const struct compile_target *target;
    const char *options;
    struct part *parts;
    struct part **order; /* the longest first, so that no thread ends long after the others */
    size_t count;
    atomic_size_t next; /* in `order`, that no thread has taken */
};

void kept_kernels_release(struct kept_kernels *kept)
{
    for (size_t i = 0; i < KEPT_KERNELS; i++)
        binary_release(&kept->items[i].binary);
}

static void make_key(const struct job *job, const char *text, char key[DIGEST_HEX_SIZE])
{
    struct strbuf all = {0};

    strbuf_addf(&all, "%s\n%s\n%s", job->target->arch, job->options, text);
    digest_sha256(strbuf_cstr(&all), all.len, key);
    strbuf_release(&all);
}

static bool recall(const struct kept_kernels *kept, struct part *part)
{
    for (size_t i = 0; kept && i < KEPT_KERNELS; i++)
        if (strcmp(kept->items[i].key, part->key) == 0) {
            part->binary = binary_copy(&kept->items[i].binary);
            return true;
        }
    return false;
}

static void keep(struct kept_kernels *kept, const struct part *part)
{
    struct kept_kernel *place = &kept->items[kept->next++ % KEPT_KERNELS];

    binary_release(&place->binary);
    place->binary = binary_copy(&part->binary);
    memcpy(place->key, part->key, sizeof(place->key));
}

static unsigned line_of(const char *text, size_t at)
{
    unsigned line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = *(const struct part *const *)a, *y = *(const struct part *const *)b;

    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : (x > y) - (x < y);
}

/* The kernels of the part that begins with kernel `first`: small ones up to `most` bytes. */
static struct part part_from(const struct source_parts *found, size_t first, size_t most)
{
    struct part part = {.first = first, .last = first};

    while (part.last < found->count) {
        size_t bytes = found->items[part.last].end - found->items[part.last].begin;

        if (part.last > first && part.bytes + bytes > most)
            break;
        part.bytes += bytes;
        part.last++;
    }
    return part;
}

static void divide(struct job *job, const struct source_parts *found)
{
    size_t bytes = 0, most;

    for (size_t i = 0; i < found->count; i++)
        bytes += found->items[i].end - found->items[i].begin;
    most = found->count > MOST_PARTS ? bytes / MOST_PARTS : 0;
    for (size_t i = 0; i < found->count; i = job->parts[job->count++].last)
        job->parts[job->count] = part_from(found, i, most);
}

static struct job job_make(const struct compile_target *target, const struct program_source *source,
                           const struct source_parts *found, const struct kept_kernels *kept)
{
    struct job job = {.target = target,
                      .options = source->options,
                      .parts = mem_alloc_zeroed(found->count, sizeof(struct part)),
                      .order = mem_alloc_zeroed(found->count, sizeof(struct part *))};

    divide(&job, found);
    for (size_t i = 0; i < job.count; i++) {
        struct part *part = &job.parts[i];

        job.order[i] = part;
        part->text = source_parts_only(source->text, found, part->first, part->last);
        part->first_line = line_of(source->text, found->items[part->first].begin);
        part->last_line = line_of(source->text, found->items[part->last - 1].end);
        make_key(&job, part->text, part->key);
        part->is_kept = part->is_made = recall(kept, part);
    }
    qsort(job.order, job.count, sizeof(*job.order), compare_parts);
    return job;
}

static void job_release(struct job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        free(job->parts[i].text);
        binary_release(&job->parts[i].binary);
    }
    free(job->parts);
    free(job->order);
}

/* True if the code declares variables that another part would not share. Texts are constants. */
static bool has_variables(const char *ptx)
{
    static const char *const private[] = {" $str", " __cudart_"};
    char *copy = mem_strdup(ptx), *rest = copy, *line;
    bool has = false;

    while (!has && (line = strsep(&rest, "\n")))
        has = *line == '.' && (strstr(line, ".global .") || strstr(line, ".const .")) &&
              !strstr(line, private[0]) && !strstr(line, private[1]);
    free(copy);
    return has;
}

/* True if the part has its own kernels only. */
static bool is_separate(const struct part *part)
{
    struct ptx_entries entries = {0};
    bool is_own;

    ptx_read(part->binary.ptx, &entries);
    is_own = entries.count == part->last - part->first;
    ptx_entries_release(&entries);
    return is_own && !has_variables(part->binary.ptx);
}

static void compile(const struct job *job, struct part *part)
{
    const struct program_source source = {.text = part->text, .options = job->options};
    struct compile_target target = *job->target;
    struct build_report unread = {0};

    target.is_alone = true;
    part->is_made = !compile_source(&target, &source, &part->binary, &unread) && is_separate(part);
}

/* Compile kernels until none is left, whatever share of them was asked for. */
static void compile_next(void *data, size_t first, size_t last)
{
    struct job *job = data;
    size_t i;

    (void)first;
    (void)last;
    while ((i = job->next++) < job->count)
        if (!job->order[i]->is_kept)
            compile(job, job->order[i]);
}

/* The end of a message in a log: messages begin with the file's name. */
static const char *end_of_message(const char *message, const char *file)
{
    const char *at = message;

    while (*at) {
        at += strcspn(at, "\n");
        at += *at == '\n';
        if (text_begins(at, file) || strncmp(at, "ptxas", 5) == 0)
            break;
    }
    return at;
}

static bool is_in_all(const struct job *job, const char *message, size_t len)
{
    for (size_t i = 0; i < job->count; i++)
        if (!memmem(job->parts[i].binary.log, strlen(job->parts[i].binary.log), message, len))
            return false;
    return true;
}

/*
 * True for what the whole source would not have: a function without calls, because its callers are
 * in other parts.
 */
static bool is_of_parts(const struct job *job, const struct part *part, const char *message,
                        size_t len)
{
    const char *line = memchr(message, '(', len);
    unsigned long number = line ? strtoul(line + 1, NULL, 10) : 0;

    return memmem(message, len, "never referenced", 16) &&
           (number < part->first_line || number > part->last_line) && !is_in_all(job, message, len);
}

/* Add what the compiler says about a part, but each message about the source once. */
static void add_log(const struct job *job, const struct part *part, struct strbuf *log)
{
    const char *file = job->target->nvrtc->platform->source_file, *at = part->binary.log;

    while (*at) {
        const char *end = end_of_message(at, file);
        size_t len = (size_t)(end - at);
        bool is_about_source = text_begins(at, file);
        bool is_known = is_about_source && log->len && memmem(log->data, log->len, at, len);

        if (!is_known && !(is_about_source && is_of_parts(job, part, at, len)))
            strbuf_add(log, at, len);
        at = end;
    }
}

/* Give the code of a part, under the name of its first kernel, to the program. */
static void take(struct part *part, struct binary *binary)
{
    struct ptx_entries entries = {0};
    struct binary_part made = {.ptx = part->binary.ptx, .machine = part->binary.machine};

    ptx_read(made.ptx, &entries);
    made.kernel = mem_strdup(entries.items[0].name);
    ptx_entries_release(&entries);
    part->binary.ptx = NULL;
    part->binary.machine = (struct strbuf){0};
    vec_push(&binary->parts, made);
}

static void finish(struct job *job, struct kept_kernels *kept, struct binary *binary)
{
    struct strbuf log = {0};

    for (size_t i = 0; i < job->count; i++) {
        if (kept && !job->parts[i].is_kept)
            keep(kept, &job->parts[i]);
        add_log(job, &job->parts[i], &log);
    }
    for (size_t i = 0; i < job->count; i++)
        take(&job->parts[i], binary);
    binary->ptx = mem_strdup("");
    binary->log = strbuf_take(&log);
}

/* Compile all kernels; true if each is by itself. */
static bool run(struct job *job)
{
    bool is_made = true;

    parallel_for(THREADS, 1, compile_next, job);
    for (size_t i = 0; i < job->count; i++)
        is_made &= job->parts[i].is_made;
    return is_made;
}

bool compile_parts(const struct compile_target *target, const struct program_source *source,
                   struct kept_kernels *kept, struct binary *binary, struct build_report *report)
{
    int64_t began_us = clock_now_us();
    struct source_parts found = {0};
    bool is_made = false;

    source_parts_find(source->text, &found);
    if (found.count > 1 && found.count <= MOST_KERNELS) {
        struct job job = job_make(target, source, &found, kept);

        is_made = run(&job);
        if (is_made)
            finish(&job, kept, binary);
        job_release(&job);
    }
    source_parts_release(&found);
    report->ms = (double)(clock_now_us() - began_us) / 1000;
    return is_made;
}
