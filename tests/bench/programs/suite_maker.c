#include "tests/bench/programs/suite_maker.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/session/store/catalog.h"
#include "core/suite/suite_store.h"
#include "core/system/file.h"

struct suite_maker {
    struct suite_store store;
    char *repository;
    struct maker makers[SUITE_SESSIONS];
    char ids[SUITE_SESSIONS][CATALOG_ID_SIZE];
    size_t next; /* the session that acts next */
};

static void describe(struct suite *suite)
{
    static const char *const problems[] = {"softmax", "gelu", "layernorm", "rmsnorm", "transpose"};
    static const char *const arms[] = {"QWQWQWQW", "b", "c", "d", "e",
                                       "f",        "g", "h", "i", "ZXZXZXZX"};

    *suite = (struct suite){.name = mem_strdup("bench"), .repeats = 1};
    for (size_t i = 0; i < COUNT(problems); i++) {
        struct strbuf path = {0};

        strbuf_addf(&path, "prompts/problems/%s.json", problems[i]);
        vec_push(&suite->problems, file_shipped(strbuf_cstr(&path)));
        strbuf_release(&path);
    }
    for (size_t i = 0; i < COUNT(arms); i++)
        vec_push(&suite->arms, ((struct suite_arm){.name = mem_strdup(arms[i]),
                                                   .agent = mem_strdup("builtin"),
                                                   .policy = mem_strdup("manual"),
                                                   .limits = limits_default}));
}

static enum status record(struct suite_maker *maker, enum event_type type, const void *data,
                          struct error *err)
{
    struct event event = event_make(type, data);
    enum status st = suite_store_record(&maker->store, &event, err);

    event_release(&event);
    return st;
}

static enum status begin_task(struct suite_maker *maker, unsigned index, size_t steps,
                              struct error *err)
{
    struct maker *session = &maker->makers[index];
    const struct task_started started = {.task = index + 1,
                                         .session = maker->ids[index],
                                         .problem = "softmax",
                                         .arm = "a",
                                         .repeat = 1};
    enum status st;

    snprintf(maker->ids[index], CATALOG_ID_SIZE, "0101-0000%02u-bebe", index);
    session->id = maker->ids[index];
    session->agent = "builtin";
    session->repository = maker->repository;
    st = record(maker, EVENT_TASK_STARTED, &started, err);
    if (!st)
        st = maker_open(session, err);
    return st ? st : maker_play(session, steps, err);
}

enum status suite_maker_open(struct suite_maker **opened, size_t steps, struct json *out,
                             struct error *err)
{
    struct suite_maker *maker = mem_alloc_zeroed(1, sizeof(*maker));
    struct suite suite;
    enum status st;

    describe(&suite);
    maker->repository = catalog_repository();
    st = suite_store_make(&maker->store, &suite, err);
    if (!st) {
        const struct suite_opened event = {maker->store.id, "bench", SUITE_SESSIONS};

        st = record(maker, EVENT_SUITE_OPENED, &event, err);
    }
    for (unsigned i = 0; !st && i < SUITE_SESSIONS; i++)
        st = begin_task(maker, i, steps, err);
    json_put_string(out, "suite", maker->store.id);
    *opened = maker;
    return st;
}

enum status suite_maker_act(struct suite_maker *maker, size_t actions, struct error *err)
{
    enum status st = STATUS_OK;

    for (; !st && actions > 0; actions--) {
        st = maker_act(&maker->makers[maker->next], err);
        maker->next = (maker->next + 1) % SUITE_SESSIONS;
    }
    return st;
}

enum status suite_maker_ask(struct suite_maker *maker, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < SUITE_SESSIONS; i++)
        st = maker_play(&maker->makers[i], 0, err);
    return st;
}

void suite_maker_close(struct suite_maker *maker)
{
    if (!maker)
        return;
    for (size_t i = 0; i < SUITE_SESSIONS; i++)
        maker_release(&maker->makers[i]);
    suite_store_close(&maker->store);
    free(maker->repository);
    free(maker);
}
