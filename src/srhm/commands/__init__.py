"""What make calls: run, plan, status, gc, publish."""
