AG #p.*#
