AG (p % q)
