"""How a loopback server answers where a test needs to know the answer by heart, or needs one question to fail."""


def respond(messages, sampling, index):
    content = messages[-1]["content"]
    if "poison" in content:
        raise SystemError("this question is always too much")
    return f"{content} answered for the {index}. time"
