#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/emit/scan/scan_kernel.h"

/*
 * A row that work-items share, in parts of `rounds` vectors for each of them. The lanes of a warp
 * own neighbouring vectors. In each round a lane scans its vector, and the warp's lanes exchange
 * totals in log2(warp) steps: a lane keeps the total of a block of lanes that doubles, and adds the
 * total of the block's first half to its offset if it belongs to the second half. The warps'
 * totals go through local memory, with one barrier a part, because parts use it alternately.
 *
 * Without shuffles the whole work-group takes the place of a warp, and the totals of lanes are
 * scanned in local memory (Hillis and Steele, "Data parallel algorithms", 1986).
 */

enum { MAX_WIDTH = 16 };

/* The name of the element of a round's vector. */
static const char *element_name(const struct scan *s, int number)
{
    return emit_text(s->e, "v[r * %d + %d]", s->width, number);
}

/* Elements of a part of the row. */
static int part_size(const struct scan *s)
{
    return s->lanes * s->width * s->rounds;
}

static void open_rounds(const struct scan *s)
{
    emit_line(s->e, "#pragma unroll\n        for (int r = 0; r < %d; r++) {", s->rounds);
    emit_line(s->e, "            const int at = from + r * %d;\n", s->warp * s->width);
}

/* Load the elements of a vector one by one, as far as the row reaches. */
static void load_single(struct scan *s, const char *size, const char *indent)
{
    const char *inner = emit_text(s->e, "%s    ", indent);
    const char *loaded;

    emit_line(s->e, "#pragma unroll\n%sfor (int l = 0; l < %d; l++) {", indent, s->width);
    emit_line(s->e, "%sv[r * %d + l] = %s;", inner, s->width, s->identity);
    emit_line(s->e, "%sif (at + l >= %s)\n%s    continue;", inner, size, inner);
    loaded = scan_load(s, 1, "(at + l)", inner);
    emit_line(s->e, "%sv[r * %d + l] = %s;\n%s}", inner, s->width, loaded, indent);
}

static void load_vectors(struct scan *s, const char *indent)
{
    for (int first = 0; first < s->width; first += s->load_width) {
        const char *loaded =
            scan_load(s, s->load_width, first ? emit_text(s->e, "(at + %d)", first) : "at", indent);

        for (int i = 0; i < s->load_width; i++)
            emit_line(s->e, "%s%s = %s;", indent, element_name(s, first + i),
                      scan_element(s, s->load_width, loaded, i));
    }
}

static void write_loads(struct scan *s)
{
    struct emitter *e = s->e;
    const char *size = scan_length(s, s->in);
    bool is_whole = scan_is_whole(s, s->in, part_size(s));

    open_rounds(s);
    if (!is_whole)
        emit_line(e, "            if (at + %d <= %s) {", s->width, size);
    load_vectors(s, is_whole ? "            " : "                ");
    if (!is_whole) {
        emit_line(e, "            } else {");
        load_single(s, size, "                ");
        emit_line(e, "            }");
    }
    emit_line(e, "        }");
}

/* Scan the vectors of all rounds among the lanes of a warp. */
static void write_warp(const struct scan *s)
{
    struct emitter *e = s->e;
    struct formula_words words = {0};

    words.of['x'] = "total";
    words.of['i'] = "d";
    emit_line(e, "        %s whole = %s;", s->type, s->identity);
    emit_line(e, "#pragma unroll\n        for (int r = 0; r < %d; r++) {", s->rounds);
    for (int i = 1; i < s->width; i++)
        emit_line(e, "            %s = %s;", element_name(s, i),
                  scan_joined(s, element_name(s, i - 1), element_name(s, i)));
    emit_line(e, "            %s total = %s;", s->type, element_name(s, s->width - 1));
    emit_line(e, "            offset[r] = %s;", s->identity);
    emit_line(e, "#pragma unroll\n            for (int d = 1; d < %d; d *= 2) {", s->warp);
    emit_line(e, "                const %s other = %s;\n", s->type,
              emit_formula(e, e->writer->dialect->shuffle, &words));
    emit_line(e, "                if (lane & d)\n                    offset[r] = %s;",
              scan_joined(s, "other", "offset[r]"));
    emit_line(e, "                total = %s;\n            }", scan_joined(s, "total", "other"));
    emit_line(e, "            offset[r] = %s;", scan_joined(s, "whole", "offset[r]"));
    emit_line(e, "            whole = %s;\n        }", scan_joined(s, "whole", "total"));
}

