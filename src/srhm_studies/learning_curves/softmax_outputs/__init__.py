"""Whether the probabilities of a network are insensitive to synonyms where its logits are not."""
