"""The abstract syntax, its walk, its printer, and what names look like."""
