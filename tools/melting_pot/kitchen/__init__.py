"""Recordings of the real engine, and the following that holds our rules against them."""
