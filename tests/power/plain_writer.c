/*
 * Writes the plain kernels of a problem. Reads problems in JSON from standard input, one a line,
 * and prints for each a line of JSON: a candidate's source and plan, or an error. Usage:
 * plain_writer LANGUAGE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/codegen/plain.h"
#include "core/model/problem_reader.h"

static enum status write_candidate(const char *text, size_t length, const char *language,
                                   struct json *answer, struct error *err)
{
    struct problem problem = {0};
    struct candidate candidate = {0};
    enum status st = problem_parse(&problem, text, length, "mutant", err);

    if (!st)
        st = plain_candidate(&problem, &(struct plain_target){language, false}, &candidate, err);
    if (!st) {
        json_put_string(answer, "source", candidate.source);
        json_put_string(answer, "plan", candidate.plan);
    }
    candidate_release(&candidate);
    problem_release(&problem);
    return st;
}

static void answer_line(const char *line, size_t length, const char *language)
{
    struct json *answer = json_object_new();
    struct strbuf text = {0};
    struct error err = {0};

    if (write_candidate(line, length, language, answer, &err))
        json_put_string(answer, "error", err.text);
    json_print(answer, &text);
    puts(strbuf_cstr(&text));
    fflush(stdout);
    strbuf_release(&text);
    json_free(answer);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    if (argc != 2) {
        fputs("usage: plain_writer LANGUAGE < PROBLEMS\n", stderr);
        return 2;
    }
    while ((length = getline(&line, &size, stdin)) > 0)
        answer_line(line, (size_t)length, argv[1]);
    free(line);
    return 0;
}
