"""`concilio study`: papers' evaluations, repeated on the user's own storage, as an HTML report with its numbers.

command.py is the command line, and course.py the course of a study. experiments.py says what is measured, measure.py
measures it, results.py keeps it, figures.py, tables.py and findings.py show it; the folder comparisons does the same for
what is started by turns under several variants. drawing.py has matplotlib, and report.py puts it all on a page.
"""
