# %% [markdown]
# # Sensitivities of your own network
#
# A network that has learnt the task should be blind to two changes: which synonym stands for a
# latent, and in which of its places a feature stands. Sensitivities measure the response to both
# changes, layer by layer. You will train a small transformer, which has nothing of the tree built
# in, and see the network become blind to both.

# %% [markdown]
# Run this program from the folder of the clone, after `make env`; the run takes 15 seconds on one
# core:
#
# ```
# .venv/bin/python docs/tutorials/sensitivities.py
# ```

# %%
import torch
from torch import Tensor, nn, optim

from srhm.data import random_grammar, train_and_test
from srhm.sensitivity import sensitivities
from srhm.torch_data import HierarchyDataset

torch.set_num_threads(1)
torch.manual_seed(0)

# %% [markdown]
# ## A network of your own
#
# Any module of PyTorch will do. With the form `symbols` an input is a row of 16 integers: 0 for an
# empty place, f + 1 for feature f.


# %%
class Transformer(nn.Module):
    """Two layers of attention over 16 places, and a mean over places."""

    def __init__(self) -> None:
        super().__init__()
        self.feature, self.place = nn.Embedding(4, 32), nn.Embedding(16, 32)
        self.first, self.second = (
            nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True) for _ in range(2)
        )
        self.readout = nn.Linear(32, 3)

    def forward(self, symbols: Tensor) -> Tensor:
        """Logits (n, 3) of symbols (n, 16)."""
        x = self.feature(symbols) + self.place.weight
        return self.readout(self.second(self.first(x)).mean(1))


grammar = random_grammar(depth=2, branching=2, n_features=3, n_empty=1, seed=0)
samples = train_and_test(grammar, n_train=2000, n_test=500, seed=0)
train, test = (HierarchyDataset(one, grammar, form="symbols") for one in samples)
network = Transformer()

# %% [markdown]
# ## Before training
#
# S of a layer k and a level l is the mean squared change of the layer when the synonyms of level l
# are exchanged, divided by the mean squared difference between two data. S = 1 means that a changed
# datum is as far away as another datum, S = 0 that the layer does not see the change. D is the same
# for displaced features.
#
# The names of layers are those of `network.named_modules()`: here `first` and `second`. Parts have
# names too (`first.linear1`); parts of an `nn.Sequential` are "0", "1", ... `output` is the value
# of the network. A layer must give one tensor, with a row for each datum: `first.self_attn` gives
# two tensors and is refused. k = 1, 2, 3 counts layers in the order of your list.
#
# `n_points` data are changed, each `n_draws` times (default 4): other synonyms, other places. More
# points and draws make the standard error smaller (jackknife over the points).

# %%
layers = ["first", "second", "output"]
before = sensitivities(network, layers, test, seed=0, n_points=200)
print(before.pivot(index=["kind", "l"], columns="layer", values="value")[layers].round(2))

# %% [markdown]
# ## Training

# %%
optimiser = optim.Adam(network.parameters(), lr=3e-3)
for _ in range(300):
    x, y = train[torch.randint(len(train), (128,))]
    optimiser.zero_grad()
    nn.functional.cross_entropy(network(x), y).backward()
    optimiser.step()
network.eval()
x, y = test[:]
error = (network(x).argmax(1) != y).float().mean().item()
print(f"test error {error:.3f}")

# %% [markdown]
# ## After training

# %%
after = sensitivities(network, layers, test, seed=0, n_points=200)
print(after.pivot(index=["kind", "l"], columns="layer", values="value")[layers].round(2))

# %% [markdown]
# Blindness to synonyms comes with depth. On one machine S of the output fell from 1.2 and 0.9
# (levels 1 and 2) to 0.06 and 0.08, S of the second layer from 0.5 to 0.2, while S of the first
# layer rose from 0.5 to 0.7. D falls in every layer.
#
# ## A claim
#
# After training the output is less sensitive to both changes at every level, by more than three
# standard errors of the difference.

# %%
values = before.merge(after, on=["kind", "layer", "k", "l"], suffixes=("_before", "_after"))
output = values[values["layer"] == "output"]
fall = output["value_before"] - output["value_after"]
noise = (output["standard_error_before"] ** 2 + output["standard_error_after"] ** 2) ** 0.5
print(output.assign(fall=fall, noise=noise)[["kind", "l", "fall", "noise"]].round(3))
assert error < 0.1
assert (fall > 3 * noise).all()

# %% [markdown]
# D of the output is small before training already: a mean over places hardly sees where a feature
# stands. Change something yourself: with `n_train=200` the network ends at an error near 1/3, S
# stays above one half, D grows, and the claim fails. Next: [add a study](add_a_study.py), which
# repeats a measurement over seeds, keeps the rows and compares them with a claim.
