#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/llm/ledger.h"
#include "core/system/file.h"

static const struct usage million = {
    .has_tokens = true, .prompt_tokens = 1000000, .reply_tokens = 1000000};

/* A temporary config folder with the engineer's price table `text` (NULL: no table). */
struct table {
    char folder[64], kforge[80], path[96];
};

static void make_table(struct table *table, const char *text)
{
    snprintf(table->folder, sizeof(table->folder), "/tmp/kforge-ledger-XXXXXX");
    assert_non_null(mkdtemp(table->folder));
    snprintf(table->kforge, sizeof(table->kforge), "%s/kforge", table->folder);
    snprintf(table->path, sizeof(table->path), "%s/prices.json", table->kforge);
    setenv("XDG_CONFIG_HOME", table->folder, 1);
    assert_int_equal(mkdir(table->kforge, 0700), 0);
    if (text)
        assert_int_equal(file_write(table->path, text, strlen(text), NULL), STATUS_OK);
}

static void remove_table(struct table *table)
{
    unlink(table->path);
    rmdir(table->kforge);
    rmdir(table->folder);
}

/* The sum of the prices of one million tokens of each kind; -1 when unknown. */
static double cost_of(const char *agent)
{
    struct terms price = {0};
    struct error err = {0};
    double usd = -1;

    if (ledger_find_terms(agent, &price, &err))
        fail_msg("%s", err.text);
    return ledger_cost(&price, &million, &usd) ? usd : -1;
}

static void prices_ship_and_an_unknown_price_is_not_zero(void **state)
{
    struct table table = {0};

    (void)state;
    make_table(&table, NULL);
    assert_true(cost_of("openai:gpt-5") > 0);
    assert_true(cost_of("builtin") == 0);
    assert_true(cost_of("recorded:softmax") == 0);
    assert_true(cost_of("openai:of-next-year") == -1);
    assert_true(cost_of("command:cat") == -1);
    remove_table(&table);
}

static void the_engineers_table_comes_first(void **state)
{
    struct table table = {0};

    (void)state;
    make_table(&table, "{\"kforge\": 1, \"prices\": {\"openai\": {\"prompt\": 1, \"reply\": 2},"
                       " \"openai:gpt-5\": {\"prompt\": 10, \"reply\": 20}}}");
    assert_true(cost_of("openai:gpt-5") == 30);
    assert_true(cost_of("openai:anything") == 3);
    assert_true(cost_of("anthropic:claude-sonnet-4-5") > 0);
    remove_table(&table);
}

static void without_tokens_only_what_is_free_has_a_cost(void **state)
{
    const struct terms paid = {.has_price = true, .reply = 1}, free_of_charge = {.has_price = true};
    const struct usage silent = {0};
    double usd = -1;

    (void)state;
    assert_false(ledger_cost(&paid, &silent, &usd));
    assert_true(usd == -1);
    assert_true(ledger_cost(&free_of_charge, &silent, &usd));
    assert_true(usd == 0);
}

static void what_was_cached_has_a_price_of_its_own(void **state)
{
    static const struct usage usage = {
        .has_tokens = true, .prompt_tokens = 1000000, .cached_tokens = 900000};
    struct table table = {0};
    struct terms terms;
    double usd = 0;

    (void)state;
    make_table(&table, "{\"kforge\": 1, \"prices\": {\"a:b\": {\"prompt\": 10, \"cached\": 1,"
                       " \"reply\": 20}, \"a\": {\"prompt\": 10, \"reply\": 20}}}");
    assert_int_equal(ledger_find_terms("a:b", &terms, NULL), STATUS_OK);
    assert_true(ledger_cost(&terms, &usage, &usd));
    assert_float_equal(usd, 1.9, 1e-9);
    assert_int_equal(ledger_find_terms("a:c", &terms, NULL), STATUS_OK);
    assert_true(ledger_cost(&terms, &usage, &usd));
    assert_float_equal(usd, 10, 1e-9);
    remove_table(&table);
}

static void a_context_may_be_known_without_a_price(void **state)
{
    struct table table = {0};
    struct terms terms;

    (void)state;
    make_table(&table, "{\"kforge\": 1, \"prices\": {\"openai:local\": {\"context\": 32768},"
                       " \"openai:gpt-5\": {\"context\": 1000}}}");
    assert_int_equal(ledger_find_terms("openai:local", &terms, NULL), STATUS_OK);
    assert_int_equal(terms.context, 32768);
    assert_false(terms.has_price);
    assert_int_equal(ledger_find_terms("openai:gpt-5", &terms, NULL), STATUS_OK);
    assert_int_equal(terms.context, 1000);
    assert_true(terms.has_price);
    assert_int_equal(ledger_find_terms("openai:gpt-4o", &terms, NULL), STATUS_OK);
    assert_true(terms.context > 1000);
    remove_table(&table);
}

static void a_broken_table_is_named(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"{", "prices.json: "},
        {"{\"kforge\": 2, \"prices\": {}}", "\"kforge\" is not 1"},
        {"{\"kforge\": 1, \"prices\": {\"a\": {\"prompt\": 1}}}", "prices.a.reply: missing"},
        {"{\"kforge\": 1, \"prices\": {\"a\": {\"prompt\": -1, \"reply\": 0}}}", "below 0"},
        {"{\"kforge\": 1, \"prices\": {\"a\": {\"prompt\": 1, \"replay\": 0}}}", "replay"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct terms price = {0};
        struct error err = {0};
        struct table table = {0};

        make_table(&table, cases[i].text);
        assert_int_equal(ledger_find_terms("openai:gpt-5", &price, &err), STATUS_INVALID);
        if (!strstr(err.text, cases[i].why) || !strstr(err.text, table.path))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].why);
        assert_false(price.has_price);
        remove_table(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_ship_and_an_unknown_price_is_not_zero),
        cmocka_unit_test(the_engineers_table_comes_first),
        cmocka_unit_test(without_tokens_only_what_is_free_has_a_cost),
        cmocka_unit_test(what_was_cached_has_a_price_of_its_own),
        cmocka_unit_test(a_context_may_be_known_without_a_price),
        cmocka_unit_test(a_broken_table_is_named),
    };

    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
