#ifndef TESTS_UNIT_TALK_H
#define TESTS_UNIT_TALK_H

#include "tests/unit/unit.h"

#include <stdbool.h>

#include "core/base/strbuf.h"
#include "core/llm/provider.h"
#include "core/system/process.h"

/*
 * A provider that talks with tests/e2e/chat_server.py over a real socket, and a listener that
 * records what it receives. talk_set_up() and talk_tear_down() are a cmocka fixture whose state is
 * a `struct talk`. talk_tear_down() also asserts that no message and no line of the log holds the
 * API key.
 */
struct talk {
    char folder[64];
    struct loop *loop;
    struct process server;
    int port;
    struct provider *provider;
    size_t exchanges; /* prompts sent so far */

    struct image image; /* sent with the prompt, if set */

    struct strbuf text;
    struct strbuf notices; /* one on each line */
    int notice_count;
    int end_count; /* calls of done() and failed() */
    bool is_done;
    struct usage usage;
    struct error failure;
    void (*on_text)(struct talk *talk); /* called once, at the next text */
    void (*on_end)(struct talk *talk);
};

#define TALK_KEY "sk-never-to-be-seen"

int talk_set_up(void **state);
int talk_tear_down(void **state);
void talk_restart(void **state); /* tear down and set up, for the next case of a table */

/* Set the environment of a test's beginning. */
void talk_set_environment(void);

/* Point the base URLs of all protocols at this local port. */
void talk_set_port(struct talk *talk, int port);

/* Start the server with the script `entries`; single quotes stand for double ones. */
void talk_serve(struct talk *talk, const char *entries);

void talk_write_file(const struct talk *talk, const char *name, const char *text);

/* Send a prompt through the open provider. */
void talk_send(struct talk *talk);

/* Open `agent`, send a prompt and wait for the end of the reply. */
void talk_ask(struct talk *talk, const char *agent);

/* For each protocol: start the server, ask, and call `check`. */
void talk_for_each_protocol(void **state, const char *entries, void (*check)(struct talk *talk));

void assert_replied(const struct talk *talk, const char *text);

/* Assert a failure whose message names the server and contains `why`. */
void assert_failed(const struct talk *talk, enum status status, const char *why);

/* The number of requests to the server that contain `text`. */
int talk_count_requests(const struct talk *talk, const char *text);

/* Assert that the first request to the server has this body, or this header. */
void assert_requested(const struct talk *talk, const char *body);
void assert_header(const struct talk *talk, const char *name, const char *value);

#endif
