"""Schemathesis against /openapi.json: no 5xx, no answer that its schema does not allow, no wrong input accepted.

Real ids are handed to it, so that it gets past "not found". Two of its checks are left out. One expects every input that
fits the schema to be accepted, while a mission may name a project that does not exist. The other expects 401 for each of
many wrong tokens, while an address that sends too many is answered 429; `wrong_tokens` checks the same here. Streams are
left out: its model of server-sent events is the envelope of a frame, ours is the JSON in its `data`, made from the type
that is sent.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

URL = os.environ["FLEET_URL"]
TOKEN = os.environ["FLEET_TOKEN"]
LEFT_OUT = "positive_data_acceptance,ignored_auth"

# What counts as refusing a wrong input; a body can be too large before it is anything else.
REFUSALS = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429"]


def call(method: str, path: str, body: dict | None = None) -> dict:
    request = urllib.request.Request(URL + path, method=method, data=json.dumps(body or {}).encode())
    request.add_header("Authorization", f"Bearer {TOKEN}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def wrong_tokens() -> list[str]:
    """The operations that answer a token that is none; those that need no token say so in the document."""
    with urllib.request.urlopen(f"{URL}/openapi.json") as answer:
        document = json.load(answer)
    answered, asked = [], 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "security" not in operation:
                continue
            asked += 1
            place = re.sub(r"{[^}]*}", "x", path)
            request = urllib.request.Request(URL + place, method=method.upper(), data=b"{}")
            request.add_header("Authorization", "Bearer wrong")
            try:
                with urllib.request.urlopen(request):
                    answered.append(f"{method} {path}")
            except urllib.error.HTTPError as error:
                if error.code not in (401, 403, 429):
                    answered.append(f"{method} {path}: {error.code}")
    assert asked > 80, asked
    return answered


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        project = call("POST", "/api/projects", {"name": "surface", "path": folder})["id"]
        mission = call("POST", "/api/missions", {"project_id": project, "title": "t", "detailed_prompt": "p"})["id"]
        call("POST", "/auth", {"handle": "scout", "teamName": "default"})
        options = {"agent": "sim", "in_place": True}
        session = call("POST", f"/api/missions/{mission}/dispatch", options)["session_id"]
        config = pathlib.Path(folder) / "schemathesis.toml"
        # Deleting is left to other checks: without its project nothing else gets past "not found".
        config.write_text(
            "[parameters]\n"
            f'project = "{project}"\nmission = "{mission}"\ntaskId = "{mission}"\nteamName = "default"\n'
            f'session = "{session}"\n'
            f"[checks.negative_data_rejection]\nexpected-statuses = {json.dumps(REFUSALS)}\n"
        )
        schemathesis = pathlib.Path(sys.executable).parent / "schemathesis"
        command = [
            str(schemathesis), "--config-file", str(config), "run", f"{URL}/openapi.json",
            "--header", f"Authorization: Bearer {TOKEN}",
            "--checks", "all", "--exclude-checks", LEFT_OUT,
            "--exclude-method", "DELETE", "--exclude-tag", "streams", "--phases", "examples,coverage,fuzzing",
            "--max-examples", os.environ.get("SURFACE_EXAMPLES", "25"), "--seed", "1", "--no-color",
        ]
        if code := subprocess.run(command, check=False).returncode:
            return code
    answered = wrong_tokens()
    print("a wrong token is answered by:", answered or "no operation")
    return 1 if answered else 0


if __name__ == "__main__":
    code = main()
    print("1 passed" if code == 0 else "1 failed")
    sys.exit(code)
