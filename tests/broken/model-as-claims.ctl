component main {
  entry a -> a;
}
