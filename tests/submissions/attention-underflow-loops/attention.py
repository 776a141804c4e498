import numpy as np

def attention(Q, K, V, mask=None):
  nq, dk = Q.shape
  nk, dv = V.shape
  S = []
  for q in range(nq):
    row = []
    for k in range(nk):
      s = np.dot(Q[q].astype(float), K[k].astype(float)) / dk**0.5
      if mask is not None and mask[q][k] == False:
        s = -1e9
      row.append(s)
    S.append(row)
  biggest = max(max(row) for row in S)
  out = np.zeros((nq, dv))
  for q in range(nq):
    e = [np.exp(s - biggest) for s in S[q]]
    tot = sum(e)
    for k in range(nk):
      out[q] = out[q] + (e[k] / tot) * V[k]
  return out
