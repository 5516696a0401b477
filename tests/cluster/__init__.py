"""Tests of the recipes in ``examples/cluster``, with stand-ins for Slurm, Kubernetes and SSH on this machine."""
