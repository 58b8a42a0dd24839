"""What one looks at in a terminal or a trace viewer: progress, tables, answers, timelines; uses figures and all
below.
"""
