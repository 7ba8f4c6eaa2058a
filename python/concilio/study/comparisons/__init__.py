"""Comparisons: what three papers' figures compare, each case started by turns under the MPI's own MPI-IO or other hints.

cases.py says what is compared, hints.py what of that a build can, runs.py measures and keeps it, rows.py makes rows of it,
and tables.py, figures.py and document.py show them.
"""
