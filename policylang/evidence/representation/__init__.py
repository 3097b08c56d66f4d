"""What is left of a span in the retained transcript (SPEC §4, "Binding" and "Representation")."""
