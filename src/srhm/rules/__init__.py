"""What the rules of rules/*.smk are made of: names of files, and the texts that scripts read."""
