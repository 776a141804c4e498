from functools import partial

import numpy as np

causal_mask = partial(np.tri, dtype=bool)
