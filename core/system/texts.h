#ifndef CORE_SYSTEM_TEXTS_H
#define CORE_SYSTEM_TEXTS_H

/*
 * A set of texts, each stored once: equal texts have the same address, which stays valid as long as
 * the set. Several owners can share a set, and all see the texts that any of them adds.
 *
 * NULL is a set without texts and owners.
 */
struct texts;

/* The stored copy of the text. Creates the set when `*texts` is NULL. NULL for NULL. */
const char *texts_keep(struct texts **texts, const char *text);

/* Add an owner. Each owner calls texts_release() once. */
struct texts *texts_share(struct texts *texts);
void texts_release(struct texts *texts);

#endif
