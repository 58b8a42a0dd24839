"""The runtime, in rooms. A module beside them hands on what users need of a room (source folder: pyx/)."""

if __name__ != "streambench.pyx":
    raise ImportError("import streambench.pyx, not pyx")
