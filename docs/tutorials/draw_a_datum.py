# %% [markdown]
# # Draw and look at a datum
#
# You will draw a random grammar, generate data from the grammar, look at the trees of data, and
# change a datum in the two ways that keep its class.

# %% [markdown]
# Run it from the folder of the clone, after `make env` ([what that needs](../../README.md)):
#
# ```
# .venv/bin/python docs/tutorials/draw_a_datum.py
# ```
#
# The program takes a second. Editors that know cells (`# %%`) run the program cell by cell.
# [A page](../front/play.html) does the same by clicks, and trains networks on the data.

# %%
import numpy as np

from srhm.data import (
    displace,
    drawn,
    exchange_synonyms,
    random_grammar,
    symbols,
    train_and_test,
    tree,
)
from srhm.model.parsing import parse

# %% [markdown]
# ## A grammar
#
# A class produces features, which produce features in turn, over L levels (`depth`). Each latent
# produces s features (`branching`) out of v (`n_features`), in one of m ways: the *synonyms* of the
# latent. Empty places stand between informative places: s_0 (`n_empty`) for each. Here m is
# v^(s-1) = 3 and there are v = 3 classes, the paper's usual choice. The seed fixes all that is
# random.

# %%
grammar = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
print(grammar.parameters.n_distinct, "distinct data of", grammar.parameters.input_length, "places")
for level in (2, 1):
    for latent, synonyms in enumerate(grammar.rules[level - 1].tolist()):
        print(f"level {level + 1}: {latent} ->", " or ".join(map(str, synonyms)))

# %% [markdown]
# It prints
#
# ```text
# 5184 distinct data of 16 places
# level 3: 0 -> [2, 2] or [0, 2] or [2, 0]
# level 3: 1 -> [1, 2] or [2, 1] or [0, 1]
# level 3: 2 -> [1, 0] or [1, 1] or [0, 0]
# level 2: 0 -> [0, 1] or [0, 2] or [1, 2]
# level 2: 1 -> [2, 1] or [0, 0] or [1, 1]
# level 2: 2 -> [1, 0] or [2, 0] or [2, 2]
# ```
#
# Level 3 has the classes, level 1 the input: `rules[0]` has the pairs of level 1, which the
# features of level 2 produce. No pair stands twice in a level, so that a datum has one tree and
# one class.

# %% [markdown]
# ## A datum and its tree
#
# Training and test sets are drawn without repetition, and share no datum.

# %%
train, test = train_and_test(grammar, n_train=1000, n_test=500, seed=0)
one = train[:1]
print(drawn(one, grammar))

# %% [markdown]
# ```text
# class 2
# level 2  ·       1       ·       0
# level 1  · · · · · 2 · 1 · · · · 0 · 1 ·
# ```
#
# Read the tree from above. Class 2 has chosen the synonym `[1, 0]`. Each of the two features has
# two places, one of which stays empty (a dot): 1 and 0 both took the second place. Then 1 became
# `[2, 1]` and 0 became `[0, 1]`. Below an empty place all is empty. A network sees the last line
# alone.
#
# `tree` gives a level of the tree as numbers.

# %%
latents = tree(one, grammar)[2]
print("features", latents.features[0].tolist(), "at", latents.places[0].tolist())

# %% [markdown]
# ```text
# features [1, 0] at [1, 3]
# ```

# %% [markdown]
# ## Other synonyms, other places
#
# Exchange each pair of level 1 for another synonym of the same latent. The generator is an
# argument: a generator of the same seed gives the same datum.

# %%
generator = np.random.default_rng(0)
print(drawn(exchange_synonyms(one, grammar, level=1, generator=generator), grammar))

# %% [markdown]
# ```text
# class 2
# level 2  ·       1       ·       0
# level 1  · · · · · 1 · 1 · · · · 1 · 2 ·
# ```
#
# Level 2 and all places stay; `[2, 1]` became `[1, 1]`, `[0, 1]` became `[1, 2]`, by the rules
# above. Next move the features of level 2. The pairs of these features move with them.

# %%
print(drawn(displace(one, grammar, level=2, generator=generator), grammar))

# %% [markdown]
# ```text
# class 2
# level 2  ·       1       0       ·
# level 1  · · · · · 2 · 1 0 · 1 · · · · ·
# ```
#
# The 0 takes the first of its two places, and the pair of the 0 moves along. The 1 has drawn the
# same place again.

# %% [markdown]
# ## A claim
#
# Both changes keep the class, so that a network that solves the task must be blind to both. `drawn`
# shows the class of the tree that made the datum. Check the class from the input alone: `parse`
# reads a row of symbols from below, with the rules backwards, and finds the class, or refuses a row
# that the grammar cannot produce.

# %%
changed = [
    exchange_synonyms(test, grammar, level=1, generator=generator),
    exchange_synonyms(test, grammar, level=2, generator=generator),
    displace(test, grammar, level=1, generator=generator),
    displace(test, grammar, level=2, generator=generator),
]
for data in changed:
    inputs = symbols(data, grammar.parameters)
    classes = [parse(row, grammar).label for row in inputs]
    assert classes == test.labels.tolist()
    print(
        (inputs != symbols(test, grammar.parameters)).mean().round(2),
        "of the symbols changed, no class",
    )

# %% [markdown]
# A sixth to a quarter of the symbols change. Change something yourself: with `n_empty=2` each
# feature has three places to choose from, with `depth=3` trees have one level more. Next: [how many
# data does a network need](measure_one_p_star.py) to learn the class?
