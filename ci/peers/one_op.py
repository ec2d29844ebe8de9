"""Writes a .tflite model of one op with seeded weights, by `assay model`."""
import subprocess


def write(assay, path, op, size, channels):
    """One op on [1, size, size, channels]: CONV_2D to as many channels, DEPTHWISE_CONV_2D, both 3x3
    with SAME padding, or ADD of two inputs."""
    x, c = f"x:f32[1,{size},{size},{channels}]", channels
    text = {
        "ADD": f"ADD {{}} {x} x2{x[1:]} -> y",
        "CONV_2D": f"CONV_2D {{stride_w=1 stride_h=1}} {x} f32[{c},3,3,{c}]=~1 f32[{c}]=~2 -> y",
        "DEPTHWISE_CONV_2D": "DEPTHWISE_CONV_2D {stride_w=1 stride_h=1 depth_multiplier=1} "
                             f"{x} f32[1,3,3,{c}]=~1 f32[{c}]=~2 -> y",
    }[op]
    subprocess.run([assay, "model", "--model=" + text, "-o", path], check=True)
