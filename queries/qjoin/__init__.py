"""QJoin: views that a purchase followed."""
