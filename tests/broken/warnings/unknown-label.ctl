AG (inside -> EF aftr)
EF nothing_like_it
