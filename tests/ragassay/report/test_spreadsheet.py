"""CSV for spreadsheets: numbers whole, texts that are no formulas."""

import csv
import io

from ragassay.report import figures


def test_numbers_are_not_rounded_and_nothing_is_empty_text():
    value = 0.1234567890123456
    assert figures.csv_text(["a", "b"], [[value, None]]) == f"a,b\n{value},\n"
    assert figures.csv_text(["a"], [[-1.5]]) == "a\n-1.5\n"


def test_a_text_that_a_spreadsheet_would_run_is_quoted():
    texts = ["=1+1", "+1", "-1", "@a", "\t=1", "a=1", 'a "b", c\nd']
    read = [row[0] for row in csv.reader(io.StringIO(figures.csv_text(["text"], ([text] for text in texts))))]
    assert read == ["text", "'=1+1", "'+1", "'-1", "'@a", "'\t=1", "a=1", 'a "b", c\nd']
