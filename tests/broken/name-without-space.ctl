safe:AG p
