"""Q2: products viewed together."""