/* Add the totals of the warps before, and those of all warps to the part that follows. */
static void write_warps(const struct scan *s)
{
    struct emitter *e = s->e;

    emit_line(e, "        if (lane %% %d == 0)\n            sums[turn][lane / %d] = whole;",
              s->warp, s->warp);
    emit_line(e, "        $barrier;\n        %s before = running;", s->type);
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", s->lanes / s->warp);
    emit_line(e, "            if (i < lane / %d)\n                before = %s;", s->warp,
              scan_joined(s, "before", "sums[turn][i]"));
    emit_line(e, "            running = %s;\n        }",
              scan_joined(s, "running", "sums[turn][i]"));
}

/* Scan the lanes' totals in local memory. */
static void write_lanes(const struct scan *s)
{
    struct emitter *e = s->e;

    for (int i = 1; i < s->width; i++)
        emit_line(e, "        v[%d] = %s;", i,
                  scan_joined(s, emit_text(e, "v[%d]", i - 1), emit_text(e, "v[%d]", i)));
    emit_line(e, "        sums[turn][lane] = v[%d];\n        $barrier;", s->width - 1);
    emit_line(e, "        for (int d = 1; d < %d; d *= 2) {", s->lanes);
    emit_line(e, "            const %s left = lane < d ? %s : sums[turn][lane - d];\n", s->type,
              s->identity);
    emit_line(e, "            sums[1 - turn][lane] = %s;",
              scan_joined(s, "left", "sums[turn][lane]"));
    emit_line(e, "            turn = 1 - turn;\n            $barrier;\n        }");
    emit_line(e, "        const %s before = running;", s->type);
    emit_line(e, "        offset[0] = lane > 0 ? sums[turn][lane - 1] : %s;", s->identity);
    emit_line(e, "        running = %s;",
              scan_joined(s, "running", emit_text(e, "sums[turn][%d]", s->lanes - 1)));
}

/* The results of a round's vector: with is_late each element is that of the place before. */
static void name_results(struct scan *s, const char *names[MAX_WIDTH])
{
    for (int i = 0; i < s->width; i++) {
        const char *start = scan_joined(s, "before", "offset[r]");
        int from = s->is_late ? i - 1 : i;

        names[i] = from < 0 ? start : scan_joined(s, start, element_name(s, from));
        names[i] = emit_text(s->e, "(%s)", names[i]);
    }
    if (s->is_late)
        names[0] = emit_text(s->e, "(at == 0 ? %s : %s)", scan_first(s), names[0]);
}

static void write_stores(struct scan *s)
{
    struct emitter *e = s->e;
    const char *size = scan_length(s, s->out);
    bool is_whole = scan_is_whole(s, s->out, part_size(s));
    const char *names[MAX_WIDTH] = {0}, *indent = is_whole ? "            " : "                ";

    name_results(s, names);
    open_rounds(s);
    if (!is_whole)
        emit_line(e, "            if (at + %d <= %s) {", s->width, size);
    scan_store(s, s->width, "at", names, indent);
    if (!is_whole)
        emit_line(e, "            } else {");
    for (int i = 0; !is_whole && i + 1 < s->width; i++) {
        emit_line(e, "                if (at + %d < %s)", i, size);
        scan_store(s, 1, i ? emit_text(e, "(at + %d)", i) : "at", &names[i],
                   "                    ");
    }
    emit_line(e, is_whole ? "        }" : "            }\n        }");
}

void scan_write_group(struct scan *s)
{
    struct emitter *e = s->e;
    bool has_warps = e->writer->dialect->warp > 0;

    emit_line(e, "    $local %s sums[2][%d];", s->type, has_warps ? s->lanes / s->warp : s->lanes);
    emit_line(e, "    const int i = $group_id0, lane = $local_id0;");
    writer_axes(e->writer, s->out, (1U << s->axis) - 1, "i", "    ");
    emit_line(e, "    %s running = %s;\n    int turn = 0;\n", s->type, s->identity);
    emit_line(e, "    for (int part = 0; part < %s; part += %d) {", scan_length(s, s->out),
              part_size(s));
    emit_line(e, "        const int from = part + lane / %d * %d + lane %% %d * %d;", s->warp,
              s->warp * s->width * s->rounds, s->warp, s->width);
    emit_line(e, "        %s v[%d], offset[%d];\n", s->type, s->width * s->rounds, s->rounds);
    write_loads(s);
    if (has_warps) {
        write_warp(s);
        write_warps(s);
    } else {
        write_lanes(s);
    }
    write_stores(s);
    emit_line(e, has_warps ? "        turn = 1 - turn;\n    }\n}" : "        $barrier;\n    }\n}");
}
