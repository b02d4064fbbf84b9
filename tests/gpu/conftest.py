"""The kernels of the packed engine: on a GPU where there is one, else in Triton's interpreter."""

import os

import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when kernels are defined
