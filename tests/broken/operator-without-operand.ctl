AG (p ->)
& p
p &
