AG (p -> O q)
p S q
