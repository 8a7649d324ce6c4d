#ifndef CORE_SYSTEM_TEXTS_H
#define CORE_SYSTEM_TEXTS_H

/*
 * Texts that stay where they are until nobody wants any of them: each is kept
 * once, however often it comes.  Several can own the same texts, and all see
 * what one of them adds.
 *
 * NULL has no texts and no owner.
 */
struct texts;

/* The text as it is kept, made where `*texts` is NULL; NULL for NULL. */
const char *texts_keep(struct texts **texts, const char *text);

/* One owner more; each lets go by texts_release(). */
struct texts *texts_share(struct texts *texts);
void texts_release(struct texts *texts);

#endif
