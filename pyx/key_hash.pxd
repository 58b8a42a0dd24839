"""The partition of a key, as the runtime finds it. For users: see ``streambench.pyx.partition.key_hash``."""

from streambench.pyx.partition.key_hash cimport partition_by_hash, partition_column
