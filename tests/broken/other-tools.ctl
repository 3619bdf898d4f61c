CTLSPEC NAME x := AGEF p
Always p
p implies q
X[3] p
F[2:5] p
NOT p
