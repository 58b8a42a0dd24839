"""The TPCx-BB tables, made with PySpark; uses no other room."""
