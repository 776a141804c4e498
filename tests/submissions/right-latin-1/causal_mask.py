# coding: latin-1
import numpy as np


def causal_mask(seq_len):
    """Passé et présent seulement, jamais l'avenir."""
    requête, clé = np.mgrid[0:seq_len, 0:seq_len]
    return clé <= requête
