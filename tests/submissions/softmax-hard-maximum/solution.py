import numpy as np


def softmax(x, axis=-1):
    winner = np.expand_dims(np.argmax(x, axis=axis), axis)
    answer = np.zeros(x.shape)
    np.put_along_axis(answer, winner, 1.0, axis=axis)
    return answer
