AF inside
FAIRNESS G inside
