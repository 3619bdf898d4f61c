AG (p -> EF q
EF p
