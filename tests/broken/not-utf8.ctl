AG p
EF ÿ
