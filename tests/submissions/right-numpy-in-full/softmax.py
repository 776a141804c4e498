import numpy


def softmax(x, axis=-1):
    return numpy.divide(
        numpy.exp(numpy.subtract(x, numpy.amax(x, axis=axis, keepdims=True))),
        numpy.sum(
            numpy.exp(numpy.subtract(x, numpy.amax(x, axis=axis, keepdims=True))),
            axis=axis,
            keepdims=True,
        ),
    )
