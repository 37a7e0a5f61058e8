"""Services as the call layer sees them: an entry of `services` stands among the models as `service:<name>`, and its
limits and price hold as theirs do."""

SERVICE = "service:"
ASKED_AS = ("key_variable", "budget_usd", "concurrency", "requests_per_minute", "timeout", "mode", "note")
SENT_AND_READ = "kind method function headers body reply local_server local_settings local_inputs".split()


def with_services(config: dict) -> dict:
    """A filled configuration with the services among its models."""
    entries = {SERVICE + name: _as_model(entry) for name, entry in config.get("services", {}).items()}
    return config | {"models": {**config["models"], **entries}} if entries else config


def without_services(config: dict) -> dict:
    """The same as a file may hold it, with the services in their own place alone."""
    models = {name: entry for name, entry in config["models"].items() if not name.startswith(SERVICE)}
    return config | {"models": models}


def _as_model(entry):
    shared = {name: entry[name] for name in ASKED_AS}
    price = {"input": 0, "cached_input": None, "output": 0, "batch": 1, "request": entry["price"]}
    same = {"client": "fast", "tokens_per_minute": None, "options": {}, "sampling": {}}
    same |= {"longest_answer": 1}  # services are paid by the question, so that no length matters to the cap
    asked = {"model": entry["version"], "base_url": entry["address"], "price": price}
    return {"provider": "service"} | asked | shared | same | {"service": {name: entry[name] for name in SENT_AND_READ}}
