AG (p q)
