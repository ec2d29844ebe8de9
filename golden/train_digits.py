"""Trains the digit classifier and writes golden/digits/: models, test images and labels, samples.

    python3 -m venv venv && venv/bin/pip install -r golden/requirements-train.txt
    venv/bin/python golden/train_digits.py            # about two minutes on two cores

Data: Optical Recognition of Handwritten Digits (UCI), as bundled in scikit-learn: 1797 images of
8x8 pixels, enlarged here to 32x32.  A fixed seed splits them into 898 to train and 899 to test.
Seeds are fixed and TensorFlow's deterministic kernels are on; still, another machine may train
other last bits, so the committed files are what counts.
"""

import argparse
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import h5py
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

SEED = 7
SIDE = 32
MEAN = STD = 127.5  # what `assay run` uses when told nothing else

SOURCE = "Optical Recognition of Handwritten Digits, UCI Machine Learning Repository"
LICENCE = "CC BY 4.0"


# ---- data ----


def enlarge(images, side):
    """Bilinear with half-pixel centres, edges repeated.  [n, h, w] to [n, side, side]."""

    def matrix(n):
        m = np.zeros((side, n))
        for i in range(side):
            at = min(max((i + 0.5) * n / side - 0.5, 0), n - 1)
            low = int(at)
            high = min(low + 1, n - 1)
            m[i, low] += 1 - (at - low)
            m[i, high] += at - low
        return m

    return np.einsum("ah,nhw,bw->nab", matrix(images.shape[1]), images, matrix(images.shape[2]))


def load():
    digits = load_digits()
    pixels = enlarge(digits.images * (255 / 16), SIDE)
    pixels = np.floor(pixels + 0.5).clip(0, 255).astype(np.uint8)[..., None]
    return train_test_split(
        pixels, digits.target.astype(np.uint8), train_size=898, random_state=SEED, stratify=digits.target
    )


def to_input(pixels):
    return (pixels.astype(np.float32) - np.float32(MEAN)) / np.float32(STD)


# ---- network ----

