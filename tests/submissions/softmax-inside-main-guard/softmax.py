import numpy as np

if __name__ == "__main__":

    def softmax(x, axis=-1):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    print(softmax(np.array([1.0, 2.0, 3.0])))
