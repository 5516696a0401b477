"""A house seen from above: what stands, lies and goes where, and what each agent believes of it; as SVG and PNG."""
