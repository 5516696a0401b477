"""Language models: one kind of access per file, opened by a spec string.

``smollm2`` and ``gguf:PATH`` run in this process, ``openai:MODEL@URL`` on a server,
``anthropic:MODEL`` and ``gemini:MODEL`` on these services, ``inspect:PROVIDER/MODEL`` through Inspect; ``scripted:NAME`` and ``replay:RUN`` need no model.
:func:`otherminds.models.registry.open_model` opens them. Another kind is one more file here, or
an entry point in the group ``otherminds.models``. ``wrappers`` has what wraps any model.
"""
