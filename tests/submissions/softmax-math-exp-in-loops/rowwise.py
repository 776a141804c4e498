import math


def softmax_of_row(row):
    powers = []
    for value in row:
        powers.append(math.exp(value))
    total = 0.0
    for p in powers:
        total = total + p
    return [p / total for p in powers]
