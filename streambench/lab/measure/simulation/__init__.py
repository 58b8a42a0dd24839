"""Sweeps on simulated cores: the schedule of a sweep, whose parallel runs are simulated from profiles measured here."""
