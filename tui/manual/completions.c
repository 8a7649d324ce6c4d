#include "tui/manual/completions.h"

#include <string.h>

#include "tui/cli/command.h"

/* A shell command that lists the ids of sessions. */
static const char list_sessions[] =
    "kforge sessions --json 2>/dev/null | sed -n 's/.*\"session\": *\"\\([^\"]*\\)\".*/\\1/p'";

/* The first clause of a summary. */
static int clause_length(const char *summary)
{
    return (int)strcspn(summary, ".;\n");
}

/* The form of the value that has to follow the option; "" for an option without one. */
static const char *value_of(const struct option_row *row)
{
    return row->value && !row->is_value_optional ? row->value : "";
}

/* The words of a value, separated by blanks. */
static void add_words(const char *value, struct strbuf *out)
{
    const char *at = value;
    char word[32];

    while (option_next_word(&at, word))
        strbuf_addf(out, "%s%s", out->len && out->data[out->len - 1] != '\'' ? " " : "", word);
}

static bool has_words(const char *value)
{
    char word[32];

    return option_next_word(&value, word);
}

/* bash: a case for each option that takes a value, then a case for each command. */

static void add_bash_value(const struct command *command, const struct option_row *row,
                           struct strbuf *out)
{
    struct strbuf words = {0};

    if (!*value_of(row))
        return;
    strbuf_addf(out, "    '%s --%s') ", command->name, row->name);
    add_words(value_of(row), &words);
    if (words.len)
        strbuf_addf(out, "words='%s' ;;\n", strbuf_cstr(&words));
    else if (option_value_of(value_of(row)) == OPTION_VALUE_FILE)
        strbuf_adds(out, "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n");
    else
        strbuf_adds(out, "return ;;\n");
    strbuf_release(&words);
}

static void add_bash_options(const struct command *command, struct strbuf *out)
{
    const struct option_row *row;

    strbuf_addf(out, "    %s) words='--help", command->name);
    for (size_t i = 0; (row = option_at(command->options, i)) != NULL; i++)
        strbuf_addf(out, " --%s", row->name);
    strbuf_adds(out, "'");
    if (option_value_of(command->arguments) == OPTION_VALUE_SESSION)
        strbuf_addf(out, "\n        [ \"$COMP_CWORD\" != 2 ] || words=\"$words $(%s)\"",
                    list_sessions);
    strbuf_adds(out, " ;;\n");
}

void completions_add_bash(struct strbuf *out)
{
    strbuf_adds(out, "# bash completion of kforge\n"
                     "_kforge() {\n"
                     "    local cur=$2 prev=$3 command=${COMP_WORDS[1]} words=\n"
                     "    case $command in -* | *.json) command=run ;; esac\n"
                     "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                     "        words='--help --version");
    for (size_t i = 0; command_list[i]; i++)
        strbuf_addf(out, " %s", command_list[i]->name);
    strbuf_adds(out, "'\n    else\n    case \"$command $prev\" in\n");
    for (size_t i = 0; command_list[i]; i++) {
        const struct option_row *row;

        for (size_t j = 0; (row = option_at(command_list[i]->options, j)) != NULL; j++)
            add_bash_value(command_list[i], row, out);
    }
    strbuf_adds(out, "    *) case $command in\n");
    for (size_t i = 0; command_list[i]; i++)
        add_bash_options(command_list[i], out);
    strbuf_adds(out, "    esac ;;\n"
                     "    esac\n"
                     "    fi\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                     "}\n"
                     "complete -o default -F _kforge kforge\n");
}

/* Append a text inside single quotes, with a backslash before each of the `special` characters. */
static void add_quoted(const char *text, int len, const char *special, struct strbuf *out)
{
    for (int i = 0; i < len; i++) {
        if (text[i] == '\'')
            strbuf_adds(out, "'\\''");
        else if (strchr(special, text[i]))
            strbuf_addf(out, "\\%c", text[i]);
        else
            strbuf_add(out, &text[i], 1);
    }
}

/* zsh: a call of _arguments for each command. */

/* Append a text inside single quotes, with the special characters of _arguments escaped. */
static void add_zsh_text(const char *text, int len, struct strbuf *out)
{
    add_quoted(text, len, ":[]", out);
}

