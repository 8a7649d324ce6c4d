#include "tui/cli/text/verdict_report.h"

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/base/utf8.h"
#include "core/judge/oracle/variation/variation_kind.h"
#include "core/model/baseline_label.h"
#include "core/model/roofline/bound.h"
#include "core/model/roofline/floor.h"

#include <string.h>

/* The most lines for tried choices of a plan's tunables, and for errors in a short report. */
enum { MOST_CHOICES = 12, MOST_ERRORS = 5 };

static void add_time(double us, struct strbuf *out)
{
    char text[FORMAT_SIZE];

    strbuf_adds(out, format_time(text, us));
}

static void add_visible(const char *text, struct strbuf *out)
{
    utf8_add_visible(out, text, strlen(text));
}

static void report_build(const struct build_report *build, struct strbuf *out)
{
    if (!build->is_present)
        return;
    strbuf_adds(out, "build     ");
    add_time(1e3 * build->ms, out);
    strbuf_addf(out, "%s, %zu diagnostics\n", build->is_cached ? ", from the cache" : "",
                build->diagnostics.count);
    for (size_t i = 0; i < build->diagnostics.count; i++) {
        const struct diagnostic *d = &build->diagnostics.items[i];

        strbuf_addf(out, "          %u:%u: %s: ", d->line, d->column, severity_name(d->severity));
        add_visible(d->text, out);
        strbuf_adds(out, "\n");
    }
}

static void report_resources(const struct kernel_resources *r, struct strbuf *out)
{
    char bytes[FORMAT_SIZE];

    strbuf_addf(out, "kernel    %s", r->kernel);
    if (r->preferred_multiple)
        strbuf_addf(out, ": up to %zu work-items, in multiples of %zu", r->max_group,
                    r->preferred_multiple);
    if (r->required_rank)
        strbuf_addf(out, ", requires %zux%zux%zu", r->required_group[0], r->required_group[1],
                    r->required_group[2]);
    if (r->has_local)
        strbuf_addf(out, ", %s local", format_bytes(bytes, (double)r->local_bytes));
    if (r->has_private)
        strbuf_addf(out, ", %s private", format_bytes(bytes, (double)r->private_bytes));
    if (r->has_registers)
        strbuf_addf(out, ", %lld registers", (long long)r->registers);
    if (r->has_spills)
        strbuf_addf(out, ", %s spilled", format_bytes(bytes, (double)r->spill_bytes));
    strbuf_adds(out, "\n");
}

static void report_trial(const struct trial *t, struct strbuf *out)
{
    const char *meaning = variation_meaning(t->dims);

    strbuf_addf(out, "verify    %s, seed %u: %s, max abs %.3g, max rel %.3g, norm %.3g\n", t->dims,
                t->seed_id, t->output, t->max_abs, t->max_rel, t->rel_norm);
    if (!t->mismatched)
        return;
    strbuf_addf(out, "          %lld of %lld elements off, %lld not finite\n",
                (long long)t->mismatched, (long long)t->elements, (long long)t->nonfinite);
    for (size_t i = 0; i < t->worst_count; i++) {
        strbuf_adds(out, "          [");
        for (size_t d = 0; d < t->worst[i].rank; d++)
            strbuf_addf(out, "%s%lld", d ? ", " : "", (long long)t->worst[i].index[d]);
        strbuf_addf(out, "] got %.7g, want %.7g\n", t->worst[i].got, t->worst[i].want);
    }
    if (*meaning)
        strbuf_addf(out, "          %s\n", meaning);
}

static void report_estimate(const struct estimate *e, struct strbuf *out)
{
    add_time(e->median_us, out);
    strbuf_adds(out, " [");
    add_time(e->low_us, out);
    strbuf_adds(out, ", ");
    add_time(e->high_us, out);
    strbuf_adds(out, "]");
    if (steadiness_is_lost(e->low_us, e->high_us))
        strbuf_adds(out, " " UNSTEADY_WORD);
}

