class Ring { Ring next; }
