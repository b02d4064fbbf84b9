"""Gaps, cusps and N* at jamming: a study."""
