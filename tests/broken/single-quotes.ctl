AG 'p q'
