/* assay eval: the accuracy of a model at its task, and how much of it a subject loses. */

#include "conformance/tools/cli/commands.h"

#define SHARED                                                                                     \
    "Each image is decoded, run on the subject and on the scalar reference, or whom --reference "  \
    "names, in as many processes as --jobs says.  Images that cannot be read are left out, "       \
    "counted and named; one that a side crashes or hangs on fails the run.  Ctrl-C prints what "   \
    "was found so far; with --resume=FILE the same command goes on from there.\n\n"                \
    "Exit code 1: an image failed, images are missing, or the first metric is below that of the "  \
    "reference by more than --max-drop.  conformance/doc/EVAL.md of the source has formats and "   \
    "arithmetic."

static const struct command parts[] = {
    {
        .name = "eval imagenet",
        .summary = "top-1 to top-10 of a classifier on a folder of images",
        .synopsis = "MODEL --images=DIR --ground-truth=FILE [FLAG]...",
        .description =
            "Runs a classifier over a folder of images, by default as TensorFlow Lite's tool for "
            "ILSVRC 2012 does: the central square of 0.875 of the shorter side, bilinear resize, "
            "u8 pixels, i8 pixels less 128, floats (pixel - 127.5) / 127.5.  --preprocess=whole "
            "--crop=0 is that of `assay run`.  Prints top-1 to top-10, the difference to the "
            "reference with an interval of 95 %, and on how many images both have the same best "
            "class.\n\n" SHARED,
        .examples =
            "  assay eval imagenet mobilenet.tflite --images=val --ground-truth=truth.txt \\\n"
            "      --labels=labels.txt --max-drop=0.5%\n"
            "  assay eval imagenet mobilenet.tflite --images=val --ground-truth=val.txt \\\n"
            "      --label-offset=1 --delegate-option=precision=fp16 --resume=answers.jsonl\n"
            "  assay eval imagenet digits.tflite --images=digits --ground-truth=truth.txt \\\n"
            "      --preprocess=whole --crop=0 --results=rows.csv\n",
        .suffix = ".tflite",
        .run = eval_imagenet_run,
    },
    {
        .name = "eval coco",
        .summary = "average precision of a detector, or of a file of detections",
        .synopsis = "MODEL --images=DIR --ground-truth=FILE [FLAG]...",
        .description =
            "Prints the twelve figures of pycocotools for boxes, and the average precision of each "
            "class.  The model ends in TFLite_Detection_PostProcess: boxes, classes, scores, "
            "count.  With --detections=FILE nothing is run, and a file of results is judged, "
            "beside "
            "one of --reference-detections.\n\n" SHARED,
        .examples = "  assay eval coco ssd.tflite --images=val2017 --ground-truth=instances.json\n"
                    "  assay eval coco --ground-truth=instances.json --detections=results.json\n"
                    "  assay eval coco --ground-truth=instances.json --detections=gpu.json \\\n"
                    "      --reference-detections=cpu.json --max-drop=0.5%\n",
        .suffix = ".tflite",
        .run = eval_coco_run,
    },
    {
        .name = "eval segmentation",
        .summary = "mIoU of a model that gives a class to each pixel",
        .synopsis = "MODEL --images=DIR --masks=DIR [FLAG]...",
        .description =
            "Prints the mean intersection over union, that of each class, and the share of right "
            "pixels, at the size of the masks: PNG files of labels, as palette indices or grey "
            "levels.  255 does not count.\n\n" SHARED,
        .examples = "  assay eval segmentation deeplab.tflite --images=JPEGImages \\\n"
                    "      --masks=SegmentationClass --labels=voc.txt\n"
                    "  assay eval segmentation deeplab.tflite --images=images --masks=masks \\\n"
                    "      --max-drop=0.2% --format=json --out=eval.json\n",
        .suffix = ".tflite",
        .run = eval_segmentation_run,
    },
    {
        .name = "eval llm",
        .summary = "logits of a language model over a text, token by token",
        .synopsis = "MODEL --tokens=FILE [FLAG]...",
        .description =
            "Runs the signature decode (or --signature) at each token of the file on the scalar "
            "reference, which keeps the caches, and on the subject, from the same caches.  Each "
            "logit and each element of the caches is held to the limits of the ops before it, "
            "added up; prints on how many positions both have the same best token, with an "
            "interval of 95 %, the distance of the distributions (KL), the perplexity of both, and "
            "the first position out of bounds with the node that it comes from.\n\n"
            "Exit code 1: a position is out of bounds, crashed or missing, or more positions than "
            "--max-drop have another best token.  Ctrl-C prints what was found so far; with "
            "--resume=FILE the same command goes on from there.",
        .examples = "  assay zoo decoder -o decoder.tflite\n"
                    "  assay eval llm decoder.tflite --tokens=text.txt\n"
                    "  assay eval llm decoder.tflite --tokens=text.txt --max-drop=0.5% \\\n"
                    "      --delegate-option=precision=fp16 --resume=rows.jsonl\n",
        .suffix = ".tflite",
        .run = eval_llm_run,
    },
};

const struct command command_eval = {
    .name = "eval",
    .summary = "measure the accuracy of a model at its task",
    .synopsis = "imagenet|coco|segmentation|llm MODEL [FLAG]...",
    .description =
        "Runs a model over images whose truth is known, or over a text, on a subject and "
        "on the scalar reference, and prints the figures that the field uses for its "
        "task.",
    .examples = "  assay eval imagenet mobilenet.tflite --images=val --ground-truth=truth.txt\n"
                "  assay eval coco ssd.tflite --images=val2017 --ground-truth=instances.json\n"
                "  assay eval segmentation deeplab.tflite --images=images --masks=masks\n"
                "  assay eval llm decoder.tflite --tokens=text.txt\n"
                "  assay eval imagenet --help\n",
    .parts = parts,
    .part_count = sizeof parts / sizeof parts[0],
    .run = parts_run,
};
