safe: AG p
safe: EF p
