"""Coins, Commons Harvest and Clean Up beside the real engine: sprites, recordings, and our plain rules following them."""
