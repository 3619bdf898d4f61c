AF inside
FAIRNESS
JUSTICE  # which?
