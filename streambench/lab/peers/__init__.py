"""Other engines over the same queries and files, each in its own process, with the same checks; uses all below."""
