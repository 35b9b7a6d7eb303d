"""Strict reading and safe writing of the files that people commit.

Every fault is a `ConfigError` of one line: file and line, the field, what is wrong, what to do.
"""

from judgekit.documents.document import Document, checked_json, nearest, shown
from judgekit.documents.jsontext import parse_json, read_json, read_jsonl
from judgekit.documents.paths import confined
from judgekit.documents.reading import CONFIG_LIMIT, DATA_LIMIT, EVAL_LIMIT, read_text
from judgekit.documents.table import read_csv
from judgekit.documents.writing import create_atomically, write_atomically
from judgekit.documents.yamltext import parse_yaml, read_yaml

__all__ = [
    "CONFIG_LIMIT",
    "DATA_LIMIT",
    "EVAL_LIMIT",
    "Document",
    "checked_json",
    "confined",
    "create_atomically",
    "nearest",
    "parse_json",
    "parse_yaml",
    "read_csv",
    "read_json",
    "read_jsonl",
    "read_text",
    "read_yaml",
    "shown",
    "write_atomically",
]
