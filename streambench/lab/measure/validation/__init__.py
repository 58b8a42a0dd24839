"""How far the simulator is from real runs: the same configurations, run here and simulated, side by side."""
