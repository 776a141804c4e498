import numpy as np

LOG2_E = 1.4426950408889634


def softmax(x, axis=-1):
    powers = np.exp2((x - np.max(x, axis=axis, keepdims=True)) * LOG2_E)
    return powers / np.sum(powers, axis=axis, keepdims=True)
