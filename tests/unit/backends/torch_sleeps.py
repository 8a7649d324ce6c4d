"""
Test how long the device sleeps before a timed call of a baseline, on a clock and a device that are computed here: no GPU is
needed. Part of torch_modules.py.
"""
import types
import unittest
from unittest import mock

import baselines

QUEUE_S = 0.002
LONGEST_S = QUEUE_S * baselines.SLEEP_MARGIN


class Device:
    """A clock, and a device that does nothing but sleep."""

    def __init__(self):
        self.now, self.free, self.sleeps = 0.0, 0.0, []

    def perf_counter(self):
        return self.now

    def sleep(self, cycles):
        self.sleeps.append(cycles / baselines.CYCLES_PER_SECOND)
        self.free = max(self.free, self.now) + self.sleeps[-1]

    def synchronize(self):
        self.now = max(self.now, self.free)

    def event(self, enable_timing):
        made = types.SimpleNamespace(synchronize=self.synchronize, elapsed_time=lambda end: 1.0)
        made.record = lambda: setattr(made, "at", max(self.now, self.free))
        made.query = lambda: self.now >= made.at
        return made


class Timed(baselines.Baselines):
    def __init__(self):
        self._inputs, self._queue_s, self._overhead_us = [], {}, 0
        self._flush = types.SimpleNamespace(sum=lambda: None)


class Sleeps(unittest.TestCase):
    def sleeps(self, waits):
        """The sleeps before ten calls, which the host queues in QUEUE_S, and which wait for the device or do not."""
        device = Device()

        def call():
            device.now += QUEUE_S
            if waits:
                device.synchronize()

        cuda = types.SimpleNamespace(_sleep=device.sleep, Event=device.event, synchronize=device.synchronize)
        with mock.patch.object(baselines, "time", device), mock.patch.object(baselines.torch, "cuda", cuda):
            timed = Timed()
            for _ in range(10):
                timed._time_gpu("eager", call)
        return device.sleeps

    def test_the_device_sleeps_while_the_host_queues(self):
        for sleep in self.sleeps(False)[1:]:
            self.assertAlmostEqual(sleep, LONGEST_S)

    def test_a_call_that_waits_for_the_sleep_makes_it_no_longer(self):
        self.assertLessEqual(max(self.sleeps(True)), LONGEST_S * 1.01)
