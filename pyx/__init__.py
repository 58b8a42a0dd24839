"""streambench.pyx (source folder: pyx/)."""

if __name__ != "streambench.pyx":
    raise ImportError("import streambench.pyx, not pyx")
