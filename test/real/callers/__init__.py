"""The drivers of callers.py, one module for each library."""
