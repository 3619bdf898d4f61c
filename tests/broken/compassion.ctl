COMPASSION (before, inside)
AF inside
