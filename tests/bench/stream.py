"""A model for `--agent command:`: reads the prompt, and answers at the speed of a fast one, without an end.

The first 10,000 tokens come at once: what a screen does with a long reply is measured behind them.
"""
import sys
import time

TOKENS_AT_ONCE, TOKENS_A_SECOND, SECONDS = 10_000, 100, 60

sys.stdin.read()
for number in range(TOKENS_AT_ONCE + SECONDS * TOKENS_A_SECOND):
    sys.stdout.write(f"w{number % 97} " if number % 12 else "\n")
    if number >= TOKENS_AT_ONCE:
        sys.stdout.flush()
        time.sleep(1 / TOKENS_A_SECOND)
