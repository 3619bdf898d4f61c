AU(p, q)
