"""MCP over streamable HTTP, by the reference client: without sessions, with them, and what must be refused."""

import httpx2
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client

from mcp_common import TOKEN, URL, bearer, http_client, list_tools, main, must_fail, ok, refusals, walk

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "0"}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
BOTH = {"Accept": "application/json, text/event-stream"}


async def modern(path: str) -> None:
    async with http_client() as http, Client(streamable_http_client(URL + path, http_client=http)) as client:
        assert client.session.protocol_version == "2026-07-28", client.session.protocol_version
        ok(f"{path} speaks 2026-07-28, without a session")
        await walk(client, "without a session")
        await refusals(client)


async def older(path: str) -> None:
    async with http_client() as http, streamable_http_client(URL + path, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            greeting = await session.initialize()
            assert greeting.protocol_version == "2025-11-25", greeting
            assert greeting.server_info.name == "fleet" and "Fleet" in greeting.instructions, greeting
            ok(f"{path} speaks 2025-11-25, in a session")
            await walk(session, "in a session")
            await refusals(session)


async def toolsets() -> None:
    shown = {}
    for name in ("agent", "orchestrator", "workers", "standard", "all"):
        async with http_client() as http:
            async with Client(streamable_http_client(f"{URL}/mcp?toolset={name}", http_client=http)) as client:
                shown[name] = {tool.name for tool in (await client.list_tools()).tools}
    assert "submit_report" in shown["agent"] and "create_mission" in shown["orchestrator"], shown
    assert not shown["agent"] & shown["orchestrator"], shown
    assert shown["agent"] | shown["orchestrator"] == shown["standard"], shown
    assert "healthcheck" in shown["workers"] and not shown["workers"] & shown["standard"], shown
    assert shown["workers"] | shown["standard"] == shown["all"], shown
    ok("the tools of agents, of orchestrators and of workers can be asked for alone, and are all that there are")


async def sessions() -> None:
    """The life of a session, request by request."""
    async with http_client() as http:
        opened = await http.post(URL + "/mcp", json=INITIALIZE, headers=BOTH)
        session = {**BOTH, "Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await http.post(URL + "/mcp/", json=done, headers=session)).status_code == 202
        listed = await http.post(URL + "/mcp", json=LIST, headers=session)
        assert listed.status_code == 200 and "create_mission" in listed.text, listed.text
        agent = await http.post(URL + "/auth", json={"handle": "intruder", "teamName": "default"})
        other = {**session, **bearer(agent.json()["token"])}
        assert (await http.post(URL + "/mcp", json=LIST, headers=other)).status_code == 404
        ok("a session serves the member who opened it, and nobody else")
        async with http.stream("GET", URL + "/mcp", headers=session) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream"), stream.headers
        assert (await http.delete(URL + "/mcp", headers=session)).status_code in (200, 202, 204)
        assert (await http.post(URL + "/mcp", json=LIST, headers=session)).status_code == 404
        unknown = {**session, "Mcp-Session-Id": "00000000-0000-0000-0000-000000000000"}
        for method in ("POST", "GET", "DELETE"):
            body = LIST if method == "POST" else None
            answer = await http.request(method, URL + "/mcp/", json=body, headers=unknown)
            assert answer.status_code == 404, (method, answer.status_code)
        ok("a session ends when it is deleted, and an unknown one is not found")


async def tokens() -> None:
    async with httpx2.AsyncClient(timeout=20) as http:
        for method in ("POST", "GET", "DELETE"):
            body = INITIALIZE if method == "POST" else None
            answer = await http.request(method, URL + "/mcp", json=body, headers=BOTH)
            assert answer.status_code == 401 and "error" in answer.json(), (method, answer.text)
            assert answer.headers["www-authenticate"].startswith("Bearer"), answer.headers
        wrong = await http.post(URL + "/mcp", json=INITIALIZE, headers={**BOTH, **bearer(TOKEN[:-4] + "AAAA")})
        assert wrong.status_code in (401, 403) and wrong.json()["code"] == "TOKEN_INVALID", wrong.text
        ok("without a token, or with a wrong one, nothing is answered")
        foreign = {**BOTH, **bearer(), "Host": "evil.example"}
        assert (await http.post(URL + "/mcp", json=INITIALIZE, headers=foreign)).status_code in (403, 421)
        foreign = {**BOTH, **bearer(), "Origin": "http://evil.example"}
        assert (await http.post(URL + "/mcp", json=INITIALIZE, headers=foreign)).status_code == 403
        ok("a foreign host or origin is refused")


async def wrong_token() -> None:
    async with http_client("wrong") as http, streamable_http_client(URL + "/mcp", http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            await list_tools(session)


async def check() -> None:
    await modern("/mcp")
    await modern("/mcp/")
    await older("/mcp")
    await older("/mcp/")
    await toolsets()
    await sessions()
    await tokens()
    await must_fail(wrong_token, "a client with a wrong token gets no session")


main(check)