static void report_baselines(const struct verdict *v, struct strbuf *out)
{
    for (size_t i = 0; i < v->against.count; i++) {
        const struct comparison *c = &v->against.items[i];
        char speedup[FORMAT_SIZE], interval[FORMAT_SIZE];

        strbuf_addf(out, "%-9s ", baseline_label_short(c->name));
        report_estimate(&c->time, out);
        strbuf_addf(out, ": %s %s%s%s\n", format_speedup(speedup, c->speedup),
                    format_interval(interval, c->speedup_low, c->speedup_high),
                    steadiness_is_lost(c->speedup_low, c->speedup_high) ? ", " UNSTEADY_WORD : "",
                    v->strongest && strcmp(c->name, v->strongest) == 0 ? ", the strongest" : "");
    }
    for (size_t i = 0; i < v->awaited.count; i++) {
        strbuf_addf(out, "%-9s ", baseline_label_short(v->awaited.items[i].name));
        awaited_describe(&v->awaited.items[i], out);
        strbuf_adds(out, "\n");
    }
}

static void report_timing(const struct verdict *v, struct strbuf *out)
{
    if (!v->timing.is_present)
        return;
    strbuf_adds(out, "time      ");
    report_estimate(&v->timing.time, out);
    strbuf_addf(out, ", %u runs\n", v->timing.runs);
    if (v->timing.has_prepare) {
        strbuf_adds(out, "prepare   ");
        add_time(v->timing.prepare_us, out);
        strbuf_adds(out, ", once for each set of params\n");
    }
    report_baselines(v, out);
}

static void report_choice(const struct tuned_choice *choice, struct strbuf *out)
{
    strbuf_addf(out, "          %s: ", choice->values);
    if (choice->has_time)
        add_time(choice->median_us, out);
    else
        strbuf_adds(out, outcome_name(choice->outcome));
    strbuf_adds(out, "\n");
}

static void report_tuning(const struct tuning *t, struct strbuf *out)
{
    size_t shown = t->tried.count < MOST_CHOICES ? t->tried.count : MOST_CHOICES;

    if (!t->is_present)
        return;
    strbuf_addf(out, "tuned     %s, %zu of %zu choices tried\n", t->chosen, t->tried.count,
                t->choices);
    for (size_t i = 0; i < shown; i++)
        report_choice(&t->tried.items[i], out);
    if (shown < t->tried.count)
        strbuf_addf(out, "          and %zu more, which --json lists\n", t->tried.count - shown);
}

static void report_bound(const struct bound *b, struct strbuf *out)
{
    char share[BOUND_SHARE_SIZE], flops[FORMAT_SIZE], bytes[FORMAT_SIZE];

    if (!b->is_present)
        return;
    strbuf_adds(out, "bound     ");
    add_time(b->us, out);
    strbuf_addf(out, " (%s: %s, %s)", limiter_name(b->limiter),
                format_amount(flops, b->flops, "flop"), format_bytes(bytes, b->bytes));
    if (b->fraction > 0)
        strbuf_addf(out, ", %s", bound_share(b, share));
    strbuf_adds(out, "\n");
}

static void report_floor(const struct time_floor *limit, struct strbuf *out)
{
    char bytes[FORMAT_SIZE], rate[FORMAT_SIZE];

    if (!limit->is_present)
        return;
    strbuf_adds(out, "floor     ");
    add_time(limit->us, out);
    if (floor_is_launch(limit))
        strbuf_adds(out, " (an empty launch)\n");
    else
        strbuf_addf(out, " (%s at %s)\n", format_bytes(bytes, limit->bytes),
                    format_amount(rate, limit->bytes_per_us * 1e6, "B/s"));
}

static void report_hazards(const struct verdict *v, struct strbuf *out)
{
    for (size_t i = 0; i < v->hazards.count; i++)
        strbuf_addf(out, "hazard    %s: %s\n", v->hazards.items[i].name,
                    v->hazards.items[i].evidence);
}

