ag p
p u q
