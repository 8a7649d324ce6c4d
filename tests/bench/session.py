"""Measure sessions: append to the journal, open a session, commit a candidate."""
import json
import os
import statistics

from measure import BIN, figure

DRIVER = os.path.join(BIN, "bench_session")
LONG, STEPS, CANDIDATES, KERNEL_LINES = "bench-long", 10_000, 10_000, 5_000


def _ask(place, *arguments):
    return json.loads(place.run(DRIVER, *map(str, arguments)))


def make_long(place, agent):
    """Make a session of 10,000 steps with kernels of 5,000 lines that waits for a decision on a prompt."""
    return _ask(place, "make", LONG, STEPS, KERNEL_LINES, agent)


def _ms(samples):
    return [us / 1e3 for us in samples]


def _synced(name, title, goal, result):
    """Return a figure whose floor is its share of time in fsync."""
    times, waits, counts = (result[f"{name}_{suffix}"] for suffix in ("us", "sync_us", "syncs"))
    share = statistics.median(wait / us for wait, us in zip(waits, times))
    return figure("session", title, "ms", _ms(times), goal, share * statistics.median(times) / 1e3,
                  f"its {statistics.median(counts):.0f} fsync")


def _own(name, title, goal, result):
    """Return the same figure without the time in fsync."""
    own = [us - sync for us, sync in zip(result[f"{name}_us"], result[f"{name}_sync_us"])]
    return figure("session", title, "ms", _ms(own), goal)


def measure(place, quick):
    runs = 20 if quick else 100
    disk = _ask(place, "sync", place.path("sync"), runs)
    opened = _ask(place, "open", LONG, 5 if quick else 15)
    first = _ask(place, "commit", "bench-first", 10, runs // 5)
    many = _ask(place, "commit", "bench-many", 1_000 if quick else CANDIDATES, runs // 5)
    stepped = _ask(place, "append", LONG, runs)  # last: it makes the session longer
    title = f"{1_000 if quick else CANDIDATES:,}th candidate"
    return [
        figure("session", "a line appended and synced: this disk", "ms", _ms(disk["append_us"])),
        _synced("event", "journal: one event", None, stepped),
        _synced("step", "a step: engine, events, texts", None, stepped),
        _own("step", "a step without the disk", 5, stepped),
        figure("session", f"open a session of {STEPS:,} steps ({opened['bytes'] / 1e6:.1f} MB)", "ms",
               _ms(opened["open_us"]), 300, statistics.median(opened["read_us"]) / 1e3, "reading the file"),
        _synced("candidate", "commit the 10th candidate", None, first),
        _synced("candidate", f"commit the {title}", 20, many),
        _own("candidate", f"commit the {title} without the disk", None, many),
        _synced("keep", f"keep the {title}", 20, many),
    ]
