"""A page to look at instead of numbers to read: results as one HTML file; uses claims, figures, compare, record,
execution, host and show.
"""
