"""Binary necklaces in Gray order (thesis, chapter 7, definition 4.1).

A necklace is a word of the arms A (0) and B (1) up to rotation, named by its smallest rotation.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

Arms = tuple[int, ...]


def rotations(word: Arms) -> list[Arms]:
    """All rotations of a word, itself first."""
    return [word[i:] + word[:i] for i in range(len(word))]


def necklace_of(word: Arms) -> Arms:
    """Name of the necklace of a word."""
    return min(rotations(word))


@cache
def necklaces(n_plays: int) -> tuple[Arms, ...]:
    """All necklaces of m beads, by enumeration."""
    return tuple(sorted({necklace_of(word) for word in product((0, 1), repeat=n_plays)}))


@cache
def gray_order(n_plays: int) -> tuple[Arms, ...]:
    """A longest chain of necklaces from A...A to B...B, neighbours differing in one letter.

    Found by trying all chains: instant up to m = 7. A prime m has a chain of all necklaces
    (Degni and Drisko's conjecture, checked by them up to m = 37); the search then ends at it.
    """
    everything = len(necklaces(n_plays))
    longest: tuple[Arms, ...] = ()
    for chain in _chains(((0,) * n_plays,)):
        if chain[-1] == (1,) * n_plays and len(chain) > len(longest):
            longest = chain
            if len(longest) == everything:
                break
    return longest


def exit_word(here: Arms, there: Arms) -> Arms:
    """The word of a necklace in which playing the other than the oldest arm leads to the next one.

    Of several such words the smallest: one for each neighbour, so that both ways are equally wide.
    """
    found = [
        word
        for word in rotations(here)
        if necklace_of((*word[1:], 1 - word[0])) == necklace_of(there)
    ]
    return min(found)


def _chains(chain: tuple[Arms, ...]) -> Iterator[tuple[Arms, ...]]:
    yield chain
    here = chain[-1]
    for there in sorted({necklace_of((*word[1:], 1 - word[0])) for word in rotations(here)}):
        if there not in chain:
            yield from _chains((*chain, there))
