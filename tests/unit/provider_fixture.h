#ifndef TESTS_UNIT_PROVIDER_FIXTURE_H
#define TESTS_UNIT_PROVIDER_FIXTURE_H

#include "tests/unit/unit.h"

#include <stdbool.h>

#include "core/base/strbuf.h"
#include "core/llm/provider.h"
#include "core/system/process.h"

/*
 * A provider that talks with tests/e2e/chat_server.py over a real socket, and a listener that
 * records what it receives. provider_fixture_set_up() and provider_fixture_tear_down() are a cmocka
 * fixture whose state is a `struct provider_fixture`. provider_fixture_tear_down() also asserts
 * that no message and no line of the log holds the API key.
 */
struct provider_fixture {
    char folder[64];
    struct loop *loop;
    struct process server;
    int port;
    struct provider *provider;
    size_t exchanges; /* prompts sent so far */

    struct image image; /* sent with the prompt, if set */

    struct strbuf text;
    struct strbuf thoughts;
    struct strbuf notices; /* one on each line */
    int notice_count;
    int end_count; /* calls of done() and failed() */
    bool is_done;
    struct usage usage;
    struct error failure;
    void (*on_text)(struct provider_fixture *fixture); /* called once, at the next text */
    void (*on_end)(struct provider_fixture *fixture);
};

#define FIXTURE_KEY "sk-never-to-be-seen"

int provider_fixture_set_up(void **state);
int provider_fixture_tear_down(void **state);

/* Tear down and set up again, for the next case of a table. */
void provider_fixture_restart(void **state);

/* Set the environment of a test's beginning. */
void provider_fixture_set_environment(void);

/* Point the base URLs of all protocols at this local port. */
void provider_fixture_set_port(struct provider_fixture *fixture, int port);

/* Start the server with the script `entries`; single quotes stand for double ones. */
void provider_fixture_serve(struct provider_fixture *fixture, const char *entries);

/* For on_text and on_end: cancel the exchange and send the prompt again; close the provider. */
void provider_fixture_cancel_and_ask_again(struct provider_fixture *fixture);
void provider_fixture_close(struct provider_fixture *fixture);

/* Write a file in the fixture's folder. */
void provider_fixture_write_file(const struct provider_fixture *fixture, const char *name,
                                 const char *text);

/* Send a prompt through the open provider. */
void provider_fixture_send(struct provider_fixture *fixture);

/* Open `agent`, send a prompt and wait for the end of the reply. */
void provider_fixture_ask(struct provider_fixture *fixture, const char *agent);

/* For each protocol: start the server, ask, and call `check`. */
void provider_fixture_for_each_protocol(void **state, const char *entries,
                                        void (*check)(struct provider_fixture *fixture));

/* Assert that the exchange ended with this reply. */
void assert_replied(const struct provider_fixture *fixture, const char *text);

/* Assert that it ended with the reply "ok". */
void assert_replied_ok(struct provider_fixture *fixture);

/* Assert a failure whose message names the server and contains `why`. */
void assert_failed(const struct provider_fixture *fixture, enum status status, const char *why);

/* The number of requests to the server that contain `text`. */
int provider_fixture_count_requests(const struct provider_fixture *fixture, const char *text);

/* Assert that the first request to the server has this body, or this header. */
void assert_requested(const struct provider_fixture *fixture, const char *body);
void assert_header(const struct provider_fixture *fixture, const char *name, const char *value);

#endif
