#ifndef CORE_LLM_PROVIDERS_H
#define CORE_LLM_PROVIDERS_H

#include "core/llm/provider.h"

/*
 * The providers that kforge knows.  A new provider is two files that define a
 * `struct provider_ops`, and one row in the table of providers.c.
 */

/* Check that `agent` names a provider. STATUS_NOT_FOUND if not; the error lists the known names. */
enum status providers_check(const char *agent, struct error *err) MUST_CHECK;

/*
 * Open the provider that `agent` names as "<provider>:<model>".  An unknown
 * name is STATUS_NOT_FOUND, with an error that lists the known names.  The
 * caller closes it with its close().
 */
enum status providers_open(struct loop *loop, const char *agent, struct provider **provider,
                           struct error *err) MUST_CHECK;

#endif
