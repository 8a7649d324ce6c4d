#include "core/agent/builtin/builtin.h"

#include "core/agent/builtin/analyst.h"
#include "core/agent/builtin/generator.h"
#include "core/base/mem.h"
#include "core/codegen/dialect.h"
#include "core/llm/delivery.h"
#include "core/model/language.h"

struct builtin_agent {
    struct agent agent;
    struct loop *loop;
    struct delivery delivery;
};

static enum status (*const tasks[])(const struct brief *brief, struct strbuf *reply,
                                    struct error *err) = {
    [TASK_GENERATE] = generator_reply,
    [TASK_ANALYSE] = analyst_reply,
};

/* Refuse a problem without nodes. A PyTorch problem names the operation that its graph lacks. */
static enum status builtin_accept(const struct problem *problem, struct error *err)
{
    const char *lack = json_string(json_at(problem->torch.unknown, 0), problem->name);

    return problem->nodes.count ? STATUS_OK
                                : error_set(err, STATUS_INVALID,
                                            "%s: the built-in agents need the whole graph; choose "
                                            "a language model with --agent",
                                            lack);
}

enum status builtin_check_language(const char *language, struct error *err)
{
    struct strbuf known = {0};
    enum status st;

    if (dialect_of(language))
        return STATUS_OK;
    language_list_dialects(&known);
    st =
        error_set(err, STATUS_INVALID,
                  "%s: the built-in agents write %s; choose one of these, or a language model with "
                  "--agent",
                  language_title(language), strbuf_cstr(&known));
    strbuf_release(&known);
    return st;
}

static enum status builtin_start(struct agent *agent, const struct agent_request *request,
                                 const struct provider_listener *listener, struct error *err)
{
    struct builtin_agent *builtin = (struct builtin_agent *)agent;
    enum status st = builtin_check_language(brief_language(request->brief), err);

    if (st)
        return st;
    delivery_begin(&builtin->delivery, builtin->loop, listener);
    st = tasks[request->task](request->brief, &builtin->delivery.text, err);
    if (st)
        delivery_cancel(&builtin->delivery);
    else
        delivery_end(&builtin->delivery, NULL);
    return st;
}

static void builtin_cancel(struct agent *agent)
{
    delivery_cancel(&((struct builtin_agent *)agent)->delivery);
}

static void builtin_close(struct agent *agent)
{
    builtin_cancel(agent);
    free(agent);
}

static const struct agent_ops builtin_ops = {
    .name = "builtin",
    .accept = builtin_accept,
    .start = builtin_start,
    .cancel = builtin_cancel,
    .close = builtin_close,
};

enum status builtin_agent_open(struct loop *loop, struct agent **agent, struct error *err)
{
    struct builtin_agent *builtin = mem_alloc_zeroed(1, sizeof(*builtin));

    (void)err;
    builtin->agent.ops = &builtin_ops;
    builtin->loop = loop;
    *agent = &builtin->agent;
    return STATUS_OK;
}
