"""The one base class of errors that are meant for the person who runs the pipeline: shown as one line, without a
traceback.
"""


class AssayError(Exception):
    """Something outside the code has to change: a file, a setting, a document. Says what, where and what to do."""

    exit_code = 1
