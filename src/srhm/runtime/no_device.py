"""The error of a job that must compute on a GPU and finds none.

A module of its own, without imports: code that trains on a GPU raises this error, and its digest,
which follows imports, should not hold how devices are locked.
"""


class NoDevice(Exception):
    """A job asks for a GPU and there is none; the message says where they were looked for."""
