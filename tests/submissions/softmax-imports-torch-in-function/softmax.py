def softmax(x, axis=-1):
    import torch

    return torch.softmax(torch.tensor(x), dim=axis).numpy()
