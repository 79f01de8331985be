"""`make bench`: the product beside floors measured in the same run. It reports; it never asserts a time."""
