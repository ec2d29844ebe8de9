"""Trains the digit classifier and writes golden/digits/: models, test images and labels, samples.

    python3 -m venv venv && venv/bin/pip install -r golden/requirements-train.txt
    venv/bin/python golden/train_digits.py            # about four minutes on two cores

Data: Optical Recognition of Handwritten Digits (UCI), as bundled in scikit-learn: 1797 images of
8x8 pixels, enlarged here to 32x32.  A fixed seed splits them into 898 to train and 899 to test.
Seeds are fixed and TensorFlow's deterministic kernels are on; another machine may still train other
last bits, so the files in the repository are not made again without need.
"""

import argparse
import dataclasses
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
MEAN = STD = 127.5  # defaults of `assay run`

SOURCE = "Optical Recognition of Handwritten Digits, UCI Machine Learning Repository"
LICENCE = "CC BY 4.0"


# ---- data ----


def enlarge(images, side):
    """Resizes [n, h, w] to [n, side, side], bilinearly, with half-pixel centres and repeated edges."""

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


# ---- quantization-aware training ----


def fold(model):
    """Returns kernel and bias of each convolution, with its batch normalization folded in, and of the
    last layer."""
    layers = tf.keras.layers
    kinds = (layers.Conv2D, layers.DepthwiseConv2D, layers.Dense)
    kernels = [layer for layer in model.layers if isinstance(layer, kinds)]
    norms = [layer for layer in model.layers if isinstance(layer, layers.BatchNormalization)]
    folded = []
    for layer, norm in zip(kernels, norms + [None]):
        kernel = layer.kernel.numpy().astype(np.float64)
        if norm is None:
            folded.append((kernel, layer.bias.numpy().astype(np.float64)))
            continue
        gamma, beta, mean, variance = (v.astype(np.float64) for v in norm.get_weights())
        factor = gamma / np.sqrt(variance + norm.epsilon)
        depthwise = isinstance(layer, layers.DepthwiseConv2D)
        folded.append((kernel * (factor[:, None] if depthwise else factor), beta - mean * factor))
    assert len(kernels) == len(norms) + 1 == 2 + 2 * len(BLOCKS)
    return [(kernel.astype(np.float32), bias.astype(np.float32)) for kernel, bias in folded]


class Ranges:
    """The range of each 8-bit tensor: a moving average of the ranges that it had."""

    DECAY = 0.98

    def __init__(self):
        self.low, self.high = {}, {}
        self.watch = True

    def of(self, name, x):
        if name not in self.low:
            self.low[name] = tf.Variable(0.0, trainable=False)
            self.high[name] = tf.Variable(0.0, trainable=False)
        low, high = self.low[name], self.high[name]
        if self.watch:
            least = tf.minimum(tf.reduce_min(x), 0.0)
            most = tf.maximum(tf.reduce_max(x), 0.0)
            first = tf.equal(high - low, 0.0)
            low.assign(tf.where(first, least, self.DECAY * low + (1 - self.DECAY) * least))
            high.assign(tf.where(first, most, self.DECAY * high + (1 - self.DECAY) * most))
        return low, high

    def frozen(self):
        """Returns the ranges as numbers, which become constants of the converted graph."""
        fixed = Ranges()
        fixed.watch = False
        fixed.low = {name: float(v.numpy()) for name, v in self.low.items()}
        fixed.high = {name: float(v.numpy()) for name, v in self.high.items()}
        return fixed


def fake_quantized(x, low, high, narrow=False):
    if isinstance(low, float):
        return tf.quantization.fake_quant_with_min_max_args(x, low, high, 8, narrow)
    return tf.quantization.fake_quant_with_min_max_vars(x, low, high, 8, narrow)


def rounded_weights(kernel):
    """Rounds weights to the 255 steps between the least and the largest of the tensor."""
    if isinstance(kernel, np.ndarray):
        low, high = float(min(kernel.min(), 0)), float(max(kernel.max(), 0))
    else:
        low = tf.stop_gradient(tf.minimum(tf.reduce_min(kernel), 0.0))
        high = tf.stop_gradient(tf.maximum(tf.reduce_max(kernel), 0.0))
    return fake_quantized(tf.convert_to_tensor(kernel), low, high, narrow=True)


