AG p# always
