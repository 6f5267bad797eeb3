"""Anthropic's client for Python."""
import anthropic

from .result import DESCRIPTION, TOOL, TOOL_SCHEMA, Reading, level, timeout


def messages(base, call, result):
    client = anthropic.Anthropic(
        api_key=call["key"],
        base_url=base,
        max_retries=call["retries"],
        timeout=timeout(call),
        http_client=anthropic.DefaultHttpxClient(event_hooks={"request": [result.keep]}),
    )
    with client:
        body = {"model": call["model"], "max_tokens": call["limit"] or 100, "messages": [{"role": "user", "content": call["prompt"]}]}
        if call["tools"]:
            body["tools"] = [{"name": TOOL, "description": DESCRIPTION, "input_schema": TOOL_SCHEMA}]
        if call["schema"]:
            body["output_format"] = Reading
        while (message := ask(client.messages, body, call, result)) is not None:
            result.finish = message.stop_reason
            result.used(message.usage.input_tokens, message.usage.output_tokens, message.usage.cache_read_input_tokens)
            if parsed := getattr(message, "parsed_output", None):
                result.object = parsed.model_dump()
            results = []
            for block in message.content:
                if block.type == "text" and not call["stream"]:
                    result.text += block.text
                if block.type == "thinking":
                    result.reasoning += block.thinking
                if block.type == "tool_use":
                    result.calls.append({"id": block.id, "name": block.name, "arguments": block.input})
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": level(block.input)})
            if not results:
                return
            content = [block.model_dump(exclude={"parsed_output"}, exclude_none=True) for block in message.content]
            body["messages"] = [*body["messages"], {"role": "assistant", "content": content}, {"role": "user", "content": results}]


def ask(api, body, call, result):
    """One message, or None where the caller walked away."""
    if not call["stream"]:
        return api.parse(**body) if call["schema"] else api.create(**body)
    pieces = 0
    with api.stream(**body) as stream:
        for text in stream.text_stream:
            result.text += text
            pieces += 1
            if result.leaves(call, pieces):
                return None
        return stream.get_final_message()
