"""How a pipeline is executed: options, plans, one execution and what its markers say; uses host, data and pyx."""
