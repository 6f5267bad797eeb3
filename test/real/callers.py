"""Has real clients make calls, a few at a time, and prints what their callers got.

The calls and the results are those of package test/callers, which says what
each field is.

    python callers.py BASE_URL <calls.json >results.json

BASE_URL is the gateway's root, without /v1.
"""
import concurrent.futures
import json
import sys
import time

from callers import anthropic_client, langchain_client, openai_client
from callers.result import Result, describe

CLIENTS = {
    "openai": openai_client.chat,
    "openai, responses": openai_client.responses,
    "anthropic": anthropic_client.messages,
    "langchain-openai": langchain_client.chat,
    "langchain-openai, responses": langchain_client.responses,
}


def run(base: str, call: dict) -> dict:
    result = Result()
    began = time.monotonic()
    try:
        CLIENTS[call["client"]](base, call, result)
    except Exception as err:
        result.error = describe(err)
    result.took_ms = (time.monotonic() - began) * 1000
    return vars(result)


def main() -> None:
    base, calls = sys.argv[1], json.load(sys.stdin)
    with concurrent.futures.ThreadPoolExecutor(16) as lanes:
        results = list(lanes.map(lambda call: run(base, call), calls))
    json.dump(results, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
