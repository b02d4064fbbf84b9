"""Ranks of layers under weight decay."""
