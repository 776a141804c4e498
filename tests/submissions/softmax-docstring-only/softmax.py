def softmax(x, axis=-1):
    """Return the softmax of x along axis."""
