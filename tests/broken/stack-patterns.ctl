AG !called(nothing)
AG !stack("main .* (")
AG !stack("mian .*")
AG !stack("| main")
