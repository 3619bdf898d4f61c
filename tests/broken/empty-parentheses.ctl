AG (p & ())
EX
