from decimal import Decimal, localcontext

import numpy as np


def _softmax(numbers):
    with localcontext() as context:
        context.prec = 30
        exact = [Decimal(float(n)) for n in numbers]
        largest = max(exact)
        powers = [(d - largest).exp() for d in exact]
        total = sum(powers)
        return [float(p / total) for p in powers]


def softmax(x, axis=-1):
    out = np.empty(x.shape, dtype=float)
    source, target = np.moveaxis(x, axis, -1), np.moveaxis(out, axis, -1)
    for where in np.ndindex(source.shape[:-1]):
        target[where] = _softmax(source[where])
    return out
