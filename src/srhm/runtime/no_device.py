"""The error of a job that is to compute on a GPU and finds none.

It is a module of its own, without imports, because the code that trains on a GPU raises it: the
digest of that code follows imports, and would otherwise hold how devices are locked.
"""


class NoDevice(Exception):
    """A job asks for a GPU and there is none; the message says where they were looked for."""
