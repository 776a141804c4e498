"""e**z as 2**n * 2**f with n whole and 0 <= f < 1.

Everything below 2**-2000 is nought in double precision, so the exponent is held there.
"""

import numpy as np

LOG2_E = np.log2(np.e)


def power_of_e(z):
    t = np.maximum(z * LOG2_E, -2000.0)
    n = np.floor(t)
    return np.ldexp(np.exp2(t - n), n.astype(np.int32))


def softmax(x, axis=-1):
    z = x.astype(np.float64)
    w = power_of_e(z - z.max(axis=axis, keepdims=True))
    return w / w.sum(axis=axis, keepdims=True)
