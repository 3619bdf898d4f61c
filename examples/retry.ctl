# What the users of `fetch` rely on.
"can succeed": EF data
ends:          AF done
exclusive:     AG (data -> AG !error)

# Without a name, and over two lines.
AG (waiting ->
    EF (data | error))
