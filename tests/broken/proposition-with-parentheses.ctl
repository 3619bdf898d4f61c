AG at(n1)
