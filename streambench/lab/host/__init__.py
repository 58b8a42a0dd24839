"""The machine as a measurement sees it: what it is, what is built for it, who else is on it."""
