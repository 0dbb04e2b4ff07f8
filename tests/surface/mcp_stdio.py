"""MCP over standard input and output (`fleet mcp`), by the reference client: as the owner, as an agent, with no server."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mcp import Client, ClientSession, StdioServerParameters, stdio_client

from mcp_common import URL, list_tools, main, ok, output, refusal, refusals, walk

BIN = os.environ["FLEET_BIN"]
HOME = os.environ["FLEET_HOME"]
# Only what is given here: the token of this check must not be what makes it work.
PLAIN = {"FLEET_HOME": HOME}
NOBODY_LISTENS = "http://127.0.0.1:9"


def server(**more: str) -> StdioServerParameters:
    return StdioServerParameters(command=BIN, args=["mcp"], env={**PLAIN, **more})


async def as_owner() -> None:
    async with stdio_client(server()) as streams, ClientSession(streams[0], streams[1]) as session:
        greeting = await session.initialize()
        assert greeting.server_info.name == "fleet", greeting
        ok(f"`fleet mcp` speaks {greeting.protocol_version}, with no secret in its configuration")
        await walk(session, "over stdio")
        await refusals(session)
    async with Client(server()) as client:
        assert client.session.protocol_version == "2026-07-28", client.session.protocol_version
        await list_tools(client)
        await output(client, "list_projects", {})
        ok("`fleet mcp` speaks 2026-07-28")


async def as_agent() -> None:
    names = {"CLAUDE_FLEET_URL": URL, "CLAUDE_FLEET_TEAM": "crew", "CLAUDE_CODE_AGENT_NAME": "scout"}
    async with stdio_client(server(**names)) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        team = await output(session, "team_status", {})
        assert team["team"] == "crew", team
        assert [(agent["handle"], agent["agentType"]) for agent in team["agents"]] == [("scout", "worker")], team
        ok("an agent's name and team make it a member of that team")
    watcher = {**names, "CLAUDE_CODE_AGENT_NAME": "watcher", "CLAUDE_CODE_AGENT_TYPE": "monitor"}
    async with stdio_client(server(**watcher)) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        text = await refusal(session, "create_project", {"name": "no"})
        assert "ROLE_REFUSED" in text, text
        ok("an agent may do what its role allows, and no more")


async def toolset() -> None:
    async with stdio_client(server(FLEET_TOOLSET="agent")) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            shown = {tool.name for tool in (await session.list_tools()).tools}
            assert {"team_status", "team_tasks", "team_send"} <= shown and "create_mission" not in shown, shown
    ok("FLEET_TOOLSET chooses the tools that are shown")


async def without_server() -> None:
    async with stdio_client(server(CLAUDE_FLEET_URL=NOBODY_LISTENS)) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await list_tools(session)
            text = await refusal(session, "list_projects", {})
            assert "fleet up --background" in text and "SERVER_UNREACHABLE" in text, text
    ok("with no server the tools are listed, and a call says how to start one")


class Forgetful(BaseHTTPRequestHandler):
    """A server that takes no token for longer than one call, and then none at all."""

    seen: list[tuple[str, str]] = []
    refuses_always = False

    def do_GET(self) -> None:
        """Proves that it has the key of the home, without which it is sent no token."""
        key = base64.urlsafe_b64decode(Path(HOME, "token").read_text().strip() + "=")
        challenge = self.path.removeprefix("/identity?challenge=")
        words = f"fleet server at\n{challenge}\n127.0.0.1:{self.server.server_port}"
        proof = base64.urlsafe_b64encode(hmac.new(key, words.encode(), hashlib.sha256).digest())
        self.answer(200, {"proof": proof.decode().rstrip("=")})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        token = self.headers["Authorization"]
        handed_out = [path for path, _ in self.seen].count("/auth")
        fresh = (self.path, token) not in self.seen
        self.seen.append((self.path, token))
        if self.path == "/auth":
            names = {"uid": "2c26b46b68ffc68ff99b453c", "handle": "scout", "teamName": "default", "agentType": "worker"}
            return self.answer(200, {**names, "token": f"token-{handed_out}"})
        if fresh and not self.refuses_always:
            return self.answer(200, {"projects": [], "count": handed_out})
        self.answer(401, {"error": "Token expired", "code": "TOKEN_EXPIRED"})

    def answer(self, status: int, body: dict) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_) -> None:
        pass


async def renewal() -> None:
    stub = ThreadingHTTPServer(("127.0.0.1", 0), Forgetful)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{stub.server_port}"
    agent = server(CLAUDE_FLEET_URL=url, CLAUDE_CODE_AGENT_NAME="scout")
    async with stdio_client(agent) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        assert [(await output(session, "list_projects", {}))["count"] for _ in range(3)] == [1, 2, 3]
        ok("a token that has expired is renewed, and the call made again")
        Forgetful.refuses_always = True
        before = len(Forgetful.seen)
        text = await refusal(session, "list_projects", {})
        calls = [path for path, _ in Forgetful.seen[before:]]
        assert "TOKEN_EXPIRED" in text and calls == ["/tools/list_projects", "/auth", "/tools/list_projects"], calls
        ok("a call that is refused again is not made a third time")
    stub.shutdown()


async def wrong_token() -> None:
    with tempfile.TemporaryDirectory() as home:
        other = {"FLEET_HOME": home, "CLAUDE_FLEET_URL": URL}
        async with stdio_client(server(**other)) as streams, ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            text = await refusal(session, "list_projects", {})
            assert "AUTHENTICATION_REQUIRED" in text and not os.listdir(home), text
    async with stdio_client(server(FLEET_TOKEN="wrong")) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            text = await refusal(session, "list_projects", {})
            assert "TOKEN_INVALID" in text, text
    ok("without the key of the server's home no token is sent and no key is made; a wrong token is refused")


def output_is_clean() -> None:
    """Every line on standard output is a message, and the end of the input is the end of the process."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "0"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    environment = {"PATH": os.environ["PATH"], **PLAIN, "LOG_LEVEL": "trace"}
    process = subprocess.Popen([BIN, "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in lines:
        print(json.dumps(line), file=process.stdin, flush=True)
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert [answer["id"] for answer in answers] == [1, 2], answers
    rest, _ = process.communicate(timeout=20)
    assert (rest, process.returncode) == ("", 0), (rest, process.returncode)
    done = subprocess.run([BIN, "mcp"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    assert (done.stdout, done.returncode) == (b"", 0), done
    ok("standard output holds messages alone, and the process ends with its input")
    bad = {**environment, "CLAUDE_CODE_AGENT_NAME": "no name!"}
    done = subprocess.run([BIN, "mcp"], env=bad, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, text=True)
    assert done.returncode != 0 and "CLAUDE_CODE_AGENT_NAME" in done.stderr and not done.stdout, done
    ok("a name that is none is told on standard error")


async def check() -> None:
    await as_owner()
    await as_agent()
    await toolset()
    await without_server()
    await wrong_token()
    await renewal()
    output_is_clean()


main(check)
