"""Windows of time or counts: aggregates, panes, open windows, operators; uses tuples, partition, state and machine."""