def quantized_logits(image, weights, ranges):
    """The network of build() with every tensor rounded to 8 bits."""
    layers = iter(weights)

    def rounded(name, x):
        return fake_quantized(x, *ranges.of(name, x))

    def convolution(name, x, activation, stride=None):
        kernel, bias = next(layers)
        kernel = rounded_weights(kernel)
        if stride == 2:
            x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
        if stride:
            padding = "VALID" if stride == 2 else "SAME"
            y = tf.nn.depthwise_conv2d(x, kernel, [1, stride, stride, 1], padding)
        else:
            y = tf.nn.conv2d(x, kernel, 1, "SAME")
        y = tf.nn.bias_add(y, bias)
        return rounded(name, tf.nn.relu6(y) if activation else y)

    x = convolution("stem", image, True)
    for i, (channels, stride) in enumerate(BLOCKS):
        same_shape = stride == 1 and x.shape[-1] == channels
        y = convolution(f"depthwise_{i}", x, True, stride)
        y = convolution(f"pointwise_{i}", y, not same_shape)
        x = rounded(f"sum_{i}", tf.nn.relu6(x + y)) if same_shape else y
    x = rounded("pool", tf.reduce_mean(x, [1, 2]))
    kernel, bias = next(layers)
    return rounded("logits", tf.nn.bias_add(tf.matmul(x, rounded_weights(kernel)), bias))


def train_quantized(model, pixels, labels, epochs):
    """Continues training with rounded weights and tensors; returns weights and ranges."""
    rng = np.random.default_rng(SEED + 1)
    weights = [(tf.Variable(kernel), tf.Variable(bias)) for kernel, bias in fold(model)]
    ranges = Ranges()
    batch = 32
    steps = epochs * (len(pixels) // batch)
    variables = [v for pair in weights for v in pair]
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.CosineDecay(2e-4, steps))
    optimizer.build(variables)

    def step(image, label):
        with tf.GradientTape() as tape:
            logits = quantized_logits(image, weights, ranges)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(label, logits)
            loss = tf.reduce_mean(losses)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    quantized_logits(to_input(pixels[:batch]), weights, ranges)  # makes the variables of the ranges
    compiled = tf.function(step)
    padded = np.pad(pixels, ((0, 0), (4, 4), (4, 4), (0, 0)))
    for epoch in range(epochs):
        order = rng.permutation(len(pixels))
        shifts = rng.integers(0, 9, (len(pixels), 2))
        moved = np.stack(
            [padded[i, y : y + SIDE, x : x + SIDE] for i, (y, x) in zip(order, shifts)]
        )
        losses = [
            compiled(to_input(moved[at : at + batch]), labels[order[at : at + batch]].astype(np.int32))
            for at in range(0, len(pixels) - batch + 1, batch)
        ]
        print(f"quantized epoch {epoch + 1}: loss {np.mean([float(x) for x in losses]):.4f}", flush=True)
    return [(kernel.numpy(), bias.numpy()) for kernel, bias in weights], ranges.frozen()


# ---- conversion ----


def freeze(model):
    """Returns a function whose weights are constants: given a Keras model with a function, the
    converter may write a file without weights."""
    function = tf.function(lambda image: {"probabilities": model(image, training=False)})
    spec = tf.TensorSpec((1, SIDE, SIDE, 1), tf.float32, name="image")
    return convert_variables_to_constants_v2(function.get_concrete_function(spec))


def convert_f32(trained):
    return tf.lite.TFLiteConverter.from_concrete_functions([trained.frozen]).convert()


def convert_f16(trained):
    """Converts with float16 weights, each behind a DEQUANTIZE."""
    converter = tf.lite.TFLiteConverter.from_concrete_functions([trained.frozen])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.target_spec.supported_types = [tf.float16]
    return converter.convert()


def convert_dynamic(trained):
    """Converts with large weights in int8, a scale for each channel, and all else in float32."""
    converter = tf.lite.TFLiteConverter.from_concrete_functions([trained.frozen])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    return converter.convert()


def convert_i8(trained):
    """Converts all to int8, input and output too, after training; 100 images give the ranges."""
    converter = tf.lite.TFLiteConverter.from_concrete_functions([trained.frozen])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([image[None]] for image in to_input(trained.pixels[:100]))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def convert_u8(trained):
    """Converts all to uint8, as trained, with one scale for each tensor and ops of version 1, as the
    first converters of quantized models did."""
    weights, ranges = trained.quantized
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        image = tf.compat.v1.placeholder(tf.float32, (1, SIDE, SIDE, 1), "image")
        answer = tf.nn.softmax(quantized_logits(image, weights, ranges), name="probabilities")
        converter = tf.compat.v1.lite.TFLiteConverter.from_session(session, [image], [answer])
        converter.inference_type = tf.uint8
        converter.quantized_input_stats = {"image": (MEAN, STD)}
        return converter.convert()


# Name of the file to the conversion.
KINDS = {
    "f32": convert_f32,
    "f16": convert_f16,
    "dynamic": convert_dynamic,
    "i8": convert_i8,
    "u8": convert_u8,
}


@dataclasses.dataclass
class Trained:
    frozen: object  # the float network
    quantized: tuple  # weights and ranges
    pixels: np.ndarray  # of the training part


