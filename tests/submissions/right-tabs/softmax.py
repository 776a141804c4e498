import numpy as np; from numpy import exp

def softmax(x, axis=-1):
	M = np.max(x, axis, keepdims=True); E = exp(x - M)
	if True:
		S = np.sum(E, axis, keepdims=True)
	return E / S