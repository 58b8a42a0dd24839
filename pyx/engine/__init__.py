"""What every engine is made of (crew, ingress, egress, logs, profile), and the serial one; uses machine, tuples
and partition.
"""
