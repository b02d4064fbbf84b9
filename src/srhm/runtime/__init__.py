"""What surrounds a job: its log, requests to stop, devices."""
