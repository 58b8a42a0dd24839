"""Encode a hundred frames on four threads; every tenth is damaged."""

from concurrent.futures import ThreadPoolExecutor

import frames

encoder = frames.Encoder(100)
with ThreadPoolExecutor(4) as pool:
    for worker in [pool.submit(encoder.work, 25) for _ in range(4)]:
        worker.result()
written = encoder.written()
print(f"{len(written)} frames written, in order: {written == sorted(written)}")
print(f"the last: frame {written[-1][0]} with {written[-1][1]} runs")
