# SPDX-License-Identifier: Apache-2.0
"""The benchmark's parts: processes, usage, tokens, servers, exchanges, load, cases, tables."""
