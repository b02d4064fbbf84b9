"""Images of 28 x 28: how they are split, made coarse, and left out without their files."""

import numpy as np

from srhm.images import readers
from srhm.images.readers import Images
from srhm_studies.smoothness.relative_stability import experiment


def test_what_is_finer_than_eight_pixels_is_lost_and_the_rest_is_kept():
    place = (np.arange(28) + 0.5) / 28
    slow, fast = (127.5 * (1 + np.cos(np.pi * k * place)) for k in (2, 24))
    pixels = np.round(np.stack([np.tile(one, (28, 1)) for one in (slow, fast)])).astype(np.uint8)
    kept, lost = experiment.coarse(pixels[:, None])[:, 0].astype(float)
    assert kept.shape == (28, 28)
    assert np.abs(kept - pixels[0]).max() < 40
    assert lost.std() < 0.1 * pixels[1].std()
    np.testing.assert_array_equal(experiment.coarse(np.full((1, 1, 28, 28), 7, np.uint8)), 7)


def test_a_seed_chooses_the_digits_for_training(monkeypatch):
    pixels = (
        np.arange(5000, dtype=np.int64)[:, None, None, None] % 251 * np.ones((1, 1, 28, 28), int)
    )
    made = Images(pixels.astype(np.uint8), np.arange(5000) % 10)
    monkeypatch.setattr(readers, "load", lambda name: [made])
    experiment._digits.cache_clear()
    splits = [experiment.load_large("mnist5k", seed=seed) for seed in (0, 0, 1)]
    for training, test in splits:
        assert training.pixels.shape == (4000, 1, 28, 28)
        assert len(test) == 1000
        both = np.concatenate([training.labels, test.labels])
        np.testing.assert_array_equal(np.bincount(both), [500] * 10)
    (one, _), (same, _), (other, _) = splits
    np.testing.assert_array_equal(one.labels, same.labels)
    assert (one.labels != other.labels).any()
    experiment._digits.cache_clear()
