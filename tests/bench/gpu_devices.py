"""Check PyTorch's baselines on every GPU of this machine; run on machines with one GPU and with several.

Usage: KFORGE_PYTHON=python3 KFORGE_BIN=build/release/bin /usr/bin/python3 -B tests/bench/gpu_devices.py

A session judges one model on each GPU: by its id, by its UUID, and where CUDA_VISIBLE_DEVICES leaves it alone.  Each
time all baselines must be there, none may be rejected, and eager PyTorch must take about as long as on the other GPUs.
Prints a line for each session, with the strongest baseline, and ends with 1 if something is wrong.
"""
import json
import os
import subprocess
import sys
import tempfile

from measure import KFORGE, ROOT, Place

MODEL = os.path.join(ROOT, "tests", "models", "linear_gelu_scale.py")
NAMES = {"eager", "eager_tf32", "eager_bf16", "eager_f16", "eager_bf16w", "eager_f16w"}
LIMIT_S = 1800  # of a session: torch.compile takes minutes
APART = 2  # times of equal GPUs differ by less than this factor


def verdicts(place, device):
    """Return the verdicts of a short session on a device: the second one has the searched baseline too."""
    run = subprocess.run([KFORGE, "run", MODEL, "--headless", "--json", "--optimize", "1", "--tolerance", "mixed",
                          "--device", device], env=place.env, cwd=place.folder, text=True, capture_output=True,
                         check=False, timeout=LIMIT_S)
    if not run.stdout:
        raise RuntimeError(run.stderr.strip())
    events = [json.loads(line) for line in run.stdout.splitlines()]
    return [json.loads(place.text(event["verdict"])) for event in events if event["type"] == "evaluation.finished"]


def check(place, device, label, faults):
    """Judge on one device, report it, and return the time of eager PyTorch."""
    found = [verdict for verdict in verdicts(place, device) if verdict["outcome"] == "correct"]
    if not found:
        faults.append(f"{label}: no correct candidate")
        return None
    last = found[-1]
    against = {other["name"]: other["median_us"] for other in last["against"]}
    missing = [hazard["evidence"] for hazard in last.get("hazards", []) if hazard["name"] == "no_baseline"]
    faults += [f"{label}: {fault}" for fault in missing]
    faults += [f"{label}: {name} is missing" for name in sorted(NAMES - set(against))]
    print(f"{label}: {last['detail']}")
    print("   " + ", ".join(f"{name} {us:.4g} us" for name, us in sorted(against.items(), key=lambda item: item[1])),
          flush=True)
    return against.get("eager")


def main():
    faults, eager = [], []
    with tempfile.TemporaryDirectory(prefix="kforge-gpus-") as folder:
        place = Place(folder)
        devices = json.loads(place.run(KFORGE, "devices", "--json", "--device", "cuda"))
        for device in devices:
            eager.append(check(place, device["id"], device["id"], faults))
            eager.append(check(place, device["uuid"], device["uuid"], faults))
            place.env["CUDA_VISIBLE_DEVICES"] = device["uuid"]
            eager.append(check(place, "cuda:0", f"cuda:0 with CUDA_VISIBLE_DEVICES={device['uuid']}", faults))
            del place.env["CUDA_VISIBLE_DEVICES"]
    known = [us for us in eager if us]
    if known and max(known) > APART * min(known) and len({device["name"] for device in devices}) == 1:
        faults.append(f"eager takes from {min(known):.4g} to {max(known):.4g} us on equal GPUs")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
