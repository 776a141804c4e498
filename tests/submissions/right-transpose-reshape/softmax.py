import numpy as np


def softmax(x, axis=-1):
    # order of axes that puts `axis` last
    axis = axis % x.ndim
    order = [d for d in range(x.ndim) if d != axis] + [axis]
    turned = x.transpose(order)

    # a plain matrix: one row for every combination of the other axes
    table = turned.reshape(-1, x.shape[axis])
    table = np.exp(table - table.max(axis=1).reshape(-1, 1))
    table = table / table.sum(axis=1).reshape(-1, 1)

    # and back
    return table.reshape(turned.shape).transpose(np.argsort(order))
