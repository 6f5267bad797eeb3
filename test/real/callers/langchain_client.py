"""LangChain's OpenAI integration: chat completions and responses."""
import httpx
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
import pydantic

from .result import DESCRIPTION, TOOL, Reading, level, timeout


class Gauge(pydantic.BaseModel):
    gauge: str


def chat(base, call, result):
    run(base, call, result, use_responses_api=False)


def responses(base, call, result):
    run(base, call, result, use_responses_api=True, store=False)


def run(base, call, result, **options):
    with httpx.Client(event_hooks={"request": [result.keep]}) as http:
        model = ChatOpenAI(
            model=call["model"],
            api_key=call["key"],
            base_url=base + "/v1",
            max_retries=call["retries"],
            timeout=timeout(call),
            stream_usage=call["usage"],
            max_tokens=call["limit"] or None,
            http_client=http,
            **options,
        )
        if call["schema"]:
            read(model.with_structured_output(Reading, method="json_schema", include_raw=True), call, result)
            return
        tool = StructuredTool.from_function(lambda gauge: level({"gauge": gauge}), name=TOOL, description=DESCRIPTION, args_schema=Gauge)
        if call["tools"]:
            model = model.bind_tools([tool])
        messages = [HumanMessage(call["prompt"])]
        while (answer := ask(model, messages, call, result)) is not None:
            take(result, answer)
            if not answer.tool_calls:
                return
            messages.append(answer)
            for one in answer.tool_calls:
                result.calls.append({"id": one["id"], "name": one["name"], "arguments": one["args"]})
                messages.append(ToolMessage(tool.invoke(one["args"]), tool_call_id=one["id"]))


def ask(model, messages, call, result):
    """One message, or None where the caller walked away."""
    if not call["stream"]:
        answer = model.invoke(messages)
        result.text += answer.text
        return answer
    whole, pieces = None, 0
    stream = model.stream(messages)
    for chunk in stream:
        whole = chunk if whole is None else whole + chunk
        result.text += chunk.text
        pieces += chunk.text != ""
        if result.leaves(call, pieces):
            stream.close()
            return None
    return whole


def read(model, call, result):
    if call["stream"]:
        answer = {}
        for part in model.stream(call["prompt"]):
            answer |= part
            if "raw" in part:
                result.text += part["raw"].text
    else:
        answer = model.invoke(call["prompt"])
        result.text = answer["raw"].text
    if answer["parsing_error"]:
        raise answer["parsing_error"]
    result.object = answer["parsed"].model_dump()
    take(result, answer["raw"])


def take(result, message):
    result.finish = message.response_metadata.get("finish_reason") or message.response_metadata.get("status")
    if usage := message.usage_metadata:
        result.used(usage["input_tokens"], usage["output_tokens"], usage["input_token_details"].get("cache_read"))
    for block in message.content_blocks:
        if block["type"] == "reasoning":
            result.reasoning += block.get("reasoning", "")