# Depthwise-separable blocks: output channels, stride.
BLOCKS = [(32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (128, 1), (128, 1), (256, 2), (256, 1)]


def separable(x, channels, stride):
    layers = tf.keras.layers
    same_shape = stride == 1 and x.shape[-1] == channels
    y = x
    if stride == 2:  # a pixel on each side is not SAME here: it stays a PAD before a VALID window
        y = layers.ZeroPadding2D(1)(y)
    y = layers.DepthwiseConv2D(
        3, strides=stride, padding="valid" if stride == 2 else "same", use_bias=False
    )(y)
    y = layers.BatchNormalization()(y)
    y = layers.ReLU(6.0)(y)
    y = layers.Conv2D(channels, 1, use_bias=False)(y)
    y = layers.BatchNormalization()(y)
    if same_shape:  # ADD, then RELU6
        y = layers.Add()([x, y])
    return layers.ReLU(6.0)(y)


def build():
    layers = tf.keras.layers
    x = inputs = layers.Input((SIDE, SIDE, 1), batch_size=None, name="image")
    x = layers.Conv2D(16, 3, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU(6.0)(x)
    for channels, stride in BLOCKS:
        x = separable(x, channels, stride)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.2)(x)
    x = layers.Dense(10)(x)
    return tf.keras.Model(inputs, layers.Softmax(name="probabilities")(x))


def train(pixels, labels, epochs):
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    rng = np.random.default_rng(SEED)
    model = build()
    batch = 32
    steps = epochs * (len(pixels) // batch)
    rate = tf.keras.optimizers.schedules.CosineDecay(3e-3, steps)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(rate),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    padded = np.pad(pixels, ((0, 0), (4, 4), (4, 4), (0, 0)))
    for epoch in range(epochs):
        order = rng.permutation(len(pixels))
        shifts = rng.integers(0, 9, (len(pixels), 2))
        moved = np.stack(
            [padded[i, y : y + SIDE, x : x + SIDE] for i, (y, x) in zip(order, shifts)]
        )
        result = model.fit(
            to_input(moved), labels[order], batch_size=batch, epochs=1, shuffle=False, verbose=0
        )
        print(f"epoch {epoch + 1}: accuracy {result.history['accuracy'][0]:.4f}", flush=True)
    return model


# ---- conversion ----


def freeze(model):
    """A function whose weights are constants: a converter that is given a Keras model together with
    a function may write a file without weights."""
    function = tf.function(lambda image: {"probabilities": model(image, training=False)})
    spec = tf.TensorSpec((1, SIDE, SIDE, 1), tf.float32, name="image")
    return convert_variables_to_constants_v2(function.get_concrete_function(spec))


def convert_f32(frozen):
    return tf.lite.TFLiteConverter.from_concrete_functions([frozen]).convert()


def convert_f16(frozen):
    """Weights in float16, each behind a DEQUANTIZE."""
    converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_types = [tf.float16]
    return converter.convert()


# Name of the file to the conversion; the 8-bit kinds join this table.
KINDS = {"f32": convert_f32, "f16": convert_f16}


def top1(tflite, pixels, labels):
    """With the plain reference kernels."""
    resolver = tf.lite.experimental.OpResolverType.BUILTIN_REF
    interpreter = tf.lite.Interpreter(
        model_content=tflite, experimental_op_resolver_type=resolver
    )
    interpreter.allocate_tensors()
    at = interpreter.get_input_details()[0]["index"]
    out = interpreter.get_output_details()[0]["index"]
    right = 0
    for image, label in zip(to_input(pixels), labels):
        interpreter.set_tensor(at, image[None])
        interpreter.invoke()
        right += int(interpreter.get_tensor(out).argmax() == label)
    return right / len(labels)


# ---- files ----


def write_images(path, pixels, labels):
    # Older HDF5 libraries read this format too; no times, so that the bytes depend on the data only.
    with h5py.File(path, "w", libver=("v110", "v110")) as f:
        f.attrs["title"] = "digits: the test part, 899 images of 32x32 pixels"
        f.attrs["source"] = SOURCE + ", as bundled in scikit-learn"
        f.attrs["licence"] = LICENCE
        f.attrs["licence_url"] = "https://creativecommons.org/licenses/by/4.0/"
        f.attrs["changes"] = "8x8 pixels of 0..16 scaled to 0..255 and enlarged to 32x32, bilinear"
        f.attrs["split"] = f"train_test_split(train_size=898, random_state={SEED}, stratify=target)"
        options = dict(compression="gzip", compression_opts=9, shuffle=True, fletcher32=True)
        f.create_dataset("images", data=pixels, chunks=(64, SIDE, SIDE, 1), track_times=False, **options)
        f.create_dataset("labels", data=labels, track_times=False)


def write_samples(folder, pixels, labels):
    """One image of each class, for `assay run`: the first of the test part."""
    for digit in range(10):
        image = pixels[np.flatnonzero(labels == digit)[0]]
        (folder / f"{digit}.png").write_bytes(tf.io.encode_png(image).numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "digits")
    parser.add_argument("--epochs", type=int, default=40)
    args = parser.parse_args()

    train_x, test_x, train_y, test_y = load()
    assert len(train_x) == 898 and len(test_x) == 899
    model = train(train_x, train_y, args.epochs)
    print(f"{model.count_params()} parameters")
    frozen = freeze(model)
    args.out.mkdir(parents=True, exist_ok=True)
    for kind, convert in KINDS.items():
        tflite = convert(frozen)
        accuracy = top1(tflite, test_x, test_y)
        print(f"digits_{kind}.tflite: {len(tflite)} bytes, top-1 {accuracy:.4f}")
        if accuracy < 0.97:
            raise SystemExit(f"top-1 of {kind} is {accuracy:.4f}, want 0.97")
        (args.out / f"digits_{kind}.tflite").write_bytes(tflite)
    write_images(args.out / "digits.h5", test_x, test_y)
    write_samples(args.out, test_x, test_y)
    (args.out / "labels.txt").write_text("".join(f"{d}\n" for d in range(10)))


if __name__ == "__main__":
    main()
