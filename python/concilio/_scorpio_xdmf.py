"""Grids for XDMF descriptions."""
import ctypes
from typing import NamedTuple, Optional

from . import _scorpio_c as c

_KINDS = {"uniform": c.XDMF_UNIFORM, "rectilinear": c.XDMF_RECTILINEAR, "unstructured": c.XDMF_UNSTRUCTURED}
_ITS_WORDS = {"uniform": {"points", "origin", "spacing"}, "rectilinear": {"points", "coordinates"},
              "unstructured": {"coordinates", "topology", "connectivity", "cells"}}


class Field(NamedTuple):
    """A dataset with a value for each point, or each cell, of a grid."""
    dataset: str
    name: Optional[str] = None
    on_cells: bool = False


def _raw(text):
    return None if text is None else text.encode()


def _doubles(values, ndim, what):
    values = [float(value) for value in values]
    if len(values) != ndim:
        raise ValueError(f"{len(values)} values of {what} for {ndim} dimensions")
    return (ctypes.c_double * ndim)(*values)


def grid_of(kind, time, fields, words):
    """The C structure for these arguments; ctypes keeps what it points to."""
    if kind not in _KINDS:
        raise ValueError(f"the kind of grid {kind!r} is none of {', '.join(_KINDS)}")
    if unknown := set(words) - _ITS_WORDS[kind]:
        raise TypeError(f"{', '.join(sorted(unknown))}: not for {kind} grids")
    if missing := _ITS_WORDS[kind] - set(words) - {"cells"}:
        raise TypeError(f"{', '.join(sorted(missing))} missing, for {kind} grids")
    points = [int(count) for count in words.get("points", ())]
    coordinates = words.get("coordinates", ())
    coordinates = [coordinates.encode()] if isinstance(coordinates, str) else [name.encode() for name in coordinates]
    if kind != "uniform" and len(coordinates) != (len(points) or 1):
        raise ValueError(f"{len(coordinates)} datasets of coordinates for {len(points) or 1}")
    fields = [Field(field) if isinstance(field, str) else Field(*field) for field in fields]
    grid = c.XdmfGrid(kind=_KINDS[kind], time=time, ndims=len(points), points=c.longs(points),
                      topology=_raw(words.get("topology")), connectivity=_raw(words.get("connectivity")),
                      cells=int(words.get("cells", 0)), nfields=len(fields))
    grid.coordinates = (ctypes.c_char_p * max(len(coordinates), 1))(*coordinates)
    if kind == "uniform":
        grid.origin = _doubles(words["origin"], len(points), "origin")
        grid.spacing = _doubles(words["spacing"], len(points), "spacing")
    grid.fields = (c.XdmfField * max(len(fields), 1))(
        *[c.XdmfField(field.dataset.encode(), _raw(field.name), field.on_cells) for field in fields])
    return grid
