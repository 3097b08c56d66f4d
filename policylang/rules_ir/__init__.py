"""The typed rules: types, expressions, the checked policy, and the facts that evaluators read."""
