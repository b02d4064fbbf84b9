"""P* and sensitivities of a small transformer, without and with positions."""
