"""What figures share: tables in, drawings out; nothing here trains, fits or reads a file.

Letters are those of docs/notation.md.
"""
