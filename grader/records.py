"""A class's results, one record a submission: a schema-1 report as it is in JSON, with what a batch adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Record: TypeAlias = Mapping[str, Any]
