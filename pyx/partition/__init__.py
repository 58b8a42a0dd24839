"""From keys to partitions, and a unit by partition; uses machine and tuples."""
