"""``python -m judgekit``."""

from judgekit.cli.main import entry

if __name__ == "__main__":
    entry()
