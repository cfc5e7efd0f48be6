# SPDX-License-Identifier: Apache-2.0
"""Operators on sliding windows, written out in loops as their definitions say."""

import math

import numpy as np


def convolved(x, w, strides, dilation, padding, groups):
    """The convolution of x with the filters w; padding: before and after, dimension by dimension."""
    rank = w.ndim - 2
    pads = [(0, 0), (0, 0)] + [(padding[i], padding[rank + i]) for i in range(rank)]
    x = np.pad(x, pads).astype(np.float64)
    size = [(x.shape[i + 2] - (w.shape[i + 2] - 1) * dilation[i] - 1) // strides[i] + 1 for i in range(rank)]
    out = np.zeros([x.shape[0], w.shape[0], *size])
    per = w.shape[0] // groups
    for n, f in np.ndindex(x.shape[0], w.shape[0]):
        for at in np.ndindex(*size):
            for c in range(w.shape[1]):
                for k in np.ndindex(*w.shape[2:]):
                    place = tuple(at[i] * strides[i] + k[i] * dilation[i] for i in range(rank))
                    out[(n, f, *at)] += x[(n, f // per * w.shape[1] + c, *place)] * w[(f, c, *k)]
    return out.astype(np.float32)


def spread(x, w, strides, dilation, padding, more, groups):
    """The transposed convolution: adds each element of x times the filter; `more` rows at the end."""
    rank = w.ndim - 2
    per = w.shape[1]
    full = [(x.shape[i + 2] - 1) * strides[i] + (w.shape[i + 2] - 1) * dilation[i] + 1 + more[i]
            for i in range(rank)]
    out = np.zeros([x.shape[0], per * groups, *full])
    inputs = x.shape[1] // groups
    for n, c in np.ndindex(*x.shape[:2]):
        for at in np.ndindex(*x.shape[2:]):
            for f in range(per):
                for k in np.ndindex(*w.shape[2:]):
                    place = tuple(at[i] * strides[i] + k[i] * dilation[i] for i in range(rank))
                    out[(n, c // inputs * per + f, *place)] += float(x[(n, c, *at)]) * float(w[(c, f, *k)])
    cut = tuple(slice(padding[i], full[i] - padding[rank + i]) for i in range(rank))
    return out[(slice(None), slice(None), *cut)].astype(np.float32)


def pooled(x, kernel, strides, dilation, padding, ceil, take):
    """Pooling: `take` makes a number of the elements inside a window and the count with its padding."""
    rank = len(kernel)
    size = []
    for i in range(rank):
        room = x.shape[i + 2] + padding[i] + padding[rank + i] - (kernel[i] - 1) * dilation[i] - 1
        n = (math.ceil if ceil else math.floor)(room / strides[i]) + 1
        if ceil and (n - 1) * strides[i] >= x.shape[i + 2] + padding[i]:
            n -= 1
        size.append(n)
    out = np.zeros([*x.shape[:2], *size])
    for at in np.ndindex(*out.shape):
        inside, padded = [], 0
        for k in np.ndindex(*kernel):
            place = [at[i + 2] * strides[i] + k[i] * dilation[i] - padding[i] for i in range(rank)]
            if all(0 <= p < x.shape[i + 2] for i, p in enumerate(place)):
                inside.append(float(x[(*at[:2], *place)]))
            if all(-padding[i] <= p < x.shape[i + 2] + padding[rank + i] for i, p in enumerate(place)):
                padded += 1
        out[at] = take(inside, padded)
    return out.astype(np.float32)
