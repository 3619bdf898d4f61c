AG p
