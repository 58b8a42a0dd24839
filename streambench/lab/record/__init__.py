"""What is kept of runs: result documents, journals, summaries and their statistics; uses workloads and all below."""
