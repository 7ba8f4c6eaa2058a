#!/usr/bin/python3
"""Looks whether .xmf files and the HDF5 files they refer to agree.

  check_xdmf.py FILE.xmf...

Of each grid: the datasets are there, with the extents and number types that are stated; topology, geometry and values
have as many points and cells as the others. check() gives what is wrong, and is used by other checks.
"""
import os
import sys
import xml.etree.ElementTree

import h5py

NUMBER_TYPES = {"f": "Float", "i": "Int", "u": "UInt"}
POINTS_OF_CELL = {"Triangle": 3, "Quadrilateral": 4, "Tetrahedron": 4, "Pyramid": 5, "Wedge": 6, "Hexahedron": 8}
# The numbers of cell types in XDMF's "Mixed" topology, and the number of points of such a cell.
MIXED = {4: 3, 5: 4, 6: 4, 7: 5, 8: 6, 9: 8}


def product(extents):
    result = 1
    for extent in extents:
        result *= extent
    return result


def numbers(text):
    return [int(word) for word in text.split()]


class Check:
    def __init__(self, name):
        self.name = name
        self.wrong = []
        self.datasets = 0

    def expect(self, truth, what):
        if not truth:
            self.wrong.append(f"{self.name}: {what}")

    def item(self, item):
        """Extents of a DataItem; that they are true."""
        extents = numbers(item.get("Dimensions"))
        if item.get("Format") == "XML":
            self.expect(len([float(word) for word in item.text.split()]) == product(extents), "numbers in the XML")
            return extents, None
        self.expect(item.get("Format") == "HDF", "the format of a DataItem")
        file, _, path = item.text.partition(":")
        with h5py.File(os.path.join(os.path.dirname(self.name), file), "r") as opened:
            if not isinstance(opened.get(path), h5py.Dataset):
                self.expect(False, f"no dataset {path}")
                return extents, None
            dataset = opened[path]
            self.datasets += 1
            self.expect(list(dataset.shape) == extents, f"{path} has extents {dataset.shape}, not {extents}")
            self.expect(dataset.dtype.itemsize == int(item.get("Precision")), f"the precision of {path}")
            kind = NUMBER_TYPES[dataset.dtype.kind]
            if dataset.dtype.itemsize == 1:
                kind = {"Int": "Char", "UInt": "UChar"}[kind]
            self.expect(item.get("NumberType") == kind, f"the type of {path}")
            return extents, dataset[...]

    def grid(self, grid):
        topology, geometry = grid.find("Topology"), grid.find("Geometry")
        kind = topology.get("TopologyType")
        parts = [self.item(item) for item in geometry]
        float(grid.find("Time").get("Value"))
        if kind.endswith("RectMesh"):
            points = numbers(topology.get("Dimensions"))
            ndims = int(kind[0])
            self.expect(len(points) == ndims, "the dimensions of the grid")
            if "CoRect" in kind:
                self.expect(geometry.get("GeometryType") == {2: "ORIGIN_DXDY", 3: "ORIGIN_DXDYDZ"}[ndims], "geometry")
                self.expect([extents for extents, _ in parts] == [[ndims]] * 2, "origin and spacing")
            else:
                self.expect(geometry.get("GeometryType") == {2: "VXVY", 3: "VXVYVZ"}[ndims], "geometry")
                self.expect([extents for extents, _ in parts] == [[n] for n in reversed(points)], "coordinates")
            places = {"Node": product(points), "Cell": product(max(1, n - 1) for n in points)}
        else:
            extents, _ = parts[0]
            self.expect(geometry.get("GeometryType") == {2: "XY", 3: "XYZ"}[extents[1]], "geometry")
            places = {"Node": extents[0], "Cell": int(topology.get("NumberOfElements"))}
            self.cells(kind, places, *self.item(topology.find("DataItem")))
        for attribute in grid.findall("Attribute"):
            self.attribute(attribute, places[attribute.get("Center")])

    def cells(self, kind, places, extents, values):
        if kind != "Mixed":
            self.expect(extents == [places["Cell"], POINTS_OF_CELL[kind]], f"extents of the cells' points: {extents}")
            self.expect(values is not None and values.size and values.min() >= 0, "the cells' points")
            return
        at = count = 0
        while values is not None and at < len(values):
            at += 1 + MIXED[int(values[at])]
            count += 1
        self.expect(count == places["Cell"] and at == extents[0], f"{count} cells of mixed kinds")

    def attribute(self, attribute, places):
        extents, _ = self.item(attribute.find("DataItem"))
        components = {"Scalar": 1, "Vector": 3, "Tensor6": 6, "Tensor": 9}.get(attribute.get("AttributeType"))
        components = components or extents[-1]
        self.expect(product(extents) == places * components, f"{attribute.get('Name')}: {extents} for {places} places")


def check(name):
    """What is wrong with an .xmf; its numbers of grids and datasets; times."""
    found = Check(name)
    root = xml.etree.ElementTree.parse(name).getroot()
    found.expect(root.tag == "Xdmf" and root.get("Version", "").startswith("3"), "the root element")
    series = root.find("Domain/Grid")
    found.expect(series.get("GridType") == "Collection" and series.get("CollectionType") == "Temporal", "the collection")
    grids = series.findall("Grid")
    for grid in grids:
        found.grid(grid)
    times = [float(grid.find("Time").get("Value")) for grid in grids]
    return found.wrong, len(grids), found.datasets, times


def main():
    wrong = []
    for name in sys.argv[1:]:
        problems, grids, datasets, _ = check(name)
        wrong += problems
        print(f"{name}: {grids} grids, {datasets} datasets" + "".join(f"\n  {problem}" for problem in problems))
    return 1 if wrong or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
