"""What can be run: a query over data, a parametric pipeline, a pipeline of one's own; uses answers and all
below.
"""
