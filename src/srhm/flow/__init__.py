"""Networks of any output scale, trained by gradient flow, Adam or SGD."""
