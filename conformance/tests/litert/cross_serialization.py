"""Checks starts with the option serialization_dir in the real LiteRT, each in a process of its own.

    make cross-check            # or, in a venv with golden/requirements.txt:
    python conformance/tests/litert/cross_serialization.py BUILD_DIRECTORY

On a digit model, with options as strings of the plug-in ABI and as TfLiteGpuDelegateOptionsV2: a
first start writes one private file, a second one uses it, and a damaged one is written again.  All
give the bits of a start without the option.  (The Python host does not show warnings.)
"""

import ctypes
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODEL = ROOT / "golden" / "digits" / "digits_f32.tflite"
ENABLE_QUANT, ENABLE_SERIALIZATION = 1, 8


class OptionsV2(ctypes.Structure):
    _fields_ = [
        ("is_precision_loss_allowed", ctypes.c_int32),
        ("inference_preference", ctypes.c_int32),
        ("inference_priority1", ctypes.c_int32),
        ("inference_priority2", ctypes.c_int32),
        ("inference_priority3", ctypes.c_int32),
        ("experimental_flags", ctypes.c_int64),
        ("max_delegated_partitions", ctypes.c_int32),
        ("serialization_dir", ctypes.c_char_p),
        ("model_token", ctypes.c_char_p),
    ]


class DelegateV2:
    """Holds a delegate of the C API as Interpreter expects it."""

    def __init__(self, library, directory):
        self.library = ctypes.PyDLL(library)
        default = self.library.TfLiteGpuDelegateOptionsV2Default
        default.restype = OptionsV2
        create = self.library.TfLiteGpuDelegateV2Create
        create.restype, create.argtypes = ctypes.c_void_p, [ctypes.POINTER(OptionsV2)]
        assert ctypes.sizeof(OptionsV2) == 56
        options = default()
        assert options.experimental_flags == ENABLE_QUANT
        if directory:
            options.experimental_flags |= ENABLE_SERIALIZATION
            options.serialization_dir = directory.encode()
            options.model_token = b"digits"
        self.pointer = create(ctypes.byref(options))
        assert self.pointer

    def _get_native_delegate_pointer(self):
        return self.pointer


def child(way, library, directory):
    """Starts once, and writes the bytes of the output to standard output."""
    from ai_edge_litert.interpreter import Interpreter, load_delegate

    if way == "v2":
        delegate = DelegateV2(library, directory)
    else:
        options = {"serialization_dir": directory, "model_token": "digits"} if directory else {}
        delegate = load_delegate(library, options)
    model = Interpreter(str(MODEL), experimental_delegates=[delegate])
    model.allocate_tensors()
    at = model.get_input_details()[0]
    values = np.random.default_rng(1).random(tuple(at["shape"]), dtype=np.float32)
    model.set_tensor(at["index"], values)
    model.invoke()
    sys.stdout.buffer.write(model.get_tensor(model.get_output_details()[0]["index"]).tobytes())


def start(way, library, directory):
    run = subprocess.run(
        [sys.executable, __file__, "--child", way, library, directory],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode != 0:
        text = run.stderr.decode(errors="replace")
        sys.exit(f"cross-serialization: {way}: the process ended with {run.returncode}:\n{text}")
    return run.stdout


def main():
    library = str((pathlib.Path(sys.argv[1]) / "libassay_delegate.so").resolve())
    failed = passed = 0

    def check(ok, what):
        nonlocal failed, passed
        passed += bool(ok)
        failed += not ok
        print(f"{'ok  ' if ok else 'FAIL'}  serialization: {what}", flush=True)

    for way in "plug-in", "v2":
        with tempfile.TemporaryDirectory() as parent:
            directory = os.path.join(parent, "cache")
            plain = start(way, library, "")
            first = start(way, library, directory)
            files = list(pathlib.Path(directory).iterdir())
            check(first == plain and len(plain) > 0, f"{way}: first start: same bits")
            check(len(files) == 1 and files[0].name.startswith("digits_")
                  and stat.S_IMODE(files[0].stat().st_mode) == 0o600
                  and stat.S_IMODE(os.stat(directory).st_mode) == 0o700,
                  f"{way}: one private file, {files[0].stat().st_size} bytes")
            before = files[0].stat()
            second = start(way, library, directory)
            after = files[0].stat()
            check(second == plain, f"{way}: second start: same bits")
            check((before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns),
                  f"{way}: its file was used")
            data = bytearray(files[0].read_bytes())
            good = bytes(data)
            data[len(data) // 2] ^= 1
            files[0].write_bytes(data)
            third = start(way, library, directory)
            check(third == plain, f"{way}: damaged file: same bits")
            check(files[0].read_bytes() == good, f"{way}: and written again")
    print(f"cross-serialization: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5])
    else:
        sys.exit(main())
