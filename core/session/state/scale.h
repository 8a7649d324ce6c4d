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
 * that were timed in turn. So the scale is made of ratios. The first correct attempt has the speed
 * 1. Every later one was timed in turn with the best attempt so far and, if that was cheap, also
 * with the first one. So its gain over the best has two estimates: the ratio to the best, and the
 * ratio to the first one divided by the speed of the best. The gain is their mean, weighted by the
 * inverse of their variances, and the speed is the speed of the best times the gain. The ratio to
 * the first one keeps the error of a long chain bounded, and the gain is at least as certain as the
 * ratio to the best alone.
 *
 * If there is no ratio (the best one no longer ran, or the journal is old), the quotient of the two
 * measured times is used, with the widest interval that both allow.
 *
 * The place of an attempt does not change when other attempts are judged, so numbers on the screen
 * stay true. After an undo an attempt may be judged again. It then gets a new place, unless it is
 * the first one, because all other places depend on that. A session shows, ranks and decides by
 * numbers on this scale only:
 *
 *   speed     over the first correct attempt
 *   time      measured time of the first correct attempt / speed
 *   gain      speed / speed of the best attempt when the attempt was judged
 *   speedup   time of the strongest baseline (below) / time
 *
 * Ratios are taken as log-normal, with a deviation of their own below and above the value, because
 * intervals that were measured on a busy machine are not symmetric: each part of an interval of 95
 * % is 1.96 standard deviations of the logarithm wide. Parts are combined with the parts of the
 * other ratios that move the result in the same direction (Barlow, "Asymmetric errors", 2003).
 * Estimates are combined by the inverse of their variances (Cochran, J. R. Stat. Soc. Suppl. 4,
 * 1937).
 */

/* Place the attempt by its evaluation: time, speed and gain.  All zeros if it was not timed. */
void scale_place(struct session *session, struct attempt *attempt,
                 const struct evaluation_finished *finished);

/* Count the comparison of a baseline with a correct attempt that has a place on the scale. */
void scale_count_baseline(struct session *session, const struct attempt *attempt,
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
 * The speedup with its interval; all zeros if unknown, an interval from 0 to infinity if only that
 * is unknown. The attempt's own comparison with the baseline is also part of the baseline's mean
 * time. Its error is therefore counted twice, and the interval is wider than necessary.
 */
struct ratio scale_speedup_ratio(const struct session *session, const struct attempt *attempt);

/*
 * Format the speedup for a screen: "0.553x?". The question mark is for an unsteady ratio
 * (steadiness.h), by the interval of scale_speedup_ratio(). Returns `text`.
 */
const char *scale_format_speedup(char text[FORMAT_SIZE], const struct session *session,
                                 const struct attempt *attempt);

/*
 * Append "71.8 us, 1.25x over the plain kernel", the attempt's time and speedup; an unknown one is
 * left out.
 */
void scale_describe(const struct session *session, const struct attempt *attempt,
                    struct strbuf *out);

/*
 * Append the result of an attempt in one line: like scale_describe() if it is correct and has a
 * place on the scale, else the judge's words. The judge's words for a correct attempt contain times
 * and speedups of one moment, which are not on the scale, so they are not shown.
 */
void scale_describe_result(const struct session *session, const struct attempt *attempt,
                           struct strbuf *out);

#endif
