"""Maps: who attends to what, as the student's function has it, beside what is right. The course's model says where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.diagnosis import alike
from grader.evidence import answer
from grader.model import Model
from grader.report import Map, Response

if TYPE_CHECKING:
    from grader.report import AnyArray


def find_maps(model: Model, ask: Callable[[Sequence[Any], Mapping[str, Any]], Response]) -> tuple[Map, ...]:
    """The model's maps on which the student's answers have the right shape and are not right."""
    found = []
    for place in model.maps:
        right, got = answer(model, place.call), ask(*place.call).answer
        if not isinstance(right, np.ndarray) or not isinstance(got, np.ndarray) or got.shape != right.shape:
            continue
        if not alike(got, right):
            found.append(Map(place.title, place.rows, place.columns, _table(got), _table(right)))
    return tuple(found)


def _table(array: AnyArray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in row) for row in array)
