"""What faults cost: each is made in a small run, and the run is started again afterwards.

`make faults` writes the table of docs/reliability.md. A fault is a declaration (`table.Fault`): how
it is made, what must be said, what may be lost. `signals`, `files`, `surroundings`, `commands`,
`configurations`, `installation` and `provenance` declare them; `scene` is the folder in which they
happen.
"""
