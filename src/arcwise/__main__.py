"""`python -m arcwise` is the command `arcwise`."""

from arcwise.cli import main

if __name__ == "__main__":
    main(prog_name="python -m arcwise")
