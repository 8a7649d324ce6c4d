#include <stdio.h>
#include <string.h>

#include "core/session/recorded/export.h"
#include "core/system/file.h"
#include "tui/cli/command.h"

struct exporting {
    const char *session, *folder;
    unsigned attempt; /* 0: the best */
    bool as_recording;
    struct standalone_form {
        bool is_set;
        struct export_options options;
    } standalone;
};

static enum status take_form(void *field, const char *name, struct error *err)
{
    struct standalone_form *standalone = field;

    standalone->is_set = true;
    standalone->options.form = strcmp(name, "torch") == 0 ? EXPORT_TORCH : EXPORT_C;
    return standalone->options.form == EXPORT_TORCH || strcmp(name, "c") == 0
               ? STATUS_OK
               : error_set(err, STATUS_INVALID, "--as \"%s\": expected c or torch", name);
}

static const struct option_row own_options[] = {
    {.name = "attempt",
     .value = "N",
     .help = "export attempt N instead of the best candidate",
     .kind = OPTION_COUNT,
     .offset = offsetof(struct exporting, attempt)},
    {.name = "as",
     .value = "c|torch",
     .help = "c: a C program for CMake that checks and times the kernels without kforge;\n"
             "torch: a candidate in CUDA, Triton or CuTe DSL as a Python file with the class "
             "ModelNew, in\n"
             "KernelBench's form, and the original model as FILE_reference.py;\n"
             "DIR is then the name of the file, FILE.py",
     .kind = OPTION_CUSTOM,
     .offset = offsetof(struct exporting, standalone),
     .take = take_form},
    {.name = "tf32-convolutions",
     .help =
         "with --as torch, for candidates in CUDA: round the operands of convolutions to TF32,\n"
         "as PyTorch does by default, so that the values are nearer to its own",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct exporting, standalone.options.tf32_convolutions)},
    {.name = "recording",
     .help = "write the whole session instead of a candidate: for kforge show, kforge replay and\n"
             "--agent recorded:DIR, on any machine and without the session's repository",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct exporting, as_recording)},
    {0},
};

static const struct option_set option_sets[] = {{own_options, 0}, {0}};

static enum status parse(struct exporting *e, int argc, char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st = command_parse(&export_command, e, &arguments, err);

    if (!st && arguments.count != 2)
        st = command_expects(&export_command, err);
    if (!st && e->as_recording && e->standalone.is_set)
        st = error_set(err, STATUS_INVALID, "--recording has its own format: leave out --as");
    if (!st && e->standalone.options.tf32_convolutions &&
        (!e->standalone.is_set || e->standalone.options.form != EXPORT_TORCH))
        st = error_set(err, STATUS_INVALID, "--tf32-convolutions: only with --as torch");
    if (st)
        return st;
    e->session = arguments.items[0];
    e->folder = arguments.items[1];
    return STATUS_OK;
}

static enum status write_candidate(const struct exporting *e, const struct recording *recording,
                                   struct error *err)
{
    const struct session *session = &recording->session;
    const struct attempt *attempt =
        session_attempt(session, e->attempt ? e->attempt : session->now.best);
    enum status st;

    if (!attempt && e->attempt)
        return error_set(err, STATUS_NOT_FOUND, "session %s has no attempt %u: there are %zu",
                         session->id, e->attempt, session->attempts.count);
    if (!attempt)
        return error_set(err, STATUS_NOT_FOUND,
                         "session %s has kept no candidate: name one with --attempt", session->id);
    st = e->standalone.is_set
             ? export_standalone(recording, attempt, &e->standalone.options, e->folder, err)
             : export_candidate(recording, attempt, e->folder, err);
    if (!st)
        command_print("attempt %u, %s, is in %s\n", attempt->number, attempt->title, e->folder);
    return st;
}

static enum status write_recording(struct recording *recording, const char *folder,
                                   struct error *err)
{
    enum status st = recording_write(recording, folder, err);

    if (!st)
        command_print("the recording of %s is in %s\n", recording->session.id, folder);
    return st;
}

static enum status export_into(const struct exporting *e, struct error *err)
{
    struct recording recording = {0};
    enum status st;

    if (file_exists(e->folder))
        return error_set(err, STATUS_INVALID, "%s: already exists: name a new one", e->folder);
    st = recording_open(e->session, &recording, err);
    if (!st && e->as_recording)
        st = write_recording(&recording, e->folder, err);
    else if (!st)
        st = write_candidate(e, &recording, err);
    recording_release(&recording);
    return st;
}

static enum exit_code export_run(int argc, char **argv)
{
    struct exporting e = {0};
    struct error err;

    if (parse(&e, argc, argv, &err) || export_into(&e, &err))
        return command_fail(&err);
    return EXIT_CODE_IMPROVED;
}

const struct command export_command = {
    .name = "export",
    .arguments = "SESSION DIR",
    .options = option_sets,
    .summary = "Write the best candidate of a session as files into a new folder.",
    .details = "The folder gets the kernel's source, plan.json, problem.json, verdict.json, a "
               "README, and\ncandidate.md for kforge eval.",
    .exits = "0 done, 2 usage, no such session or candidate, 5 disk",
    .run = export_run,
};
