AG { }
