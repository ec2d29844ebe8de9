"""Assay's GPU delegate on Vulkan, for the TensorFlow Lite (LiteRT) that is installed.

    import assay
    from ai_edge_litert.interpreter import Interpreter

    gpu = assay.load_delegate(precision="fp16")
    model = Interpreter("model.tflite", experimental_delegates=[gpu])

The conformance suite is the command `assay`, or `python -m assay`.
"""

import ctypes
import importlib
import importlib.util
import os
import sys

__version__ = "@VERSION@"
__all__ = ["accelerator_dir", "delegate_path", "load_delegate", "program_path", "__version__"]

_HERE = os.path.dirname(os.path.abspath(__file__))
# Hosts in the order of preference: the package, and the module of its load_delegate.
_HOSTS = {
    "ai_edge_litert": "ai_edge_litert.interpreter",
    "tflite_runtime": "tflite_runtime.interpreter",
    "tensorflow": "tensorflow.lite.experimental",
}
_LOADER = "libvulkan.so.1"


def delegate_path():
    """The path of libassay_delegate.so, for a host's own load_delegate()."""
    return os.path.join(_HERE, "lib", "assay", "libassay_delegate.so")


def accelerator_dir():
    """The directory of libLiteRtGpuAccelerator.so, as runtime_path of LiteRT's EnvironmentOptions."""
    return os.path.join(_HERE, "lib", "assay", "litert")


def program_path():
    """The path of the program behind the command `assay`."""
    return os.path.join(_HERE, "bin", "assay")


def load_delegate(host=None, **options):
    """Loads the delegate into a TensorFlow Lite, for Interpreter(experimental_delegates=[...]).

    host is "ai_edge_litert", "tflite_runtime" or "tensorflow", or a module with a function
    load_delegate(path, options).  By default it is the one that is imported, else the first one
    installed.  The Interpreter must be of the same host.

    The options are those of the delegate, such as precision="fp16", quantized="exact" or device=1;
    True and False are 1 and 0.

    Raises ImportError without a host, OSError without the Vulkan loader, and ValueError where the
    delegate refuses an option or finds no Vulkan device that it can use.
    """
    load = _load_delegate_of(host)
    texts = {name: _text_of(name, value) for name, value in options.items()}
    _require_vulkan()
    return load(delegate_path(), texts)


def _text_of(name, value):
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (str, int, float, os.PathLike)):
        return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    raise TypeError(
        f"assay.load_delegate: option {name}: expected text or a number, got {type(value).__name__}"
    )


def _load_delegate_of(host):
    if host is None:
        host = _find_host()
    if isinstance(host, str):
        if host not in _HOSTS:
            raise ValueError(
                f"assay.load_delegate: host {host!r}: expected one of {', '.join(_HOSTS)}, "
                "or a module"
            )
        if host == "tensorflow":
            host = importlib.import_module(host).lite.experimental
        else:
            host = importlib.import_module(_HOSTS[host])
    load = getattr(host, "load_delegate", None)
    if not callable(load):
        raise TypeError(f"assay.load_delegate: host {host!r} has no function load_delegate")
    return load


def _find_host():
    for name, module in _HOSTS.items():
        if module in sys.modules or (name == "tensorflow" and name in sys.modules):
            return name
    for name in _HOSTS:
        if importlib.util.find_spec(name):
            return name
    raise ImportError(
        "assay.load_delegate: no TensorFlow Lite is installed: expected one of "
        f"{', '.join(_HOSTS)}; for instance: pip install ai-edge-litert"
    )


def _require_vulkan():
    try:
        ctypes.CDLL(_LOADER)
    except OSError as error:
        raise OSError(
            f"assay.load_delegate: the Vulkan loader is missing ({error}): install libvulkan1 "
            "(Debian, Ubuntu) or vulkan-loader (Fedora), and a Vulkan driver"
        ) from error
