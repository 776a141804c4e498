import numpy as np
from rowwise import softmax_of_row


def softmax(x, axis=-1):
    moved = np.moveaxis(x, axis, -1)
    answer = np.zeros(moved.shape)
    for index in np.ndindex(moved.shape[:-1]):
        answer[index] = softmax_of_row([float(v) for v in moved[index]])
    return np.moveaxis(answer, -1, axis)
