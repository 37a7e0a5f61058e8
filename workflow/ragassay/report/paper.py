"""Tables and figures of the report as a paper needs them: LaTeX, Markdown and CSV, and one document with all of them.

Each file of LaTeX is one table or figure with its caption and a label; it needs what `workflow/report/preamble.tex`
loads. Names come from feeds, models and attackers: in LaTeX and Markdown they are plain text, whatever they hold.
"""

import re

from ragassay.report import index_notes
from ragassay.report.figures import CONTROL, csv_text, marks_csv
from ragassay.report.pages import cell
from ragassay.report.sections import ReportPart, ReportSection

SPECIAL = {character: rf"\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\N{EN DASH}": "--",
    "[": "{[}",  # after the end of a row it would be a length
    "]": "{]}",
    "*": "{*}",
}
MARKS = re.compile(r"([\\`*_{}\[\]()#+|~^$!])")  # of Markdown
RTL = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
RIGHT_TO_LEFT = re.compile(f"{RTL}(?:[ ,.-]+{RTL})*")
DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
WORD, PIECE = 24, 12  # letters of a word that has to be broken, and of its pieces
WIDE = 40  # letters of a text whose column is broken into lines
LONG = 40  # rows of a table that stand on a page
TOGETHER = 6  # tables and figures before those that wait are set
NUMBERS = ("value", "low", "high", "n")


def file_name(part: ReportPart, section: str) -> str:
    """The name of a part's files: figures bear their own, tables that of their anchor."""
    return part.name if part.drawn else part.anchor.removeprefix(f"{section}-") + "-table"


def latex(text: str) -> str:
    """Any text as it is: in one line, its long words breakable, its right-to-left words in their direction."""
    plain = " ".join(DIRECTIONS.sub("", CONTROL.sub(" ", str(text))).split())
    pieces, end = [], 0
    for match in RIGHT_TO_LEFT.finditer(plain):
        pieces += [_escaped(plain[end : match.start()]), rf"\rtl{{{_escaped(match.group())}}}"]
        end = match.end()
    return "".join([*pieces, _escaped(plain[end:])])


def _escaped(text):
    words = [_broken(word) if len(word) > WORD else word for word in text.split(" ")]
    return "".join(SPECIAL.get(character, character) for character in " ".join(words)).replace("\0", r"\allowbreak{}")


def _broken(word):
    return "\0".join(word[at : at + PIECE] for at in range(0, len(word), PIECE))


def prose(caption: str) -> str:
    """A caption; names between backticks are shown as code."""
    pieces = caption.split("`")
    return "".join(rf"\texttt{{{latex(piece)}}}" if at % 2 else _spaced(piece) for at, piece in enumerate(pieces))


def _spaced(piece):
    before, after = (" " if edge.isspace() else "" for edge in (piece[:1], piece[-1:]))
    return f"{before}{latex(piece)}{after}" if piece.strip() else before


def table_files(part: ReportPart, name: str, section: str) -> dict[str, bytes]:
    """The content of a table's files, by their endings."""
    texts = {"tex": _latex_table(part, name, section), "md": _markdown_table(part), "csv": _numbers(part)}
    return {ending: text.encode() for ending, text in texts.items()}


def figure_files(part: ReportPart, name: str, section: str) -> dict[str, bytes]:
    """What stands beside a figure's pictures: its float in LaTeX, its caption, and its marks."""
    body = [rf"\centering\includegraphics{{{section}/{name}.pdf}}", *_caption(part, name, section)]
    return {
        "tex": _environment("figure", body, "[htbp]").encode(),
        "md": (f"![{_marked(part.title)}]({name}.png)\n\n{_words(part)}\n").encode(),
        "csv": marks_csv(part.rows).encode(),
    }


def all_of(section: ReportSection, names: list[str]) -> str:
    """A file that includes all figures and tables of a section."""
    lines = [rf"\section{{{latex(section.title)}}}", *([prose(section.text)] if section.text else [])]
    for at in range(0, len(names), TOGETHER):
        lines += [*(rf"\input{{{section.name}/{name}}}" for name in names[at : at + TOGETHER]), r"\clearpage"]
    return "\n".join(lines) + "\n"


