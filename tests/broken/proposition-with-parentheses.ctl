AG at(n1 & n2)
