"""A process that runs inferences when it is told to, as `assay bench --serve` does."""
import json
import os
import select
import subprocess
import tempfile
import time


class Failed(Exception):
    """It does not run the model; the text says why."""


class Worker:
    def __init__(self, command, environment=None):
        self.errors = tempfile.TemporaryFile()
        self.pending = b""
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.errors, env=environment)
        except OSError as e:
            self.errors.close()
            raise Failed(str(e)) from e

    def why(self, otherwise):
        """The last line that it printed to stderr, without the program's name."""
        self.errors.seek(0)
        lines = self.errors.read().decode("utf-8", "replace").strip().splitlines()
        told = [x for x in lines if x.startswith("assay: ")] or lines
        return told[-1].removeprefix("assay: ").strip()[:300] if told else otherwise

    def line(self, end):
        """The next line; None once the output has ended."""
        source = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            ready, _, _ = select.select([source], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise Failed("it took too long")
            got = os.read(source, 1 << 16)
            if not got:
                return None
            self.pending += got
        text, _, self.pending = self.pending.partition(b"\n")
        return text.decode("utf-8", "replace")

    def ended(self):
        self.process.wait()
        return Failed(self.why(f"its process ended with {self.process.returncode}"))

    def hello(self, seconds):
        """What it says once it is warm.  A runtime may print lines of its own before."""
        end = time.monotonic() + seconds
        while (text := self.line(end)) is not None:
            if text.startswith("{"):
                return json.loads(text)
        raise self.ended()

    def run(self, count, seconds):
        """Latencies in ms of count inferences."""
        end = time.monotonic() + seconds
        try:
            self.process.stdin.write(b"%d\n" % count)
            self.process.stdin.flush()
        except OSError:
            raise self.ended() from None
        while (text := self.line(end)) is not None:
            words = text.split()
            try:
                values = [float(x) for x in words]
            except ValueError:
                continue
            if len(values) == count:
                return values
        raise self.ended()

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()
