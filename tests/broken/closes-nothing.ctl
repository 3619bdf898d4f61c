AG p)
