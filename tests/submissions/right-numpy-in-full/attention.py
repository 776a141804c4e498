import numpy

from softmax import softmax


def attention(Q, K, V, mask=None):
    return numpy.matmul(
        softmax(
            numpy.where(
                numpy.ones((Q.shape[0], K.shape[0]), dtype=bool) if mask is None else mask,
                numpy.divide(
                    numpy.matmul(Q.astype(numpy.float64), K.astype(numpy.float64).T),
                    numpy.sqrt(numpy.float64(Q.shape[1])),
                ),
                numpy.float64("-inf"),
            ),
            axis=1,
        ),
        V.astype(numpy.float64),
    )
