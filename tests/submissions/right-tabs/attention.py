from softmax import softmax; import numpy as np

def attention(Q, K, V, mask=None):
	Q = Q.astype(float); d = Q.shape[1]
	S = (Q @ K.T) / d ** .5
	if mask is not None: S = np.where(mask, S, -9e15)
	A = softmax(S); return A @ V