#include "tui/manual/pages.h"

#include "core/base/array.h"
#include "tui/cli/command.h"
#include "tui/keys/keymap.h"
#include "tui/manual/roff.h"
#include "tui/term/theme.h"

/* A term and its explanation. */
struct entry {
    const char *term, *text;
};

static void add_entries(struct strbuf *page, const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        roff_item(page, entries[i].term, entries[i].text);
}

/* kforge(1). */

static void add_options(struct strbuf *page, const struct command *command)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_at(command->options, i)) != NULL; i++) {
        struct strbuf term = {0};

        option_add_term(row, &term);
        roff_item(page, strbuf_cstr(&term), row->help);
        strbuf_release(&term);
    }
}

static void add_command(struct strbuf *page, const struct command *command)
{
    struct strbuf usage = {0};

    roff_subsection(page, command->name);
    command_add_synopsis(command, &usage);
    roff_code(page, strbuf_cstr(&usage));
    roff_paragraph(page, command->summary);
    if (command->details)
        roff_code(page, command->details);
    add_options(page, command);
    strbuf_release(&usage);
    strbuf_addf(&usage, "Exit status: %s.", command->exits);
    roff_paragraph(page, strbuf_cstr(&usage));
    strbuf_release(&usage);
}

static const char *argument_of(const struct keymap_row *row)
{
    static const char *const names[] = {[ARGUMENT_NONE] = "",
                                        [ARGUMENT_TEXT] = " TEXT",
                                        [ARGUMENT_FILE] = " FILE",
                                        [ARGUMENT_THEME] = " THEME",
                                        [ARGUMENT_POLICY] = " KIND WHO",
                                        [ARGUMENT_RUN] = " LIMITS",
                                        [ARGUMENT_TOOL] = " [TOOL]",
                                        [ARGUMENT_LAYOUT] = " [NAME]",
                                        [ARGUMENT_LANGUAGE] = " NAME"};

    return names[row->argument];
}

static void add_context(struct strbuf *page, const struct keymap *keymap,
                        const struct keymap_context *context)
{
    roff_subsection(page, context->title);
    for (const struct keymap_row *row = keymap_table; row->name; row++) {
        struct strbuf term = {0};

        if (!(row->context & context->context))
            continue;
        keymap_add_keys(keymap, row, &term);
        strbuf_addf(&term, "%s:%s%s", term.len ? "  " : "", row->name, argument_of(row));
        roff_item(page, strbuf_cstr(&term), row->help);
        strbuf_release(&term);
    }
}

static void add_screen(struct strbuf *page)
{
    struct keymap keymap = {0};

    keymap_fill(&keymap);
    roff_section(page, "THE SCREEN");
    roff_paragraph(page,
                   "On a terminal kforge opens its screen.  Below, each command follows the keys "
                   "that call it.\nA command can also be typed after a colon, or chosen from the "
                   "list that Ctrl-P opens.");
    for (const struct keymap_context *context = keymap_contexts; context->name; context++)
        add_context(page, &keymap, context);
    keymap_release(&keymap);
}