static void add_zsh_option(const struct option_row *row, struct strbuf *out)
{
    struct strbuf words = {0};

    strbuf_addf(out, "            '--%s", row->name);
    add_words(value_of(row), &words);
    if (words.len) {
        strbuf_adds(out, "=:value:(");
        add_zsh_text(strbuf_cstr(&words), (int)words.len, out);
        strbuf_adds(out, ")");
    } else if (option_value_of(value_of(row)) == OPTION_VALUE_FILE) {
        strbuf_adds(out, "=:file:_files");
    } else if (*value_of(row)) {
        strbuf_adds(out, "=:value:");
    }
    strbuf_adds(out, "' \\\n");
    strbuf_release(&words);
}

static void add_zsh_command(const struct command *command, struct strbuf *out)
{
    const struct option_row *row;

    strbuf_addf(out, "    %s)\n        _arguments '--help' \\\n", command->name);
    for (size_t i = 0; (row = option_at(command->options, i)) != NULL; i++)
        add_zsh_option(row, out);
    if (option_value_of(command->arguments) == OPTION_VALUE_SESSION)
        strbuf_adds(out, "            '1:session:_kforge_sessions' ");
    strbuf_adds(out, "            '*:file:_files' ;;\n");
}

void completions_add_zsh(struct strbuf *out)
{
    strbuf_addf(out,
                "#compdef kforge\n"
                "_kforge_sessions() {\n"
                "    local -a sessions\n"
                "    sessions=(${(f)\"$(%s)\"})\n"
                "    compadd -a sessions\n"
                "}\n"
                "_kforge() {\n"
                "    local -a commands\n"
                "    commands=(\n",
                list_sessions);
    for (size_t i = 0; command_list[i]; i++) {
        strbuf_addf(out, "        '%s:", command_list[i]->name);
        add_zsh_text(command_list[i]->summary, clause_length(command_list[i]->summary), out);
        strbuf_adds(out, "'\n");
    }
    strbuf_adds(out, "    )\n"
                     "    if (( CURRENT == 2 )); then\n"
                     "        _describe command commands\n"
                     "        _arguments '--help' '--version' '*:file:_files'\n"
                     "        return\n"
                     "    fi\n"
                     "    shift words\n"
                     "    (( CURRENT-- ))\n"
                     "    case $words[1] in\n");
    for (size_t i = 0; command_list[i]; i++)
        add_zsh_command(command_list[i], out);
    strbuf_adds(out, "    esac\n}\n_kforge \"$@\"\n");
}

/* fish: a line for each command and each option. */

static void add_fish_option(const struct command *command, const struct option_row *row,
                            struct strbuf *out)
{
    strbuf_addf(out, "complete -c kforge -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                row->name);
    if (has_words(value_of(row))) {
        strbuf_addf(out, " %s -a '",
                    option_value_of(value_of(row)) == OPTION_VALUE_FILE ? "-r" : "-x");
        add_words(value_of(row), out);
        strbuf_adds(out, "'");
    } else if (option_value_of(value_of(row)) == OPTION_VALUE_FILE) {
        strbuf_adds(out, " -r -F");
    } else if (*value_of(row)) {
        strbuf_adds(out, " -x");
    }
    strbuf_adds(out, "\n");
}

static void add_fish_command(const struct command *command, struct strbuf *out)
{
    const struct option_row *row;

    strbuf_addf(out, "complete -c kforge -n __fish_use_subcommand -a %s -d '", command->name);
    add_quoted(command->summary, clause_length(command->summary), "", out);
    strbuf_adds(out, "'\n");
    for (size_t i = 0; (row = option_at(command->options, i)) != NULL; i++)
        add_fish_option(command, row, out);
    if (option_value_of(command->arguments) == OPTION_VALUE_SESSION)
        strbuf_addf(out,
                    "complete -c kforge -n '__fish_seen_subcommand_from %s' -a "
                    "'(__kforge_sessions)'\n",
                    command->name);
}

void completions_add_fish(struct strbuf *out)
{
    strbuf_addf(out,
                "# fish completion of kforge\n"
                "function __kforge_sessions\n"
                "    %s\n"
                "end\n"
                "complete -c kforge -l help\n"
                "complete -c kforge -n __fish_use_subcommand -l version\n",
                list_sessions);
    for (size_t i = 0; command_list[i]; i++)
        add_fish_command(command_list[i], out);
}
