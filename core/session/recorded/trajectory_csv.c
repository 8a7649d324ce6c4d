#include "core/session/recorded/trajectory_csv.h"

#include <string.h>

static const char head[] =
    "kind,attempt,parent,result,outcome,by_hand,undone,seconds,speed,speed_low,speed_high,"
    "bound_share,title\r\n";

/* The beginnings of formulas in spreadsheets (OWASP, CSV Injection). */
static const char formula_starts[] = "=+-@\t\r";

static void add_text(const char *text, struct strbuf *out)
{
    strbuf_adds(out, "\"");
    if (*text && strchr(formula_starts, *text))
        strbuf_adds(out, "'");
    for (; *text; text++)
        strbuf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_adds(out, "\"\r\n");
}

/* An unknown number is an empty field. */
static void add_number(double value, struct strbuf *out)
{
    if (value > 0)
        strbuf_addf(out, "%.6g", value);
    strbuf_adds(out, ",");
}

static void add_point(const struct trajectory_point *point, struct strbuf *out)
{
    strbuf_addf(out, "attempt,%u,", point->attempt);
    if (point->parent)
        strbuf_addf(out, "%u", point->parent);
    strbuf_addf(out, ",%s,%s,%s,%s,%.3f,", trajectory_result_name(point->result),
                point->outcome ? outcome_name(point->outcome) : "",
                point->is_by_hand ? "yes" : "no", point->is_undone ? "yes" : "no", point->seconds);
    add_number(point->speed, out);
    add_number(point->low, out);
    add_number(point->high, out);
    add_number(point->bound_fraction, out);
    add_text(point->title, out);
}

void trajectory_csv_add(const struct trajectory *trajectory, struct strbuf *out)
{
    strbuf_adds(out, head);
    for (size_t i = 0; i < trajectory->points.count; i++)
        add_point(&trajectory->points.items[i], out);
    for (size_t i = 0; i < trajectory->level_count; i++) {
        strbuf_adds(out, "level,,,,,,,,");
        add_number(trajectory->levels[i].speed, out);
        strbuf_adds(out, ",,,");
        add_text(trajectory->levels[i].name, out);
    }
}
