"""The tables of the queries, made with PySpark; uses no other room."""