static const struct entry environment[] = {
    {"EDITOR, VISUAL", "The editor for prompts, kernels and recommendations."},
    {"OPENAI_API_KEY, ANTHROPIC_API_KEY",
     "Keys for model servers.  kforge never writes them to a file."},
    {"OPENAI_BASE_URL, ANTHROPIC_BASE_URL", "Other servers with the same protocols."},
    {"KFORGE_THINKING", "`off`: ask no model to think before it answers, which costs tokens.  The "
                        "default is `on`, for "
                        "services whose protocol has such a request."},
    {"KFORGE_API_KEY_ENV", "The variable that holds the key, instead of the protocol's own."},
    {"KFORGE_HTTP_FIRST_BYTE_MS, KFORGE_HTTP_SILENCE_MS, KFORGE_HTTP_RETRY_MS",
     "The longest time until a model's answer begins, and the longest pause in it (300000 ms); the "
     "wait before the second try (1000 ms)."},
    {"CURL_CA_BUNDLE, SSL_CERT_FILE", "A file with the certificates that model servers may have."},
    {"KFORGE_PYTHON", "The Python with PyTorch, Triton or CuTe DSL; otherwise `python3`."},
    {"KFORGE_CC, KFORGE_CXX, KFORGE_SYCL",
     "The compilers of C, C++ and SYCL for the device host:0; `none`: no such device."},
    {"KFORGE_READABLE", "Further folders that executors and compilers may read, with colons."},
    {"KFORGE_WORKER_SILENCE",
     "Seconds without a line from the worker after which a notice says that it is silent."},
    {"NO_COLOR", "When set: bold, underlined and reversed text instead of colours."},
    {"COLORTERM", "`truecolor` or `24bit`: use 24-bit colours."},
    {"KFORGE_ROOT", "The folder with prompts and themes, instead of the installed one."},
    {"XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
     "Other places for the folders below, which are otherwise in the home folder."},
};

static const struct entry files[] = {
    {"~/.config/kforge/keys", "Keys of the screen: see kforge(5)."},
    {"~/.config/kforge/themes/NAME.json", "Themes of your own: see kforge(5)."},
    {"~/.config/kforge/platforms/LANGUAGE/",
     "facts.md, rules.md and example.md of your own, which prompts have in place of the shipped "
     "ones."},
    {"~/.local/share/kforge/", "Sessions with their journals, and the history of candidates."},
    {"~/.local/state/kforge/", "The log, the history of the prompts, and the pinned layout."},
    {"~/.cache/kforge/", "Measurements of devices, and compiled kernels."},
    {"~/.editrc", "Keys of the prompt line: see editrc(5)."},
};

static const char numbers_text[] =
    "All times, gains and speedups of a session are on one scale, so that they can be compared "
    "although\nthe clock of the machine changes.  A candidate is timed in turn with the best one "
    "so "
    "far and with\nthe first correct one of the session; the scale is made of these ratios.  A "
    "time "
    "is the time of the\nfirst correct candidate divided by the speed over it.  A gain is over the "
    "best "
    "candidate so\nfar.  A speedup is over the strongest baseline of the session, which is "
    "named next to it.  Only\n`kforge eval` and the file verdict.json show times of one moment.";

void pages_add_program(struct strbuf *page)
{
    roff_begin(page, "KFORGE", 1);
    roff_section(page, "NAME");
    roff_paragraph(page, "kforge - write and speed up compute kernels with agents, step by step");
    roff_section(page, "SYNOPSIS");
    roff_code(page, "kforge [COMMAND] [ARGUMENT...]\nkforge --help | --version");
    roff_section(page, "DESCRIPTION");
    roff_paragraph(page,
                   "One agent writes and repairs a compute kernel.  Another agent reads the "
                   "measurements and\nrecommends the next change.  A judge in a separate process "
                   "builds each candidate, compares\nits outputs with expected values, and times "
                   "it.  The engineer accepts, edits or vetoes each\nstep.  Without a command, "
                   "kforge means `kforge run`.");
    roff_section(page, "COMMANDS");
    for (size_t i = 0; command_list[i]; i++)
        add_command(page, command_list[i]);
    add_screen(page);
    roff_section(page, "NUMBERS");
    roff_paragraph(page, numbers_text);
    roff_section(page, "ENVIRONMENT");
    add_entries(page, environment, COUNT(environment));
    roff_section(page, "FILES");
    add_entries(page, files, COUNT(files));
    roff_section(page, "SEE ALSO");
    roff_paragraph(page, "kforge(5), editrc(5), clinfo(1)");
}

