"""The report as JSON, schema 1: see report.schema.json."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.report import Report

# In JSON these stand inside strings only. Readers refuse lone surrogates; the others, raw, would end a line
# (U+0085, U+2028, U+2029), steer a terminal (C1) or turn the text around (bidirectional controls).
_UNSAFE = re.compile("[\ud800-\udfff\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def render(report: Report) -> str:
    """`report` as indented JSON, its keys in the contract's order.

    Raises ValueError where a number is not finite.
    """
    text = json.dumps(report.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(_escaped, text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
