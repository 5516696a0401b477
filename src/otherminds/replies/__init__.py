"""Reads replies of language models: what an answer chooses or predicts, tool calls, structured data, reasoning."""
