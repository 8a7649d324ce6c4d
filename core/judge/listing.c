#include "core/judge/listing.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/formats/base64.h"
#include "core/base/mem.h"
#include "core/judge/tools/tool.h"
#include "core/system/file.h"

void listing_drop_folders(const char *listing, struct strbuf *text)
{
    static const char mark[] = "File \"";
    const char *found;

    while ((found = strstr(listing, mark))) {
        const char *path = found + strlen(mark), *name = path + strcspn(path, "\"\n");

        while (name > path && name[-1] != '/')
            name--;
        strbuf_add(text, listing, (size_t)(path - listing));
        listing = name;
    }
    strbuf_adds(text, listing);
}

static enum status write_out(const struct strbuf *machine, const char *nvdisasm, const char *folder,
                             struct strbuf *text, struct error *err)
{
    char *path = file_join(folder, "kernel.cubin");
    const char *const argv[] = {nvdisasm, "--print-code", "--print-line-info", path, NULL};
    struct strbuf listing = {0};
    enum status st = file_write(path, machine->data, machine->len, err);

    if (!st)
        st = tool_run(argv, &listing, err);
    if (!st)
        listing_drop_folders(strbuf_cstr(&listing), text);
    strbuf_release(&listing);
    free(path);
    return st;
}

static enum status disassemble(const struct strbuf *machine, struct strbuf *text, struct error *err)
{
    char *nvdisasm = NULL, *folder = NULL;
    enum status st = tool_find("nvdisasm", &nvdisasm, err);

    if (!st)
        folder = file_make_temporary_folder("kforge-tool-", err);
    if (folder)
        st = write_out(machine, nvdisasm, folder, text, err);
    else if (!st)
        st = STATUS_IO;
    tool_folder_free(folder);
    free(nvdisasm);
    return st;
}

static enum status add_sass(const char *encoded, struct strbuf *text, struct error *err)
{
    struct strbuf machine = {0};
    enum status st = STATUS_OK;

    if (!base64_decode(&machine, encoded))
        st = error_set(err, STATUS_IO, "the machine code of the executor is not base64");
    if (!st)
        st = disassemble(&machine, text, err);
    strbuf_release(&machine);
    return st;
}

static enum status make_sass(struct evaluation *e, struct strbuf *text, struct error *err)
{
    struct strbuf encoded = {0};
    enum status st = executor_code(e->executor, e->slot, CODE_MACHINE, &encoded, err);
    char *files = mem_strdup(strbuf_cstr(&encoded)), *rest = files, *file;

    while (!st && (file = strsep(&rest, "\n")))
        if (*file)
            st = add_sass(file, text, err);
    free(files);
    strbuf_release(&encoded);
    return st;
}

/* Name the plan's choice in a comment. */
static void add_choice(const struct evaluation *e, struct strbuf *text)
{
    char *values;

    if (plan_choices(&e->plan) < 2)
        return;
    values = plan_describe_choice(&e->plan, e->choice);
    strbuf_addf(text, "// %s\n", values);
    free(values);
}

enum status listing_make(struct evaluation *e, enum listing_form form, struct strbuf *text,
                         struct error *err)
{
    enum status st = evaluation_load(e, EXPECTATIONS_MAIN, err);

    if (!st && e->verdict->outcome != OUTCOME_NONE)
        st = error_set(err, STATUS_INVALID, "%s: %s", outcome_name(e->verdict->outcome),
                       e->verdict->detail);
    if (st)
        return st;
    add_choice(e, text);
    return form == LISTING_PTX ? executor_code(e->executor, e->slot, CODE_PTX, text, err)
                               : make_sass(e, text, err);
}
