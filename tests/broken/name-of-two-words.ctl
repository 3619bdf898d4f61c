two words: AG p
