"""The two spellings of a policy; both end in `syntax`."""
