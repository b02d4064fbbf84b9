"""Claims."""

from srhm.scorecard.claims import Claim

CLAIMS: tuple[Claim, ...] = ()
