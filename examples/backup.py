# What examples/export_rsm.py is tried on: a folder may stay open.
def copy(folder):
    acquire(folder)
    for file in files(folder):
        if not write(file):
            return False
    for inside in folders(folder):
        if not copy(inside):
            return False
    release(folder)
    return True


def main():
    if copy("/"):
        report("done")
    finish()
