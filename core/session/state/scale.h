#ifndef CORE_SESSION_STATE_SCALE_H
#define CORE_SESSION_STATE_SCALE_H

#include "core/base/format.h"
#include "core/base/strbuf.h"
#include "core/session/state/event_data.h"
#include "core/session/state/session.h"

/*
 * One scale for the times of a session, as a part of the fold.
 *
 * A clock that changes between two evaluations changes their times, but not the ratios of programs
 * that were timed in turn.  So the scale is made of ratios.  The first correct attempt has the
 * speed 1.  Every later one was timed in turn with the best attempt of that time, and where that
 * was cheap with the first one too.  Its gain over the best has two estimates: the ratio itself,
 * and the ratio to the first one divided by the best one's speed.  The gain is their mean, weighted
 * by the inverse of their variances, and the speed is the best one's speed times the gain.  The
 * ratio to the first one keeps the error of a long chain bounded, and the gain is at least as
 * certain as the ratio to the best alone.
 *
 * Without a ratio (the best one no longer ran, or the journal is old), the quotient of the
 * two measured times is taken, with the widest interval that both allow.
 *
 * The place of an attempt does not change when others are judged, so what was shown stays true.
 * After an undo an attempt may be judged again: then it is placed again, but for the first one,
 * whose place all others rest on.  All numbers that a session shows, ranks or decides by are of
 * this scale:
 *
 *   speed     over the first correct attempt
 *   time      measured time of the first correct attempt / speed
 *   gain      speed / speed of the best attempt of that time
 *   speedup   time of the strongest baseline (below) / time
 *
 * Ratios are taken as log-normal: an interval of 95 % is 2 x 1.96 standard deviations of the
 * logarithm wide.  Estimates are combined by the inverse of their variances (Cochran, J. R. Stat.
 * Soc. Suppl. 4, 1937).
 */

/* Place the attempt by its evaluation: time, speed and gain.  All zeros if it was not timed. */
void scale_place(struct session *session, struct attempt *attempt,
                 const struct evaluation_finished *finished);

/* Count the comparison of a baseline with a correct attempt that has a place on the scale. */
void scale_count_baseline(struct session *session, struct attempt *attempt,
                          const struct baselines_timed *timed);

/* The first correct attempt that was timed, undone or not, which has the speed 1; NULL for none. */
const struct attempt *scale_first(const struct session *session);

/* True if `a` has a place on the scale and is faster than `b`. */
bool scale_is_faster(const struct attempt *a, const struct attempt *b);

/*
 * The time of a baseline on the scale, in microseconds: the mean over the correct attempts that it
 * was the strongest for.  0: there is none.
 */
double scale_baseline_us(const struct session *session, const char *name);

/* The name of the strongest baseline of the session (baseline_label.h); NULL for none. */
const char *scale_strongest(const struct session *session);

/* The attempt's speedup over that baseline; 0 if unknown. */
double scale_speedup(const struct session *session, const struct attempt *attempt);

/*
 * The speedup with its interval; all zeros if unknown.  The attempt's own comparison with the
 * baseline is part of the baseline's mean time, and its error counts twice: the interval is rather
 * too wide.
 */
struct ratio scale_speedup_ratio(const struct session *session, const struct attempt *attempt);

/*
 * The speedup on a screen, "0.553x?", with the mark of a ratio that is not to be believed
 * (steadiness.h), as the attempt's own verdict has it.
 */
const char *scale_format_speedup(char text[FORMAT_SIZE], const struct session *session,
                                 const struct attempt *attempt);

/* Append "71.8 us, 1.25x over the plain kernel", the attempt's time and speedup as far as known. */
void scale_describe(const struct session *session, const struct attempt *attempt,
                    struct strbuf *out);

/*
 * Append the result of an attempt in one line: as scale_describe() where it is correct and has a
 * place on the scale, else the judge's words.  The judge's words for a correct attempt hold times
 * and speedups of one moment, so they are not shown.
 */
void scale_describe_result(const struct session *session, const struct attempt *attempt,
                           struct strbuf *out);

#endif
