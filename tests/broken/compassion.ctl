COMPASSION (before, inside, after)
COMPASSION before
COMPASSION F before, inside
COMPASSION
AF inside
