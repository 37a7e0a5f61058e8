"""Why an answer ended, in the same three words for all servers: stop, length, content_filter.

Servers that speak OpenAI's protocol have names of their own, from the models behind them or from their engines. What is
not known here counts as a stop if there is a text, and its name is logged once; without a text it stays as it is, and
parsers abstain. A fourth word stands for answers that the server broke off.
"""

from ragassay.base.stage import log

BROKEN_OFF = "error"
NAMES = {
    "stop": "stop stopped stop_sequence eos eos_token end end_turn end_of_turn complete completed done finish finished"
    " tool_calls tool_call tool_use function_call",
    "length": "length max_tokens max_output_tokens max_length model_length token_limit limit truncated incomplete"
    " model_context_window_exceeded context_length_exceeded",
    "content_filter": "content_filter content_filtered content_blocked filtered refusal safety prohibited_content"
    " recitation blocklist spii sensitive language violation",
    BROKEN_OFF: "error abort aborted cancelled canceled failed malformed_function_call insufficient_system_resource"
    " network_error timeout",
}
MEANING = {name: meaning for meaning, names in NAMES.items() for name in names.split()}
_told = set()


def meaning(name: str | None, text: str) -> str:
    """What a server's word for the end of `text` means; no word at all is a stop."""
    if not name:
        return "stop"
    known = MEANING.get(str(name).partition(":")[0].strip().lower().removeprefix("finish_reason_"))
    if known or not text:
        return known or str(name)
    if name not in _told:
        _told.add(name)
        log.info("the finish reason %.40r of an answer is unknown; answers with it count as whole (stop)", name)
    return "stop"
