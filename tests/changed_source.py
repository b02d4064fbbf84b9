"""What an edit of this project's code does to digests, without touching a file of it."""

from srhm.store import sources


def forget(*modules):
    """Lets the next digest read these modules again."""
    sources.digest_of.cache_clear()
    sources._digests.clear()
    for module in modules:
        sources._modules.pop(module, None)


def digests_after(folder, monkeypatch, edits, roots):
    """Digest of each of the roots, {name: tuple}, while modules have other texts.

    edits: {"srhm.training.sparse": function from the text of the module to another}.
    """
    files = {}
    for module, edit in edits.items():
        file = sources._file_of(module)
        before = file.read_text(encoding="utf-8")
        after = edit(before)
        assert after != before, f"nothing to edit in {module}"
        files[module] = folder / module / file.name
        files[module].parent.mkdir()
        files[module].write_text(after, encoding="utf-8")

    known = sources._file_of
    with monkeypatch.context() as patch:
        patch.setattr(sources, "_file_of", lambda module: files.get(module) or known(module))
        forget(*edits)
        found = {name: sources.digest_of(*names) for name, names in roots.items()}
    forget(*edits)
    return found


def replaced(old, new):
    """An edit: of a text that is there once or more often."""
    return lambda text: text.replace(old, new)


def appended(more):
    """An edit: lines at the end."""
    return lambda text: f"{text}\n{more}\n"
