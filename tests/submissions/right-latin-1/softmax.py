#!/usr/bin/env python
# -*- coding: latin-1 -*-
"""Fonction softmax : exponentielles normalisées."""
import numpy as np


def softmax(x, axis=-1):
    décalé = x - np.max(x, axis=axis, keepdims=True)  # même résultat, sans dépassement
    poids = np.exp(décalé)
    return poids / np.sum(poids, axis=axis, keepdims=True)
