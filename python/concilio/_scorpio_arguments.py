"""Arguments of calls that move datasets, checked and made what the library takes."""
import ctypes
import operator

import numpy


def extents_of(values, ndim, what):
    values = tuple(operator.index(value) for value in values)
    if len(values) != ndim:
        raise ValueError(f"{len(values)} {what} for {ndim} dimensions")
    return values


def pattern_of(patterns, name):
    if name not in patterns:
        raise ValueError(f"the pattern {name!r} is none of {', '.join(patterns)}")
    return patterns[name]


def row_numbers(rows):
    numbers = numpy.asarray(rows)
    if numbers.ndim != 1 or numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError("rows are a list of integers")
    return numpy.ascontiguousarray(numbers, "int64")


def pointer_to(numbers):
    return numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
