"""Q4: abandoned carts."""
