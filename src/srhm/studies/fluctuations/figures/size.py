"""Stub."""


def draw() -> None:
    """Nothing yet."""
