E [p U q)
