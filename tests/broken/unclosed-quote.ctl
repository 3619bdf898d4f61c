AG "p q
