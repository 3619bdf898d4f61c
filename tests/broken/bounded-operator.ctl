EBF 0..5 p
