AG (p
EF q
E [p U ]