def answers(tflite, pixels):
    """Returns the answers of the plain reference kernels, as floats."""
    resolver = tf.lite.experimental.OpResolverType.BUILTIN_REF
    interpreter = tf.lite.Interpreter(
        model_content=tflite, experimental_op_resolver_type=resolver
    )
    interpreter.allocate_tensors()
    at = interpreter.get_input_details()[0]["index"]
    out = interpreter.get_output_details()[0]["index"]
    kind = interpreter.get_input_details()[0]["dtype"]
    # As in `assay run`: u8 takes pixels, i8 pixels minus 128, f32 scaled ones.
    convert = {
        np.uint8: lambda p: p,
        np.int8: lambda p: (p.astype(np.int16) - 128).astype(np.int8),
        np.float32: to_input,
    }[kind]
    scale, zero_point = interpreter.get_output_details()[0]["quantization"]
    rows = []
    for image in convert(pixels):
        interpreter.set_tensor(at, image[None])
        interpreter.invoke()
        row = interpreter.get_tensor(out)[0]
        rows.append(row if row.dtype == np.float32 else (row.astype(np.float32) - zero_point) * np.float32(scale))
    return np.stack(rows).astype(np.float32)


# ---- files ----


def new_file(path):
    """Opens a file in a format that older HDF5 libraries read, without times, so that its bytes
    depend on the data only."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_obj_track_times(False)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    return h5py.File(h5py.h5f.create(os.fsencode(path), h5py.h5f.ACC_TRUNC, creation, access))


def write_images(path, pixels, labels):
    with new_file(path) as f:
        f.attrs["title"] = "digits: the test part, 899 images of 32x32 pixels"
        f.attrs["source"] = SOURCE + ", as bundled in scikit-learn"
        f.attrs["licence"] = LICENCE
        f.attrs["licence_url"] = "https://creativecommons.org/licenses/by/4.0/"
        f.attrs["changes"] = "8x8 pixels of 0..16 scaled to 0..255 and enlarged to 32x32, bilinear"
        f.attrs["split"] = f"train_test_split(train_size=898, random_state={SEED}, stratify=target)"
        options = dict(compression="gzip", compression_opts=9, shuffle=True, fletcher32=True)
        f.create_dataset("images", data=pixels, chunks=(64, SIDE, SIDE, 1), track_times=False, **options)
        f.create_dataset("labels", data=labels, track_times=False)


def write_answers(path, scores):
    """Writes the answers of the real runtime, but for dynamic range, where it rounds activations."""
    with new_file(path) as f:
        f.attrs["title"] = "digits: scores of the classes, for each image of digits.h5"
        f.attrs["runtime"] = "tensorflow.lite"
        f.attrs["runtime_version"] = tf.__version__
        f.attrs["resolver"] = "BUILTIN_REF"
        options = dict(compression="gzip", compression_opts=9, shuffle=True, fletcher32=True)
        for kind, rows in scores.items():
            f.create_dataset(kind, data=rows, chunks=rows.shape, track_times=False, **options)


def write_samples(folder, pixels, labels):
    """Writes one image of each class, the first of the test part, for `assay run`."""
    for digit in range(10):
        image = pixels[np.flatnonzero(labels == digit)[0]]
        (folder / f"{digit}.png").write_bytes(tf.io.encode_png(image).numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "digits")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--quantized-epochs", type=int, default=10)
    args = parser.parse_args()

    train_x, test_x, train_y, test_y = load()
    assert len(train_x) == 898 and len(test_x) == 899
    model = train(train_x, train_y, args.epochs)
    print(f"{model.count_params()} parameters")
    quantized = train_quantized(model, train_x, train_y, args.quantized_epochs)
    trained = Trained(freeze(model), quantized, train_x)
    args.out.mkdir(parents=True, exist_ok=True)
    scores = {}
    for kind, convert in KINDS.items():
        tflite = convert(trained)
        rows = answers(tflite, test_x)
        if kind != "dynamic":
            scores[kind] = rows
        accuracy = float((rows.argmax(1) == test_y).mean())
        print(f"digits_{kind}.tflite: {len(tflite)} bytes, top-1 {accuracy:.4f}")
        if accuracy < 0.97:
            raise SystemExit(f"top-1 of {kind} is {accuracy:.4f}, expected 0.97")
        (args.out / f"digits_{kind}.tflite").write_bytes(tflite)
    write_images(args.out / "digits.h5", test_x, test_y)
    write_answers(args.out / "answers.h5", scores)
    write_samples(args.out, test_x, test_y)
    (args.out / "labels.txt").write_text("".join(f"{d}\n" for d in range(10)))


if __name__ == "__main__":
    main()
