import math
import numpy as np

# my softmax, one row at a time

def softmax(x, axis=-1):
    # put the axis at the end so that I only have to think about rows
    moved = np.moveaxis(x, axis, -1)
    length = moved.shape[-1]
    rows = moved.reshape(-1, length)

    answer = []
    for row in rows:
        # step 1: find the biggest number
        biggest = float(row[0])
        for value in row:
            if value > biggest:
                biggest = float(value)

        # step 2: exponentials
        exponentials = []
        for value in row:
            exponentials.append(math.exp(float(value) - biggest))

        # step 3: add them up
        total = 0
        for e in exponentials:
            total = total + e

        # step 4: divide
        new_row = []
        for e in exponentials:
            new_row.append(e / total)
        answer.append(new_row)

    answer = np.array(answer)
    answer = answer.reshape(moved.shape)
    return np.moveaxis(answer, -1, axis)
