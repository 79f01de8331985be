"""A closed-loop keep-alive client on raw sockets: n connections, each sends its next request when answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Sample:
    """What one burst measured. `refused` counts answers that were not the expected one."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    refused: int = 0
    last_bytes: int = 0
    first_refusal: str = ""

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds if self.seconds else 0.0

    def percentile_ms(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def burst(port: int, requests: Iterator[bytes], *, clients: int, seconds: float, expect: bytes = b"") -> Sample:
    """Send from `requests` over `clients` connections for `seconds`; an answer must be 200 and hold `expect`."""
    return asyncio.run(_burst(port, requests, clients, seconds, expect))


async def _burst(port: int, requests: Iterator[bytes], clients: int, seconds: float, expect: bytes) -> Sample:
    sample = Sample()
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(clients)]
    started = time.perf_counter()
    await asyncio.gather(
        *(_loop(reader, writer, requests, started + seconds, expect, sample) for reader, writer in connections)
    )
    sample.seconds = time.perf_counter() - started
    for _, writer in connections:
        writer.close()
    return sample


async def _loop(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    requests: Iterator[bytes],
    until: float,
    expect: bytes,
    sample: Sample,
) -> None:
    while (begun := time.perf_counter()) < until:
        request = next(requests, None)
        if request is None:
            return
        writer.write(request)
        status, body = await _answer(reader)
        sample.latencies.append(time.perf_counter() - begun)
        sample.last_bytes = len(body)
        if status != 200 or expect not in body:
            sample.refused += 1
            sample.first_refusal = sample.first_refusal or f"{status} {body[:300]!r}"


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    lower = head.lower()
    if b"transfer-encoding: chunked" in lower:
        return status, await _chunks(reader)
    length = int(lower.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    return status, await reader.readexactly(length)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body


def median_of(samples: list[Sample]) -> float:
    return median(sample.rate for sample in samples)
