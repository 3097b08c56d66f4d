"""One command a file; its module has a click command named `command`."""
