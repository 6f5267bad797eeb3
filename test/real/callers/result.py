"""What a driver hands back, and what all drivers share."""
import time

import pydantic


class Result:
    def __init__(self):
        self.text = ""
        self.reasoning = ""
        self.calls = []
        self.finish = None
        self.input = self.output = self.cached = None
        self.object = None
        self.sent = []
        self.left_at_ms = None
        self.took_ms = 0.0
        self.error = None

    def used(self, input, output, cached):
        """Takes token counts; what a client does not have stays None."""
        self.input, self.output, self.cached = input, output, cached

    def leaves(self, call: dict, pieces: int) -> bool:
        """Whether the caller walks away after so many pieces of text."""
        if not call["leave_after"] or pieces < call["leave_after"]:
            return False
        self.left_at_ms = time.time() * 1000
        return True

    def keep(self, request) -> None:
        """A hook of the HTTP client: it keeps the bodies that are sent."""
        self.sent.append(request.content.decode())


def describe(err: Exception) -> dict:
    """The class that a caller would catch."""
    response = getattr(err, "response", None)
    body = getattr(err, "body", None)
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]  # Anthropic's client keeps the whole
    kind = None
    if isinstance(body, dict):
        kind = body.get("code") or body.get("type")
    return {
        "class": type(err).__name__,
        "status": getattr(err, "status_code", None),
        "kind": kind,
        "message": str(err),
        "retry_after": response.headers.get("retry-after") if response is not None else None,
    }


def timeout(call: dict) -> float:
    return call["timeout_ms"] / 1000 or 20


# The one tool, and what it gives.
TOOL = "level"
DESCRIPTION = "How high the water stands at a gauge."
TOOL_SCHEMA = {
    "type": "object",
    "properties": {"gauge": {"type": "string"}},
    "required": ["gauge"],
    "additionalProperties": False,
}
LEVELS = {"north": "42 cm", "south": "17 cm"}


def level(arguments: dict) -> str:
    return LEVELS.get(arguments["gauge"], "no such gauge")


class Reading(pydantic.BaseModel):
    """What a structured answer has to be."""

    gauge: str
    level: float
