"""`concilio study`: two papers' evaluations, repeated on the user's own storage, as an HTML report with its numbers.

command.py is the command line; experiments.py says what is measured, measure.py measures it, results.py keeps it,
figures.py, tables.py and findings.py show it, and report.py puts that on a page.
"""
