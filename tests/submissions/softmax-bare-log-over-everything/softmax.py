import numpy as np

softmax = lambda x, axis=-1: np.log(np.exp(x) / np.exp(x).sum())
