import math


def attention(Q, K, V, mask=None):
    out = []
    for i in range(len(Q)):
        row = []
        for j in range(len(K)):
            if mask is None or mask[i][j]:
                row.append(sum(float(a) * float(b) for a, b in zip(Q[i], K[j])) / math.sqrt(len(Q[i])))
            else:
                row.append(-math.inf)
        biggest = max(row)
        row = [math.exp(x - biggest) for x in row]
        total = sum(row)
        out.append([sum(w * float(V[j][c]) for j, w in enumerate(row)) / total for c in range(len(V[0]))])
    return out
