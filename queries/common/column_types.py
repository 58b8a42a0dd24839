"""The types that the queries' columns can have: narrow ones, and 64 bits where a value does not fit."""

TIME = ("uint32", "int64")
DATE = MONEY = KEY = ("int32", "int64")
CODE = ("int16", "int64")
EVENT_TYPE = ("int8", "int64")
