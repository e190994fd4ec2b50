"""An agent on the official SDK: holds an interview with the program and prints what it saw as one JSON document."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def data(result):
    """What a call brought: the structured content, which older and newer versions of the SDK name differently."""
    for name in ("structured_content", "structuredContent"):
        if getattr(result, name, None) is not None:
            return getattr(result, name)
    return None


def is_error(result):
    return bool(getattr(result, "is_error", getattr(result, "isError", False)))


async def main(program, arguments, environment):
    server = StdioServerParameters(command=program, args=arguments, env=environment)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            begun = await session.initialize()
            info = getattr(begun, "server_info", None) or getattr(begun, "serverInfo")
            tools = (await session.list_tools()).tools
            started = data(await session.call_tool("start_interview", {"engine": "project-discovery"}))
            message = {"session_id": started["session_id"], "message": "We need a booking app for our clinic."}
            answered = data(await session.call_tool("answer", message))
            brief = await session.call_tool("get_brief", {"session_id": started["session_id"]})
            wrong = await session.call_tool("answer", {"session_id": "nosuch", "message": "Hello"})
            print(
                json.dumps(
                    {
                        "server": info.name,
                        "tools": [tool.name for tool in tools],
                        "started": started,
                        "answered": answered,
                        "brief": data(brief),
                        "brief_text": brief.content[0].text,
                        "wrong": {"is_error": is_error(wrong), "text": wrong.content[0].text},
                    }
                )
            )


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])))
