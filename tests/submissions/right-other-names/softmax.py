import numpy as np


def softmax(werte, axis=-1):
    """Gewichte, die entlang der Achse 1 ergeben."""
    groesster = werte.max(axis=axis, keepdims=True)
    potenzen = np.exp(werte - groesster)
    summe = potenzen.sum(axis=axis, keepdims=True)
    return potenzen / summe
