"""Two hypotheses, two arms and a finite memory."""