static void report_kernel_profile(const struct kernel_profile *k, struct strbuf *out)
{
    strbuf_addf(out, "profile   %s: ", k->name);
    add_time(k->us, out);
    strbuf_addf(out, ", %.0f %%\n", 100 * k->share);
    for (size_t i = 0; i < k->metrics.count; i++)
        strbuf_addf(out, "          %s = %.6g %s\n", k->metrics.items[i].name,
                    k->metrics.items[i].value, k->metrics.items[i].unit);
    for (size_t i = 0; i < k->hot.count; i++)
        strbuf_addf(out, "          line %u: %.0f %% of its stalls\n", k->hot.items[i].line,
                    100 * k->hot.items[i].share);
}

static void report_profile(const struct profile *p, struct strbuf *out)
{
    if (p->missing)
        strbuf_addf(out, "profile   %s: %s\n", p->kernels.count ? "in part" : "none", p->missing);
    for (size_t i = 0; i < p->kernels.count; i++)
        report_kernel_profile(&p->kernels.items[i], out);
    for (size_t i = 0; i < p->rules.count; i++) {
        const struct profile_rule *rule = &p->rules.items[i];
        char speedup[FORMAT_SIZE];

        strbuf_addf(out, "limit     %s, %s: %s", rule->kernel, rule->name, rule->text);
        if (rule->has_estimate)
            strbuf_addf(out, " (at most %s)", format_speedup(speedup, rule->estimate));
        strbuf_adds(out, "\n");
    }
}

static void report_sanitizing(const struct sanitizing *s, struct strbuf *out)
{
    if (!s->is_present)
        return;
    if (s->missing)
        strbuf_addf(out, "%-9s none: %s\n", s->tool, s->missing);
    else
        strbuf_addf(out, "%-9s finds %s (%s, %s)%s\n", s->tool,
                    s->errors.count ? "errors" : "no error", s->program ? s->program : "?",
                    s->dims ? s->dims : "?", s->errors.count ? ":" : "");
    for (size_t i = 0; i < s->errors.count; i++) {
        const struct access_error *e = &s->errors.items[i];

        strbuf_addf(out, "          %s, line %u, %u times: ", e->kernel ? e->kernel : "?", e->line,
                    e->count);
        add_visible(e->kind, out);
        if (e->address)
            strbuf_addf(out, ": %s", e->address);
        strbuf_adds(out, "\n");
    }
}

static void report_spent(const struct spent *s, struct strbuf *out)
{
    const struct {
        const char *before;
        double ms;
    } parts[] = {{"judged    in ", s->total_ms},
                 {": compiler ", s->build_ms},
                 {", kernels ", s->kernels_ms},
                 {", data ", s->data_ms},
                 {", oracle ", s->oracle_ms}};

    if (!s->is_present)
        return;
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (parts[i].ms <= 0)
            continue;
        strbuf_adds(out, parts[i].before);
        add_time(1e3 * parts[i].ms, out);
    }
    strbuf_adds(out, "\n");
}

void verdict_report_write(const struct verdict *v, struct strbuf *out)
{
    strbuf_addf(out, "%s", outcome_name(v->outcome));
    if (v->detail) {
        strbuf_adds(out, ": ");
        add_visible(v->detail, out);
    }
    strbuf_adds(out, "\n");
    report_build(&v->build, out);
    for (size_t i = 0; i < v->resources.count; i++)
        report_resources(&v->resources.items[i], out);
    for (size_t i = 0; i < v->trials.count; i++)
        report_trial(&v->trials.items[i], out);
    report_tuning(&v->tuning, out);
    report_timing(v, out);
    report_bound(&v->bound, out);
    report_floor(&v->floor, out);
    report_hazards(v, out);
    report_profile(&v->profile, out);
    report_sanitizing(&v->sanitizing, out);
    report_spent(&v->spent, out);
}

void verdict_report_write_baselines(const struct verdict *v, struct strbuf *out)
{
    strbuf_adds(out, "\nwith compiled baselines: ");
    add_visible(v->detail ? v->detail : outcome_name(v->outcome), out);
    strbuf_adds(out, "\n");
    report_timing(v, out);
    report_hazards(v, out);
}

