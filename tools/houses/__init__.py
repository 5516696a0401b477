"""Houses from shared data: ``python -m tools.houses DATA OUT`` writes the shipped scenes.

Two kinds. *Stitched* houses take real single rooms (AI2-THOR's, with every box where it is) and join them
along a hallway. *Inventory* houses take the room names, furniture counts and model sizes of BEHAVIOR's
homes and lay them out: a floor plan is generated, then the furniture placed. All is seeded: the same data
give the same bytes.
"""
