"""`explain`: from evidence to verdict, as a document (``policylang.explain/v1``) that text is rendered from."""
