"""Settings of the stages that export."""


def export_questions(config: dict) -> dict:
    export = config["export"]
    about = {name: export[name] for name in ("title", "licence", "licence_note", "language")}
    return {"about": about, "texts": export["texts"]}
