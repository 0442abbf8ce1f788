"""A real authorization server, Debian's glewlwyd, run in a folder of its own for tests and the quickstart."""
