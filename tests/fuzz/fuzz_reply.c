#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_derive.h"
#include "core/model/problem_reader.h"
#include "core/model/recommendation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"relu\", \"summary\": \"y = max(x, 0).\","
    " \"dims\": {\"M\": 30, \"N\": 64},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

/* A parsed candidate must survive being printed as Markdown and parsed again. */
static void reparse(const struct candidate *candidate)
{
    struct candidate read = {0};
    struct strbuf text = {0};

    reply_title(candidate, "a kernel", &text);
    strbuf_release(&text);
    reply_format(candidate, &text);
    if (reply_parse(strbuf_cstr(&text), "opencl", &read, NULL))
        abort();
    strbuf_release(&text);
    candidate_release(&read);
}

static void derive(const char *reply)
{
    struct problem problem = {0};
    struct candidate candidate = {0};
    struct strbuf completed = {0};
    struct error err = {0};

    if (problem_parse(&problem, problem_text, strlen(problem_text), "relu.json", &err))
        abort();
    if (!reply_derive_plan(reply, "opencl", &problem, &completed, &err) &&
        reply_parse(strbuf_cstr(&completed), "opencl", &candidate, NULL))
        abort();
    candidate_release(&candidate);
    strbuf_release(&completed);
    problem_release(&problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct candidate candidate = {0};
    struct recommendation recommendation = {0};
    struct error err = {0};
    char *reply = strndup((const char *)data, size);

    if (!reply_parse(reply, "opencl", &candidate, &err))
        reparse(&candidate);
    if (!recommendation_parse(&recommendation, reply, &err))
        recommendation_release(&recommendation);
    derive(reply);
    candidate_release(&candidate);
    free(reply);
    return 0;
}
