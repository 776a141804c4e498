import numpy as np

def causal_mask(seq_len):
	rows = []
	for i in range(seq_len): rows.append(np.arange(seq_len) < i + 1)
	return np.array(rows)