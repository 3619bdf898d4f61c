AG ( )
