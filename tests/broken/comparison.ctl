AG (x = 1)
