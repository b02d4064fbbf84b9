"""From one file of configuration to curves, jobs, and what each rule reads."""