void pages_add_worker(struct strbuf *page)
{
    roff_begin(page, "KFORGE-WORKER", 1);
    roff_section(page, "NAME");
    roff_paragraph(page, "kforge-worker - the judge of kforge");
    roff_section(page, "SYNOPSIS");
    roff_code(page, "kforge-worker");
    roff_section(page, "DESCRIPTION");
    roff_paragraph(page,
                   "Builds, verifies and times candidates on the devices of its machine.  kforge "
                   "starts it,\ndirectly or on another machine through `--worker COMMAND`, and "
                   "exchanges lines of JSON with\nit on its standard input and output.");
    roff_section(page, "SEE ALSO");
    roff_paragraph(page, "kforge(1)");
}

/* kforge(5). */

static const char keys_text[] =
    "`~/.config/kforge/keys` adds keys of the screen to the default keys, or replaces them.  A "
    "line\nbinds a key to a command with its argument, or to `none`.  A name in brackets is a "
    "context: the\nlines below it apply only there.  Several keys may call one command.  After an "
    "error in the file,\nwhich kforge reports with its line at the start, the default keys stay.";

static const char keys_example[] = "    # Keys of my own.\n"
                                   "    C-t = :theme light\n"
                                   "    [kernel]\n"
                                   "    D = :diff\n"
                                   "    s = none";

static const char key_names[] =
    "A key is a character, or `Enter Tab Escape Backspace Delete Up Down Left Right Home End "
    "PageUp\nPageDown Space`, with `C-`, `M-` or `S-` before it for Ctrl, Alt and Shift.  The "
    "contexts are:";

static const char themes_text[] =
    "`~/.config/kforge/themes/NAME.json` is a theme that `:theme NAME` and `--theme NAME` choose.  "
    "It\nreplaces a shipped theme of the same name.  It gives colours and attributes to roles; "
    "other\nroles keep their defaults.  After an error in a theme, which is reported with its "
    "place, the\ncurrent theme stays.";

static const char themes_example[] =
    "    {\n"
    "      \"summary\": \"Amber\",\n"
    "      \"roles\": {\n"
    "        \"text\":    {\"fg\": \"#ffb000\", \"fg16\": \"yellow\"},\n"
    "        \"waiting\": {\"fg\": \"#000000\", \"bg\": \"#ffb000\", \"attributes\": [\"bold\"]}\n"
    "      }\n"
    "    }";

static const char colours_text[] =
    "Colours are `#rrggbb`.  A terminal with fewer colours shows the nearest one that it has; with "
    "16 or 8\nit shows those in `fg16` and `bg16` (`black red green yellow blue magenta cyan "
    "white`, each also as\n`bright-red`).  The role `text` gives the colours that other roles "
    "leave "
    "out.  Text that could not be\nread on its ground (contrast below 4.5, for `dim`, borders and "
    "line numbers below 3) is made\nlighter or darker.  Attributes are `bold dim italic underline "
    "reverse`.  The roles are:";

static void add_contexts(struct strbuf *page)
{
    for (const struct keymap_context *context = keymap_contexts; context->name; context++)
        roff_item(page, context->name, context->title);
}

static void add_roles(struct strbuf *page)
{
    struct strbuf names = {0};

    strbuf_adds(&names, "`");
    for (enum role role = 0; role < ROLE_COUNT; role++)
        strbuf_addf(&names, "%s%s", role ? " " : "", theme_role_name(role));
    strbuf_adds(&names, "`");
    roff_paragraph(page, strbuf_cstr(&names));
    strbuf_release(&names);
}

void pages_add_formats(struct strbuf *page, const char *formats)
{
    roff_begin(page, "KFORGE", 5);
    roff_section(page, "NAME");
    roff_paragraph(page, "kforge - files that kforge reads and writes");
    roff_section(page, "KEYS");
    roff_paragraph(page, keys_text);
    roff_code(page, keys_example);
    roff_paragraph(page, key_names);
    add_contexts(page);
    roff_section(page, "THEMES");
    roff_paragraph(page, themes_text);
    roff_code(page, themes_example);
    roff_paragraph(page, colours_text);
    add_roles(page);
    roff_section(page, "OTHERS");
    roff_markdown(page, formats);
    roff_section(page, "SEE ALSO");
    roff_paragraph(page, "kforge(1)");
}
