"""The paper's parametric operators (paper 000, end of section 7.1): no query, so there is no pipeline.py here."""