def document(title: str, preamble: str, sections: list[str]) -> str:
    """The document that includes everything; it compiles in the folder in which it lies."""
    head = [r"\documentclass[a4paper,10pt]{article}", r"\usepackage[margin=18mm]{geometry}", preamble.rstrip()]
    head += [rf"\title{{{latex(title)}}}", r"\date{}"]
    body = [r"\maketitle", r"\tableofcontents", r"\clearpage", *(rf"\input{{{name}/all}}" for name in sections)]
    return "\n".join(head) + "\n" + _environment("document", body)


def _environment(name, lines, option=""):
    return "\n".join([rf"\begin{{{name}}}{option}", *lines, rf"\end{{{name}}}"]) + "\n"


def _caption(part, name, section):
    words = " ".join(filter(None, (prose(part.caption), latex(_shared(part)))))
    return [rf"\caption{{\textbf{{{latex(part.title)}.}} {words}}}", rf"\label{{{section}:{name}}}"]


def _shared(part):
    same = ", ".join(f"{heading} {value}" for heading, value in part.same.items())
    return f" In all rows: {same}." if same else ""


def _latex_table(part, name, section):
    cells = [[cell(row.get(column)) for column in part.columns] for row in part.rows]
    kinds = "".join(_kind(column) for column in zip(*cells, strict=True))
    head = " & ".join(latex(heading) for heading in part.columns.values()) + r" \\"
    rows = [" & ".join(map(_latex_cell, row)) + r" \\" for row in cells]
    return "\\clearpage\n".join(
        _latex_part(part, name, section, kinds, head, rows[at : at + LONG], at)
        for at in range(0, max(len(rows), 1), LONG)
    )


def _latex_part(part, name, section, kinds, head, rows, at):
    """As many rows of a table as stand on a page, which is as wide as the text at most."""
    body = [r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    inner = _environment("tabular", body, f"{{{kinds}}}").rstrip()
    fitted = _environment("adjustbox", [inner], r"{max width=\linewidth, max totalheight=.85\textheight}").rstrip()
    again = [r"\addtocounter{table}{-1}", rf"\caption{{{latex(part.title)}, continued.}}"]
    caption = again if at else _caption(part, name, section)
    return _environment("table", [r"\centering\footnotesize", *caption, fitted], "[htbp]")


def _kind(column):
    if all(content["number"] for content in column):
        return "r"
    return r"p{0.3\linewidth}" if max(len(content["text"]) for content in column) > WIDE else "l"


def _latex_cell(content):
    interval = content["interval"]
    return latex(content["text"]) + (rf"\interval{{{latex(interval)}}}" if interval else "")


def _markdown_table(part):
    rows = [[cell(row.get(column)) for column in part.columns] for row in part.rows]
    rule = ["---:" if all(row[at]["number"] for row in rows) else "---" for at in range(len(part.columns))]
    lines = [[_marked(heading) for heading in part.columns.values()], rule]
    lines += [[_marked(f"{content['text']} {content['interval']}".strip()) for content in row] for row in rows]
    return _words(part) + "\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _words(part):
    return f"**{_marked(part.title)}.** {part.caption}{_marked(_shared(part))}".strip()


def _marked(text):
    plain = CONTROL.sub(" ", text)
    return (
        MARKS.sub(r"\\\1", re.sub(r"\s+", " ", plain)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    )


def _numbers(part):
    """Keys and whole numbers; each number has columns for its interval and count, where they are known."""
    texts = {}
    for key, heading in part.columns.items():
        values = [row.get(key) for row in part.rows]
        texts[heading] = [value if isinstance(value, str) else None for value in values]
        for number in NUMBERS:
            name = heading if number == "value" else f"{heading} {number}"
            column = [value[number] if isinstance(value, dict) else None for value in values]
            if any(value is not None for value in column):
                keys = texts.get(name, [None] * len(column))
                pairs = zip(keys, column, strict=True)
                texts[name] = [value if key is None else key for key, value in pairs]
    same = {heading: [value] * len(part.rows) for heading, value in part.same.items()}
    resting = {index_notes.COLUMN: [part.resting] * len(part.rows)} if part.resting else {}
    columns = {**same, **texts, **resting}
    return csv_text([*columns], zip(*columns.values(), strict=True))
