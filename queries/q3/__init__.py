"""Q3: last views before a purchase."""
