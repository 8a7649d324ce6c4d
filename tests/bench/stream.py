"""A scripted model for `--agent command:` that reads the prompt and streams a reply of a minute.

The first 10,000 tokens come at once, so that the benchmark measures the screen with a long reply.  The others come at
the rate of a fast language model.
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
