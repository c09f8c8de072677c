"""Measurements that are no tests: run by hand, on a machine of your choice."""
