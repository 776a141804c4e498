import numpy as np

from .softmax import softmax


def attention(anfragen, schluessel, inhalte, mask=None):
    breite = schluessel.shape[1]
    anfragen = np.asarray(anfragen, dtype=np.float64)
    punkte = anfragen @ schluessel.T / np.sqrt(breite)
    if mask is not None:
        verboten = ~mask
        punkte = np.where(verboten, -np.inf, punkte)
    gewichte = softmax(punkte)
    return gewichte @ inhalte
