import numpy as np


def causal_mask(laenge):
    zeile, spalte = np.ogrid[:laenge, :laenge]
    return spalte <= zeile
