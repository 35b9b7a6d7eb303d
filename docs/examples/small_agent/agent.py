"""A small agent: it mends a program in the folder that it is started in, as a model tells it to.

The model answers each turn with one JSON object: {"read": FILE}, {"write": FILE, "text": TEXT},
{"run": FILE} or {"done": TEXT}. Its answers come from a recorded conversation, found by what was
said so far. With `--live URL` a model server is asked for turns that are not recorded yet, and
what it answers is added to the recording.

Usage: agent.py CONVERSATION [--live URL]
"""

import hashlib
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

GOAL = "check.py fails. Mend calc.py so that it passes, and change nothing else."
MOST_TURNS = 10
NOT_RECORDED = 4


def key_of(messages):
    text = json.dumps(messages, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def ask(messages, recording, url):
    key = key_of(messages)
    if key not in recording and url is None:
        print(f"never recorded: turn {len(messages)} (key {key[:10]})", file=sys.stderr)
        sys.exit(NOT_RECORDED)
    if key not in recording:
        body = json.dumps({"model": "agent", "temperature": 0, "messages": messages}).encode()
        request = urllib.request.Request(  # noqa: S310 - the recorder's own URL
            f"{url}/v1/chat/completions", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as answer:  # noqa: S310
            recording[key] = json.load(answer)["choices"][0]["message"]["content"]
    return recording[key]


def act(action):
    """Do what the model asks for, inside this folder alone, and return what came of it."""
    here = Path.cwd()
    name = action.get("read") or action.get("write") or action.get("run")
    path = (here / str(name)).resolve()
    if not path.is_relative_to(here):
        return f"refused: {name} is outside"
    if "write" in action:
        path.write_text(action["text"])
        return f"wrote {name}"
    if "read" in action:
        return path.read_text() if path.is_file() else f"no file {name}"
    # -B: a stale byte-code file would hide a change of the same size in the same second.
    command = [sys.executable, "-B", str(path)]
    done = subprocess.run(  # noqa: S603 - running the program is the agent's job
        command, check=False, capture_output=True, text=True, timeout=60
    )
    return f"exit code {done.returncode}\n{done.stdout}{done.stderr.strip().splitlines()[-1:]}"


def main(conversation, url):
    path = Path(conversation)
    recording = json.loads(path.read_text()) if path.exists() else {}
    messages = [{"role": "system", "content": __doc__}, {"role": "user", "content": GOAL}]
    for _ in range(MOST_TURNS):
        reply = ask(messages, recording, url)
        if url is not None:
            path.write_text(json.dumps(recording, indent=2, ensure_ascii=False) + "\n")
        action = json.loads(reply)
        if "done" in action:
            print(action["done"])
            return
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": act(action)})
    sys.exit("gave up: too many turns")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if sys.argv[2:3] == ["--live"] else None)
