E [p U q
