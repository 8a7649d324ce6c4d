"""A model for `--agent command:`: reads the prompt, and answers at the speed of a fast one, without an end."""
import sys
import time

TOKENS_A_SECOND = 100

sys.stdin.read()
for number in range(60 * TOKENS_A_SECOND):
    sys.stdout.write(f"w{number % 97} " if number % 12 else "\n")
    sys.stdout.flush()
    time.sleep(1 / TOKENS_A_SECOND)
