AG (p & ##)
