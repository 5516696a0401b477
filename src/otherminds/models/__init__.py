"""Language models: one kind of access a file, opened by a spec string.

``smollm2`` and ``gguf:PATH`` run in this process, ``openai:MODEL@URL`` is on a
server, ``inspect:PROVIDER/MODEL`` behind Inspect; ``scripted:NAME`` and
``replay:RUN`` need no model at all. :func:`otherminds.models.registry.open_model`
opens them; another kind is one more file here, or an entry point in the group
``otherminds.models``.

Wrappers go around any of them: ``retrying``, ``cached`` and ``metered``.
"""
