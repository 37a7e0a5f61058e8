"""A table for the terminal."""


def aligned(lines: list[list[str]], left: int) -> str:
    """Cells in columns, the first `left` of them flush left, the others right; an empty line before."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    put = [str.ljust] * left + [str.rjust] * (len(widths) - left)
    rows = ("  ".join(side(cell, width) for side, cell, width in zip(put, line, widths, strict=True)) for line in lines)
    return "\n".join(["", *(row.rstrip() for row in rows), ""])
