import numpy as np
from lines import lines_along


def softmax(x, axis=-1):
    y = np.empty_like(x)
    for source, target in zip(lines_along(x, axis), lines_along(y, axis)):
        e = np.exp(source - source.max())
        target[...] = e / e.sum()
    return y
