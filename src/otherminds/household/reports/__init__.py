"""Maps of a house with objects, agents and their beliefs, as SVG and PNG; and models for 3-D pictures."""
