E p U
