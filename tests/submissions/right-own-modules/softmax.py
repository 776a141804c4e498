from shifting import powers
from totals import share


def softmax(x, axis=-1):
    return share(powers(x, axis), axis)
