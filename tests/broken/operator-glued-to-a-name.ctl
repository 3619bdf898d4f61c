AGp q
