"""Tasks that are prepared in parallel and end in order, by the Ordered Scheduler and without it (paper 003)."""
