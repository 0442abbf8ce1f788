"""The benchmark's parts: processes, usage, tokens, servers, exchanges, load, cases, tables."""
