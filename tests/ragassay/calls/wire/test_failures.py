"""What a status means: whether to try again, why a refused request abstains, and which parameter a refusal names."""

import json

import pytest

from ragassay.calls.wire.failures import failure_in_reply, failure_of

USE_OTHER = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
FORBIDDEN = "Extra inputs are not permitted"
TOO_LONG = "'max_tokens' or 'max_completion_tokens' is too large: 9000. The maximum context length is 8192 tokens"
NO_JSON = "Invalid parameter: 'response_format' of type 'json_object' is not supported"
NO_SYSTEM = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
FLAGGED = "The prompt, on the temperature of the sea, was flagged"


def pydantic(name):
    return [{"type": "extra_forbidden", "loc": ["body", name], "msg": FORBIDDEN, "input": 1}]


def google(*names):
    words = "\n".join(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' for name in names)
    return json.dumps([{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}])


@pytest.mark.parametrize(
    ("status", "error", "parameter"),
    [
        # OpenAI and Azure
        (400, {"message": USE_OTHER, "param": "max_tokens", "code": "unsupported_parameter"}, "max_tokens"),
        (400, {"error": {"message": USE_OTHER, "code": "invalid_request_body"}}, "max_tokens"),
        (400, {"message": "Unsupported value: 'temperature' does not support 0.2 with this model."}, "temperature"),
        (400, {"message": "Unsupported value", "param": "messages[0].role, system", "code": "unsupported_value"}, ""),
        (400, {"message": NO_SYSTEM}, "system"),
        (400, {"message": NO_JSON}, "response_format"),
        # checkers of types: Mistral, in three forms, and others that stand on the same library
        (422, {"object": "error", "message": {"detail": pydantic("seed")}, "param": None}, "seed"),
        (422, {"object": "Error", "message": pydantic("n"), "detail": pydantic("n"), "code": 3001}, "n"),
        (422, {"object": "error", "message": json.dumps({"detail": pydantic("top_p")})}, "top_p"),
        (422, {"detail": pydantic("max_completion_tokens")}, "max_completion_tokens"),
        # Groq
        (400, {"error": {"message": "property 'seed' is unsupported, did you mean 'send'?"}}, "seed"),
        (400, {"error": {"message": "'n' : number must be at most 1", "type": "invalid_request_error"}}, "n"),
        # Gemini's compatible endpoint, whose error is a list, and which names several at once
        (400, google("seed"), "seed"),
        (400, google("frequency_penalty", "seed"), "seed"),
        # engines on one's own machine
        (400, {"object": "error", "message": "System role not supported", "type": "BadRequestError"}, "system"),
        (400, {"error": {"code": 400, "message": "Developer instruction is not enabled for models/x"}}, "system"),
        (400, {"error": {"code": 400, "message": "Only one completion choice is allowed"}}, "n"),
        (400, {"error": "This model does not accept the parameter top_p"}, "top_p"),
        # whether several samples are meant
        (400, {"error": {"message": "Invalid value for 'n': this model supports one choice.", "param": "n"}}, "n"),
        (400, {"error": {"message": "n must be 1"}}, "n"),
        (400, {"error": {"message": "`n` > 1 is not supported"}}, "n"),
        (400, {"error": {"message": "This endpoint does not support the n parameter."}}, "n"),
        (400, {"error": {"message": "[{'loc': ('body', 'n'), 'msg': 'Input should be 1'}]"}}, "n"),
        (400, {"error": {"message": "can not do that in one request"}}, ""),
        (400, {"error": {"message": "The response was filtered: content management policy", "param": "prompt"}}, ""),
        # what names a parameter and does not concern it
        (400, {"message": "max_tokens is too large: 100000.", "param": "max_tokens", "code": "invalid_value"}, ""),
        (400, {"error": {"message": TOO_LONG}}, ""),
        (400, {"error": {"message": FLAGGED, "code": "moderation"}}, ""),
        (400, {"error": {"message": "the system is overloaded with this request"}}, ""),
        (400, None, ""),
        (413, {"error": {"message": "The prompt is too long; temperature is fine"}}, ""),
    ],
)
def test_which_parameter_a_refusal_names(model, status, error, parameter):
    failure = failure_of(status, error, "from x", model("http://x/v1"))
    assert failure.parameter == parameter and failure.refused


@pytest.mark.parametrize(
    ("status", "error", "again", "refused"),
    [
        (400, {"error": {"message": "The maximum context length is 8192 tokens.", "code": 400}}, False, "too_long"),
        (400, {"message": "'max_tokens' is too large: 512.", "param": "max_tokens"}, False, "too_long"),
        (400, {"error": {"message": "no", "code": "content_filter"}}, False, "refusal"),
        (422, {"detail": [{"msg": "Input is flagged by moderation"}]}, False, "refusal"),
        (422, "<html>what?</html>", False, "provider_error"),
        (413, "", False, "too_long"),
        (400, None, False, "provider_error"),
        (400, [1], False, "provider_error"),
        (451, {"error": "for legal reasons"}, False, "provider_error"),
        (429, {"error": {"message": "slow down", "code": "rate_limit"}}, True, ""),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, False, ""),
        (402, {"error": {"message": "pay"}}, False, ""),
        (403, {}, False, ""),
        (403, {"error": {"message": "no", "metadata": {"reasons": ["hate"]}}}, False, "refusal"),
        (403, {"error": {"message": "Your prompt was flagged by moderation"}}, False, "refusal"),
        (403, {"error": {"message": "Key limit exceeded", "metadata": {"provider_name": "x"}}}, False, ""),
        (400, {"error": {"message": "API key expired. Please renew the API key."}}, False, ""),
        (400, {"error": {"message": "Billing hard limit has been reached"}}, False, ""),
        (400, {"error": {"message": "The text mentions an API for keys"}}, False, "provider_error"),
        (400, {"message": "The decoder prompt (length 9) is longer than the maximum model length"}, False, "too_long"),
        (400, {"message": "max_tokens must be at least 1, got -904."}, False, "too_long"),
        (400, {"message": "max_tokens must be at least 1, got 0."}, False, "provider_error"),
        (403, {"error": {"message": "The prompt was blocked"}}, False, "refusal"),
        (403, {"error": {"message": "Your request was blocked by a firewall"}}, False, ""),
        (400, {"error": {"message": "no", "type": "AuthenticationError"}}, False, ""),
        (400, {"error": {"message": "no", "code": "model_not_found"}}, False, ""),
        (400, {"error": {"message": "You didn't provide an API key."}}, False, ""),
        (405, "", False, ""),
        (301, "", False, ""),
        (503, {}, True, ""),
    ],
)
def test_what_a_status_means(model, status, error, again, refused):
    failure = failure_of(status, error, "from x", model("http://x/v1"))
    assert (failure.again, failure.refused) == (again, refused)
    assert "\n" not in failure.detail and failure.detail.startswith(f"HTTP {status} from x: ")


@pytest.mark.parametrize(
    ("error", "kind", "again", "refused"),
    [
        ({"code": 503, "message": "busy"}, "http 503", True, ""),
        ({"code": "overloaded_error", "message": "busy"}, "http 503", True, ""),
        ({"code": "429", "message": "slow down"}, "http 429", True, ""),
        ({"code": 1301, "message": "gone"}, "error in a reply", True, "provider_error"),
        ({"code": 0, "message": "gone"}, "error in a reply", True, "provider_error"),
        ({"code": 0, "message": "The prompt is too long"}, "http 400", False, "too_long"),
        ({"code": 0, "message": "invalid api key"}, "http 400", False, ""),
        ({"code": 0, "message": "credit balance is low"}, "http 400", False, ""),
        ({"message": "flagged by moderation"}, "http 400", False, "refusal"),
    ],
)
@pytest.mark.parametrize("lost", [True, False])
def test_an_error_in_a_reply_counts_as_if_its_code_were_the_status(model, error, kind, again, refused, lost):
    failure = failure_in_reply({"error": error}, "from x", model("http://x/v1"), lost)
    assert (failure.kind, failure.again, failure.refused, failure.lost) == (kind, again, refused, lost)
