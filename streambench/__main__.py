"""`python -m streambench`: the same as the `streambench` command."""

from streambench.cli import main

main()
