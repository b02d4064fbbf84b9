"""The data sets that the study learns, by their names in the configuration."""

DIGITS, MNIST = "digits_pca", "mnist5k_pca"
