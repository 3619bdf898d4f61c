safe:
