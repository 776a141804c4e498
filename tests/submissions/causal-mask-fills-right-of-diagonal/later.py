def positions_after(i, length):
    j = i + 1
    while j < length:
        yield j
        j += 1
