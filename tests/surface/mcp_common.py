"""What the MCP checks share: one walk through the tools, the same on every transport."""

import asyncio
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Coroutine

import httpx2
from mcp import MCPError

URL = os.environ["FLEET_URL"].rstrip("/")
TOKEN = os.environ["FLEET_TOKEN"]
TOOLS_MAX = 44
EXPECTED = {
    "list_projects", "create_project", "create_mission", "list_missions", "get_mission_status",
    "team_status", "team_tasks",
}

passed = 0


def ok(what: str) -> None:
    """Notes one thing that held."""
    global passed
    passed += 1
    print(f"ok: {what}", flush=True)


def bearer(token: str = TOKEN) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def http_client(token: str = TOKEN) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers=bearer(token), timeout=20)


def text_of(result) -> str:
    assert len(result.content) == 1, f"one content item, not {len(result.content)}"
    return result.content[0].text


async def output(session, tool: str, arguments: dict) -> dict:
    """Calls a tool that must work; its text and its structure must say the same."""
    result = await session.call_tool(tool, arguments)
    assert not result.is_error, f"{tool}: {text_of(result)}"
    read = json.loads(text_of(result))
    assert read == result.structured_content, f"{tool}: text and structure differ"
    assert text_of(result) == json.dumps(read, indent=2, ensure_ascii=False), f"{tool}: the text is not indented by two"
    return read


async def refusal(session, tool: str, arguments: dict) -> str:
    """Calls a tool that must be refused, and returns what the model reads of it."""
    result = await session.call_tool(tool, arguments)
    assert result.is_error, f"{tool} took {arguments}: {text_of(result)}"
    return text_of(result)


async def list_tools(session) -> None:
    tools = (await session.list_tools()).tools
    names = {tool.name for tool in tools}
    assert EXPECTED <= names, f"missing: {EXPECTED - names}"
    assert len(tools) <= TOOLS_MAX, f"{len(tools)} tools are too many to show by default"
    for tool in tools:
        assert tool.description and tool.input_schema["type"] == "object", tool.name
        assert tool.annotations.read_only_hint is not None, tool.name
    ok(f"{len(tools)} tools are listed")


async def walk(session, name: str) -> None:
    """Makes a project and a mission, and reads them back."""
    await list_tools(session)
    with tempfile.TemporaryDirectory() as folder:
        project = await output(session, "create_project", {"name": name, "path": folder})
        assert (project["name"], project["path"]) == (name, folder), project
        listed = await output(session, "list_projects", {})
        assert project["id"] in [row["id"] for row in listed["projects"]], listed
        ok("a project is made and listed")

        stated = {"project_id": project["id"], "title": "Añadir 🛒", "prompt": "Add it.", "priority": 2}
        mission = await output(session, "create_mission", stated)
        missions = await output(session, "list_missions", {"project_id": project["id"]})
        assert [row["id"] for row in missions["missions"]] == [mission["id"]], missions
        assert missions["missions"][0]["title"] == stated["title"], missions
        status = await output(session, "get_mission_status", {"mission_id": mission["id"]})
        assert status["status"] == "draft", status
        ok("a mission is stated, listed and shown")

    team = await output(session, "team_status", {})
    assert team["health"]["status"] == "ok", team
    tasks = await output(session, "team_tasks", {"filter": "all"})
    assert tasks["count"] == len(tasks["tasks"]), tasks
    ok("the team and its tasks are shown")


async def refusals(session) -> None:
    """Wrong calls: what is told must name what is wrong."""
    text = await refusal(session, "create_mission", {"project_id": "p-x7k2m", "title": "t", "promt": "p"})
    assert "promt" in text and "prompt" in text and "FIELDS_INVALID" in text, text
    text = await refusal(session, "team_tasks", {"filter": "hers"})
    assert "filter" in text, text
    text = await refusal(session, "get_mission_status", {"mission_id": "m-22222"})
    assert "MISSION_NOT_FOUND" in text, text
    ok("a wrong argument is refused, and named")
    try:
        await session.call_tool("mission_create", {})
    except MCPError as error:
        assert error.code == -32602 and "create_mission" in str(error), error
    else:
        raise AssertionError("a tool that does not exist was called")
    ok("a tool that does not exist is refused, and the closest named")


async def must_fail(connect: Callable[[], Coroutine], what: str) -> None:
    """Something that must be refused before a session comes about."""
    try:
        await connect()
    except Exception as error:  # Each transport has its own, and some wrap it in groups.
        print(f"    told: {innermost(error)!r}"[:160])
        ok(what)
    else:
        raise AssertionError(f"not so: {what}")


def innermost(error: BaseException) -> BaseException:
    return innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def main(check: Callable[[], Coroutine]) -> None:
    """Runs a check; says how many things held, and ends with 1 when one did not."""
    try:
        asyncio.run(asyncio.wait_for(check(), 120))
    except BaseException as error:
        traceback.print_exc()
        print(f"not ok: {innermost(error)!r}\n{passed} passed, 1 failed", flush=True)
        sys.exit(1)
    print(f"{passed} passed")