/* Add the gain over the previous attempt, which the same evaluation timed in turn. */
static void add_difference(const struct verdict *verdict, unsigned previous, struct strbuf *out)
{
    const struct comparison *pair = verdict_against(verdict, BASELINE_BEST);
    char speedup[FORMAT_SIZE], interval[FORMAT_SIZE];

    if (!pair || !previous)
        return;
    format_speedup(speedup, pair->speedup);
    if (pair->speedup_low <= 0) {
        strbuf_addf(out, ", %s over #%u in too few rounds", speedup, previous);
        return;
    }
    strbuf_addf(out, ", %s %s over #%u", speedup,
                format_interval(interval, pair->speedup_low, pair->speedup_high), previous);
    if (pair->speedup_low <= 1 && pair->speedup_high >= 1)
        strbuf_adds(out, ": no difference beyond the noise");
}

static void add_speed(const struct verdict *verdict, unsigned previous, struct strbuf *out)
{
    const struct comparison *strongest = verdict_strongest(verdict);
    char share[BOUND_SHARE_SIZE], speedup[FORMAT_SIZE];

    if (!verdict->timing.is_present)
        return;
    strbuf_adds(out, "  ");
    report_estimate(&verdict->timing.time, out);
    if (strongest)
        strbuf_addf(out, ", %s over %s%s", format_speedup(speedup, strongest->speedup),
                    baseline_label_short(strongest->name),
                    steadiness_is_lost(strongest->speedup_low, strongest->speedup_high)
                        ? " (" UNSTEADY_WORD ")"
                        : "");
    if (verdict->bound.is_present && verdict->bound.fraction > 0)
        strbuf_addf(out, ", %s", bound_share(&verdict->bound, share));
    add_difference(verdict, previous, out);
}

static void add_errors(const struct build_report *build, struct strbuf *out)
{
    size_t shown = 0, errors = 0;

    for (size_t i = 0; i < build->diagnostics.count; i++) {
        const struct diagnostic *d = &build->diagnostics.items[i];

        if (d->severity != SEVERITY_ERROR || ++errors > MOST_ERRORS)
            continue;
        strbuf_addf(out, "    %u:%u: ", d->line, d->column);
        add_visible(d->text, out);
        strbuf_adds(out, "\n");
        shown++;
    }
    if (shown < errors)
        strbuf_addf(out, "    and %zu more errors\n", errors - shown);
}

static void add_worst(const struct trial *trial, struct strbuf *out)
{
    const struct mismatch *worst = &trial->worst[0];

    strbuf_addf(out, "    %s: %lld of %lld elements off", trial->dims, (long long)trial->mismatched,
                (long long)trial->elements);
    if (trial->worst_count) {
        strbuf_addf(out, "; %s[", trial->output);
        for (size_t d = 0; d < worst->rank; d++)
            strbuf_addf(out, "%s%lld", d ? ", " : "", (long long)worst->index[d]);
        strbuf_addf(out, "] is %.7g, expected %.7g", worst->got, worst->want);
    }
    strbuf_adds(out, "\n");
}

void verdict_report_write_short(const struct verdict *verdict, unsigned previous,
                                struct strbuf *out)
{
    bool is_correct = verdict->outcome == OUTCOME_CORRECT;

    strbuf_adds(out, outcome_name(verdict->outcome));
    if (is_correct) {
        add_speed(verdict, previous, out);
    } else if (verdict->detail) {
        strbuf_adds(out, ": ");
        add_visible(verdict->detail, out);
    }
    strbuf_adds(out, "\n");
    if (is_correct)
        return;
    add_errors(&verdict->build, out);
    for (size_t i = 0; i < verdict->trials.count; i++)
        if (verdict->trials.items[i].mismatched) {
            add_worst(&verdict->trials.items[i], out);
            break;
        }
}
