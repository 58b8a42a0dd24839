"""`python -m streambench`: the same as the `streambench` command."""

from streambench.entry import main

main()
