"""Online softmax: maximum and denominator together, in a single sweep along the axis."""

import numpy as np


def softmax(x, axis=-1):
    slabs = np.moveaxis(x.astype(np.float64), axis, 0)
    peak = np.full(slabs.shape[1:], -np.inf)
    total = np.zeros(slabs.shape[1:])
    for slab in slabs:
        raised = np.maximum(peak, slab)
        # before anything finite was seen, any anchor will do
        anchor = np.where(np.isneginf(raised), 0.0, raised)
        total = total * np.exp(peak - anchor) + np.exp(slab - anchor)
        peak = raised
    return np.moveaxis(np.exp(slabs - peak) / total, 0, axis)
