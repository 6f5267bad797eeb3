"""OpenAI's client for Python: chat completions and responses."""
import json

import openai

from .result import DESCRIPTION, TOOL, TOOL_SCHEMA, Reading, level, timeout


def client(base, call, result):
    return openai.OpenAI(
        api_key=call["key"],
        base_url=base + "/v1",
        max_retries=call["retries"],
        timeout=timeout(call),
        http_client=openai.DefaultHttpxClient(event_hooks={"request": [result.keep]}),
    )


def chat(base, call, result):
    with client(base, call, result) as c:
        body = {"model": call["model"], "messages": [{"role": "user", "content": call["prompt"]}]}
        if call["limit"]:
            body["max_completion_tokens"] = call["limit"]
        if call["tools"]:
            body["tools"] = [{
                "type": "function",
                "function": {"name": TOOL, "description": DESCRIPTION, "parameters": TOOL_SCHEMA, "strict": True},
            }]
        if call["schema"]:
            body["response_format"] = Reading
        if call["stream"] and call["usage"]:
            body["stream_options"] = {"include_usage": True}
        while (completion := ask(c.chat.completions, body, call, result)) is not None:
            [choice] = completion.choices
            result.finish = choice.finish_reason
            if not call["stream"]:
                result.text += choice.message.content or ""
                result.reasoning += getattr(choice.message, "reasoning_content", None) or ""
            if parsed := getattr(choice.message, "parsed", None):
                result.object = parsed.model_dump()
            count(result, completion.usage)
            if not choice.message.tool_calls:
                return
            body["messages"] = [*body["messages"], choice.message]
            for one in choice.message.tool_calls:
                arguments = json.loads(one.function.arguments)
                result.calls.append({"id": one.id, "name": one.function.name, "arguments": arguments})
                body["messages"].append({"role": "tool", "tool_call_id": one.id, "content": level(arguments)})


def ask(completions, body, call, result):
    """One completion, or None where there is nothing more to be done with it."""
    if not call["stream"]:
        return completions.parse(**body) if call["schema"] else completions.create(**body)
    if call["schema"] or call["tools"]:
        with completions.stream(**body) as stream:
            for event in stream:
                if event.type == "content.delta":
                    result.text += event.delta
            return stream.get_final_completion()
    pieces = 0
    with completions.create(**body, stream=True) as stream:
        for chunk in stream:
            count(result, chunk.usage)
            for choice in chunk.choices:
                if choice.delta.content:
                    result.text += choice.delta.content
                    pieces += 1
                result.reasoning += getattr(choice.delta, "reasoning_content", None) or ""
                result.finish = choice.finish_reason or result.finish
            if result.leaves(call, pieces):
                return None
    return None


def count(result, usage):
    if usage:
        details = usage.prompt_tokens_details
        result.used(usage.prompt_tokens, usage.completion_tokens, details.cached_tokens if details else None)


def responses(base, call, result):
    with client(base, call, result) as c:
        body = {"model": call["model"], "input": [{"role": "user", "content": call["prompt"]}], "store": False}
        if call["limit"]:
            body["max_output_tokens"] = call["limit"]
        if call["tools"]:
            body["tools"] = [{"type": "function", "name": TOOL, "description": DESCRIPTION, "parameters": TOOL_SCHEMA, "strict": True}]
        if call["schema"]:
            body["text_format"] = Reading
        while (response := respond(c.responses, body, call, result)) is not None:
            result.finish = response.status
            if response.usage:
                result.used(response.usage.input_tokens, response.usage.output_tokens, response.usage.input_tokens_details.cached_tokens)
            if parsed := getattr(response, "output_parsed", None):
                result.object = parsed.model_dump()
            body["input"] = [*body["input"]]
            outputs = []
            for item in response.output:
                if item.type == "reasoning":
                    result.reasoning += "".join(part.text for part in [*item.summary, *(item.content or [])])
                if item.type == "function_call":
                    arguments = json.loads(item.arguments)
                    result.calls.append({"id": item.call_id, "name": item.name, "arguments": arguments})
                    outputs.append({"type": "function_call_output", "call_id": item.call_id, "output": level(arguments)})
                body["input"].append(item.model_dump(exclude_none=True, exclude={"parsed_arguments"}))
            if not outputs:
                return
            body["input"] += outputs


def respond(api, body, call, result):
    if not call["stream"]:
        response = api.parse(**body) if call["schema"] else api.create(**body)
        result.text += response.output_text
        return response
    pieces = 0
    with api.stream(**body) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                result.text += event.delta
                pieces += 1
            if event.type == "response.incomplete":
                return event.response  # the helper's final response has to be complete
            if result.leaves(call, pieces):
                return None
        return stream.get_final_response()
