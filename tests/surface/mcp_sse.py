"""MCP over HTTP with SSE, the older transport, by the reference client."""

from urllib.parse import parse_qs, urlparse

import httpx2
from mcp import ClientSession
from mcp.client.sse import sse_client

from mcp_common import URL, bearer, http_client, main, must_fail, ok, refusals, walk

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


async def whole() -> None:
    async with sse_client(URL + "/mcp/sse", headers=bearer()) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            greeting = await session.initialize()
            assert greeting.server_info.name == "fleet", greeting
            ok(f"/mcp/sse speaks {greeting.protocol_version}")
            await walk(session, "over SSE")
            await refusals(session)


async def endpoint_of(lines) -> str:
    assert await anext(lines) == "event: endpoint"
    data = await anext(lines)
    assert data.startswith("data: /mcp/messages/?session_id="), data
    return data.removeprefix("data: ")


async def by_hand() -> None:
    """Who may post, and what happens to the session when its stream goes away."""
    async with http_client() as http:
        agent = (await http.post(URL + "/auth", json={"handle": "eavesdropper", "teamName": "default"})).json()
        async with http.stream("GET", URL + "/mcp/sse") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream"), stream.headers
            # Held to the end: when it goes, the client closes the stream.
            lines = stream.aiter_lines()
            endpoint = await endpoint_of(lines)
            session_id = parse_qs(urlparse(endpoint).query)["session_id"][0]
            assert len(session_id) >= 32, session_id
            ok("the first event says where to post")
            assert (await http.post(URL + endpoint, json=PING, headers=bearer(agent["token"]))).status_code == 403
            async with httpx2.AsyncClient() as nobody:
                assert (await nobody.post(URL + endpoint, json=PING)).status_code == 401
                assert (await nobody.post(URL + endpoint, json=PING, headers=bearer("wrong"))).status_code in (401, 403)
            ok("nobody else may post to a session")
            assert (await http.post(URL + endpoint, content="{")).status_code == 400
            assert (await http.post(URL + endpoint, json=PING)).status_code == 202
            ok("a message is taken, and what is none is refused")
        for _ in range(100):
            if (await http.post(URL + endpoint, json=PING)).status_code == 404:
                return ok("a session ends with its stream")
        raise AssertionError("the session outlives its stream")


async def wrong_token() -> None:
    async with sse_client(URL + "/mcp/sse", headers=bearer("wrong")):
        pass


async def check() -> None:
    await whole()
    await by_hand()
    await must_fail(wrong_token, "a client with a wrong token gets no stream")


main(check)
