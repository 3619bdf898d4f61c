EF stack(main .* f)
