/* The text form of models: what texts say, what is wrong with them, and every allocation failing
 * once. */
#include "reference/tests/kit/test.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/text/edit.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status read_text(const char *text, struct tflite_file *file, struct diag *diag)
{
    const struct model_text source = { .text = text, .count = strlen(text) };

    return model_text_read(&source, file, diag);
}

/* Writes the model of a text as a text again, with an edit unless it is NULL; the caller frees it.
 */
static char *edited(const char *text, const char *edit, bool as_written)
{
    const struct model_text source = { .text = text,
                                       .count = strlen(text),
                                       .as_written = as_written };
    struct model m CLOSED_BY(model_close);
    char *out = NULL;
    FILE *const f = kit_memory_file(&out);

    if (model_text_build(&source, &m, &err) != STATUS_OK)
        fail_msg("%s\n%s", text, err.text);
    if (edit && model_text_edit(&m, edit, &err) != STATUS_OK)
        fail_msg("%s\n%s", edit, err.text);
    if (text_write(f, &m, NULL, &err) != STATUS_OK)
        fail_msg("%s\n%s", text, err.text);
    fclose(f);
    return out;
}

static char *again(const char *text, bool as_written)
{
    return edited(text, NULL, as_written);
}

/* What a text says, in the words of the writer; NULL: the text itself, which need not be legal. */
static const struct {
    const char *text, *means;
} meanings[] = {
    { "RELU x:f32[1,4] -> y:f32[1,4]\n", NULL },
    { "RELU f32[1,4] -> f32[1,4]\n", NULL },
    { "# a comment\n\n  RELU x:f32[1,4] \\\n  -> y # and one more\n;;",
      "RELU x:f32[1,4] -> y:f32[1,4]\n" },
    { "ADD {fused_activation_function=RELU6} a:f32[1,3] f32[3]=1,2.5 -> y\n",
      "ADD {fused_activation_function=RELU6} a:f32[1,3] f32[3]=1,2.5,2.5 -> y:f32[1,3]\n" },
    { "ADD AddOptions{pot_scale_int16=0} x:f32[2] x -> y",
      "ADD {pot_scale_int16=false} x:f32[2] x -> y:f32[2]\n" },
    { "RELU x:f32[2] -> y:f32[2]; RELU x -> z:f32[2]; outputs z y",
      "RELU x:f32[2] -> y:f32[2]\nRELU x -> z:f32[2]\noutputs z y\n" },
    { "RELU \"a b\\\"\\\\\\x0a\":f32[2] -> a.b/c:f32[2]\n", NULL },
    { "tensors b:f32[2]\ntensors a:f32[2]\nADD {} b a -> y:f32[2]\ninputs a b\n",
      "ADD {} b:f32[2] a:f32[2] -> y:f32[2]\ninputs a b\n" },
    { "tensors b:f32[2] a:f32[2]; SUB {} a b -> y:f32[2]; inputs a b; name body",
      "name body\ntensors b:f32[2]\nSUB {} a:f32[2] b -> y:f32[2]\ninputs a b\n" },
    { "QUANTIZE {} x:f32[3] -> y:i8q(0.5,-3)", "QUANTIZE {} x:f32[3] -> y:i8[3]q(0.5,-3)\n" },
    { "DEQUANTIZE:2 {} i8[2]=-128,127q(0.5|0.25,0|0,0) -> f32[2]; outputs @1",
      "DEQUANTIZE:2 {} i8[2]=-128,127q(0.5|0.25) -> f32[2]\n" },
    { "ADD {} x:f32[4] f32[4]=nan,inf,-0,nan(0x7fc00001) -> y",
      "ADD {} x:f32[4] f32[4]=nan,inf,-0,nan(0x7fc00001) -> y:f32[4]\n" },
    { "ADD {} x:f32[4] f32[4]=0.1 -> y:f32[4]\n", NULL },
    { "ADD {} x:f16[2] f16[2]=0.333,65504 -> y:f16[2]\n",
      "ADD {} x:f16[2] f16[2]=0.33301,65504 -> y:f16[2]\n" },
    { "RESHAPE {new_shape=[-1,2]} x:f32[4] -> y",
      "RESHAPE {new_shape=[-1,2]} x:f32[4] -> y:f32[2,2]\n" },
    { "RESHAPE x:f32[4] i32[2]=2,-1 -> y", "RESHAPE x:f32[4] i32[2]=2,-1 -> y:f32[2,2]\n" },
    { "TRANSPOSE {} x:i8[2,3]q(0.5) i32[2]=1,0 -> y:i8q(0.5)",
      "TRANSPOSE {} x:i8[2,3]q(0.5) i32[2]=1,0 -> y:i8[3,2]q(0.5)\n" },
    { "CAST {in_data_type=f32 out_data_type=i64} x:f32[2] -> y:i64",
      "CAST {out_data_type=i64} x:f32[2] -> y:i64[2]\n" },
    { "SPLIT {num_splits=2} i32[1]=1 x:f32[1,4] -> a b",
      "SPLIT {num_splits=2} i32[1]=1 x:f32[1,4] -> a:f32[1,2] b:f32[1,2]\n" },
    { "CONV_2D:3 {stride_w=1 stride_h=1 padding=VALID} x:i8[1,4,4,2]q(0.5) "
      "i8[3,1,1,2]=1,2,-3,4,5q(0.5|0.5|1,0,0) i32[3]=0q(0.25|0.25|0.5) -> y:i8q(1)",
      "CONV_2D:3 {padding=VALID stride_w=1 stride_h=1} x:i8[1,4,4,2]q(0.5) "
      "i8[3,1,1,2]=1,2,-3,4,5,5q(0.5|0.5|1) i32[3]=0q(0.25|0.25|0.5) -> y:i8[1,4,4,3]q(1)\n" },
    { "DENSIFY {} f32[3,4]=0,1,0,2,0,0,0,0,3,0%(0,1s) -> f32[3,4]\n", NULL },
    { "DENSIFY {} f32[2,8]=0,0,0,0,1,2,3,4,5,0%(0,1s8,1/4) -> f32[2,8]\n", NULL },
    { "DENSIFY {} i8[4,4]=0,0,7,8,0,0,9,0,0q(0.5)%(1s16,0,0/2,1/2) -> d:i8q(0.5)\n",
      "DENSIFY {} i8[4,4]=0,0,7,8,0,0,9,0%(1s16,0,0/2,1/2)q(0.5) -> d:i8[4,4]q(0.5)\n" },
    { "CUSTOM(\"my op\"):2 bytes(0102ff) a:f32[2] - -> b:f32[2]\n", NULL },
    { "CUSTOM(a) flex(k=1 x=true y=0.5) a:f32[2] -> b:f32[2]\n", NULL },
    { "CUSTOM(a) far(00) x:f32[2] -> b:f32[2]\n", NULL },
    { "VAR_HANDLE {container=c shared_name=\"\"} -> v:resource[1]\nREAD_VARIABLE {} v -> "
      "y:f32[2]\n",
      NULL },
    { "WHILE {cond_subgraph_index=1 body_subgraph_index=2} n:i32[1] -> m\ngraph\n"
      "LESS {} n:i32[1] i32[1]=3 -> u4:bool\ngraph; name \"the body\"; ADD {} n:i32[1] i32[1]=1 -> "
      "f32",
      "WHILE {cond_subgraph_index=1 body_subgraph_index=2} n:i32[1] -> m:i32[1]\ngraph\n"
      "LESS {} n:i32[1] i32[1]=3 -> u4:bool[1]\ngraph\nname \"the body\"\n"
      "ADD {} n:i32[1] i32[1]=1 -> f32:i32[1]\n" },
    { "description \"two words\"\nRELU x:f32[1,4]~[-1,4] -> y:f32[1,4]~[-1,4]\n"
      "signature \"serving default\" in=x -> out=y\nmetadata notes=x:6869\n",
      NULL },
    { "ADD {} f32[2] f32[2]=1,2^ -> f32[2]\n", NULL },
    { "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]\nADD {} y f32[2]=&1 -> z:f32[2]\nmetadata m=&1\n",
      NULL },
    { "RELU x:f32[2]q(1)range(-1,1) -> y:f32[2]range(0,6)\n", NULL },
    { "ADD {} x:f32[1,2] f32[2]#64 -> y:f32[1,2]\n", NULL },
    { "tensors s:f32[2]!\nADD {} x:f32[2] s -> y:f32[2]\n", NULL },
    { "ADD {} x:f32[2] x:f32[2] -> y:f32[2]\nSUB {} @0 @1 -> z:f32[2]\n", NULL },
    { "ADD {} x:i64[2] i64[2]=-9223372036854775808,9223372036854775807 -> y:i64[2]\n", NULL },
    { "GATHER {} x:u8[4]q(1) i32[2]=x:0000000001000000 -> y:u8q(1)",
      "GATHER {} x:u8[4]q(1) i32[2]=0,1 -> y:u8[2]q(1)\n" },
    { "UNIDIRECTIONAL_SEQUENCE_LSTM:2 {} a:f32[2] -> b:f32[2] | c:i8[0]q(0.5) d:i8[0]q(0.5)\n",
      NULL },
    { "CAST {} i4[3]=-8,7,-1 -> f32[3]\nCAST {} i2[5]=-2,1,0,-1,1 -> f32[5]\n"
      "CAST {} u4[2,2]=15,0 -> f32[2,2]\n",
      "CAST {} i4[3]=-8,7,-1 -> f32[3]\nCAST {} i2[5]=-2,1,0,-1,1 -> f32[5]\n"
      "CAST {} u4[2,2]=15,0,0,0 -> f32[2,2]\n" },
    { "CAST {} i4[3]=x:2103 -> f32[3]", "CAST {} i4[3]=1,2,3 -> f32[3]\n" },
    { "CAST {} i4[3]=x:2133 -> f32[3]\n", NULL }, /* the last 4 bits are no element */
    { "tensors s:f16[2,2]=0.5,1,2,0.25\nFULLY_CONNECTED {} x:f32[1,8] "
      "i4[2,8]=-8,7blocks(s,4) - -> y:f32[1,2]\n",
      NULL },
    { "code:300:-1 t99[2,1x3] - @7 -> f32[]", "code:300:-1 t99[2,1,1,1] - @7 -> f32[]\n" },
};

TEST(texts_mean_what_they_say)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const char *const means = meanings[i].means ? meanings[i].means : meanings[i].text;
        char *found CLOSED_BY(kit_free) =
            again(meanings[i].text, !meanings[i].means || strstr(means, "code:")),
                    *twice;

        assert_string_equal(found, means);
        twice = again(found, true);
        assert_string_equal(found, twice);
        free(twice);
    }
}

static const struct {
    const char *text, *edit, *means;
} edits[] = {
    { "RELU x:f32[2,3] -> y:f32[2,3]", "in0.dims[1]=5; out0.dims=[2,5]",
      "RELU x:f32[2,5] -> y:f32[2,5]\n" },
    { "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]", "in1.dims=[2,2]",
      "ADD {} x:f32[2] f32[2,2]=1,2,2,2 -> y:f32[2]\n" },
    { "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]", "in1.dims[0]=1",
      "ADD {} x:f32[2] f32[1]=1 -> y:f32[2]\n" },
    { "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]", "in1.type=i64",
      "ADD {} x:f32[2] i64[2]=1,2 -> y:f32[2]\n" },
    { "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]", "in1.data[1]=nan(0x7fc00001)",
      "ADD {} x:f32[2] f32[2]=1,nan(0x7fc00001) -> y:f32[2]\n" },
    { "CAST {} i4[3]=1,2,3 -> y:f32[3]", "in0.data[1]=-8", "CAST {} i4[3]=1,-8,3 -> y:f32[3]\n" },
    { "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]", "in1.data=7; in0.q=(0.5|0.25,1|2,3)",
      "ADD {} x:f32[2]q(0.5|0.25,1|2,3) f32[2]=7 -> y:f32[2]\n" },
    { "ADD {} x:f32[2] k:f32[2]=1,2 -> y:f32[2]", "in1.data=-",
      "ADD {} x:f32[2] k:f32[2] -> y:f32[2]\n" },
    { "ADD {} x:f32[2] z:f32[2] -> y:f32[2]", "in1.data=3",
      "ADD {} x:f32[2] z:f32[2]=3 -> y:f32[2]\n" },
    { "ADD {} x:i8[2]q(1) z:f32[2] -> y:f32[2]", "in0.q=(); in1=in0",
      "tensors x:i8[2]\ntensors z:f32[2]\nADD {} x x -> y:f32[2]\ninputs x z\n" },
    { "RELU x:f32[2] -> y:f32[2]; RELU y -> z:f32[2]", "op1.in0=op0.in0; op1.op=EXP; version=2",
      "RELU:2 x:f32[2] -> y:f32[2]\nEXP x -> z:f32[2]\noutputs z\n" },
    { "ADD {fused_activation_function=RELU} x:f32[2] x -> y:f32[2]", "op=MUL",
      "MUL {fused_activation_function=RELU} x:f32[2] x -> y:f32[2]\n" },
    { "CAST {} i8[3]=-2,1,0 -> y:f32[3]", "in0.type=i2", "CAST {} i2[3]=-2,1,0 -> y:f32[3]\n" },
    { "CAST {} i4[3]=-2,1,0 -> y:f32[3]", "in0.dims=[2]; in0.blocks=(@9,3,0,1)",
      "CAST {} i4[2]=-2,1blocks(@9,3,0,1) -> y:f32[3]\n" },
    { "MEAN {} x:f32[2] i32[1]=0 -> y:f32[1]", "options.keep_dims=true; inputs=1",
      "tensors x:f32[2]\ntensors i32[1]=0\nMEAN {keep_dims=true} x -> y:f32[1]\n" },
    { "MEAN {keep_dims=true} x:f32[2] i32[1]=0 -> y:f32[1]", "options=-; in1=-",
      "tensors x:f32[2]\ntensors i32[1]=0\nMEAN x - -> y:f32[1]\n" },
};

TEST(edits_set_what_they_name)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *found CLOSED_BY(kit_free) = edited(edits[i].text, edits[i].edit, true);

        assert_string_equal(found, edits[i].means);
    }
}

/* Each text, and where and what its error is. */
static const struct {
    const char *text;
    int line, column;
    const char *message;
} faults[] = {
    { "", 1, 1, "expected a statement, found the end of the text" },
    { "RELUX f32[1] -> f32[1]", 1, 1,
      "expected an op, such as CONV_2D, or a statement, found 'RELUX" },
    { "RELU f32[1] -> f32[1]\n\n relu f32[1]", 3, 2, "expected an op" },
    { "RELU f32 -> f32[1]", 1, 6, "no tensor 'f32' before" },
    { "RELU x:f33[1] -> f32[1]", 1, 8, "expected a type, such as f32, found 'f33[1]" },
    { "RELU x -> f32[1]", 1, 6,
      "no tensor 'x' before; a new one has a type and dims, such as x:f32" },
    { "RELU y -> x; RELU x:f32[1] -> y", 1, 6, "no tensor 'y' before" },
    { "ADD {} x:f32[2] z:f32[2] -> y:f32[2]; RELU y -> z; inputs x", 1, 1,
      "tensor 1 'z' is read, and nothing wrote it before" },
    { "RELU x:f32[1,2 -> y", 1, 15, "expected , or ], found ' -> y'" },
    { "RELU x:f32[1,9999999999] -> y", 1, 14, "expected a dim from -2147483648 to 2147483647" },
    { "RELU x:f32[1,a] -> y", 1, 14, "expected a dim" },
    { "CONV_2D {stride=1} x:f32[1]", 1, 10,
      "expected a field of Conv2DOptions, or }, found 'stride=1}" },
    { "CONV_2D Conv3DOptions{} x:f32[1]", 1, 9,
      "expected a table of options, such as Conv2DOptions" },
    { "code:199 {a=1} x:f32[1]", 1, 10, "expected the name of a table of options before the {" },
    { "CONV_2D {padding=SOME} x:f32[1]", 1, 18,
      "expected SAME VALID or a number from -128 to 127, found 'SOME" },
    { "CONV_2D {padding} x:f32[1]", 1, 17, "expected = and a value" },
    { "MEAN {keep_dims=2} x:f32[1]", 1, 17, "expected false true or a number from 0 to 1" },
    { "CAST {in_data_type=f33} x:f32[1]", 1, 20, "expected a type, such as f32, or a number" },
    { "SOFTMAX {beta=x} x:f32[1]", 1, 15, "expected a number, found 'x}" },
    { "RELU x:f32[2] -> y:f32[2] z:f32[2]", 1, 1, "RELU with 2 outputs, expected 1 to 1" },
    { "RELU x:f32[2] y:f32[2] -> z", 1, 1, "RELU with 2 inputs, expected 1 to 1" },
    { "RELU x:f32[2] -> y\nADD {} y a:f32[3] -> z", 2, 1, "ADD: node 1: " },
    { "ADD {} x:f32[2] f32[2]=1,2,3 -> y", 1, 28, "expected at most 2 values, found more" },
    { "ADD {} x:f32[2] f32[2]=one -> y", 1, 24, "expected a number, found 'one" },
    { "ADD {} x:i8[2] i8[2]=128 -> y", 1, 22, "expected an integer from -128 to 127, found '128" },
    { "ADD {} x:f32[2] f32[2]=nan(0x) -> y", 1, 29, "expected bits and ) behind nan(" },
    { "ADD {} x:f32[2] c64[2]=1 -> y", 1, 24,
      "expected x: and bytes, since the type has no numbers" },
    { "CAST {} i4[2]=8 -> f32[2]", 1, 15, "expected an integer from -8 to 7, found '8" },
    { "CAST {} u4[2]=-1 -> f32[2]", 1, 15, "expected an integer from 0 to 15, found '-1" },
    { "CAST {} i2[2]=~1(-3..1) -> f32[2]", 1, 18, "no such numbers: from -3 to 1" },
    { "CAST {} i4[2]=1blocks(s,2) -> f32[2]", 1, 23,
      "expected @ and an index, or a tensor before" },
    { "CAST {} i4[2]=1blocks(@0) -> f32[2]", 1, 25, "expected , and the size of a block" },
    { "CAST {} i4[2]=1blocks(@0,2,1,0,0) -> f32[2]", 1, 31,
      "expected blocks(scales,size,zero_points,dimension)" },
    { "ADD {} x:f32[2] f32[2]=~ -> y", 1, 25, "expected a seed" },
    { "ADD {} x:f32[2] f32[2]=~1(1,0) -> y", 1, 27, "no such numbers: from 1 to 0" },
    { "ADD {} x:i8[2] i8[2]=~1(0,300) -> y", 1, 25, "no such numbers: from 0 to 300" },
    { "ADD {} x:f32[2] f32[2]=~1(1;2) -> y", 1, 28, "expected , or .. and the largest number" },
    { "ADD {} x:f32[2] f32[2]=x:012 -> y", 1, 28, "expected two digits for each byte" },
    { "ADD {} x:f32[2] f32[2]=&1 -> y", 1, 25, "expected a buffer from 1 to 0" },
    { "ADD {} x:f32[2] f32[2]=<0 -> y", 1, 25, "expected a statement `data FILE` before" },
    { "data a.data; RELU x:f32[2] -> y", 1, 6, "a text that is no file has no file beside it" },
    { "ADD {} x:f32[100000,100000] f32[100000,100000]=0 -> y", 1, 29,
      "a constant of more than 1073741824 elements (limit tensor_elements" },
    { "ADD {} x:f32[2] f32[2]#99999999999999 -> y", 1, 24,
      "constants of more than 4294967296 bytes (limit read_bytes;" },
    { "RELU x:f32[2]q(1,2|3) -> y", 1, 22, "2 zero points of 1 scales, expected at most as many" },
    { "RELU x:f32[2]q(1,2,3,4) -> y", 1, 21,
      "expected q(scale|scale,zero_point|zero_point,dimension)" },
    { "RELU f32[2,2]=1%(0,1s -> y", 1, 22, "expected %(dimension" },
    { "RELU f32[2,2]=1%(0,0) -> y", 1, 16, "traversal_order: 0 a second time" },
    { "RELU f32[2,2]=1%(0,1s,1/3) -> y", 1, 16,
      "dense_size: 3, expected a divisor of dimension 1" },
    { "RELU x:f32[2,2]%(0,1s) -> y", 1, 16, "expected a constant with data for each element" },
    { "RELU f32[2,300]=1%(0,1s8) -> y", 1, 18, "more indices than its vectors can count" },
    { "RELU x:f32[2]range(1) -> y", 1, 21, "expected , and the largest numbers" },
    { "RELU x:f32[2] -> y graph", 1, 1, "RELU with 2 outputs" },
    { "RELU \"x:f32[2] -> y", 1, 20, "expected a \" at the end of the name" },
    { "RELU \"\\q\":f32[2] -> y", 1, 7, "expected \\\", \\\\ or \\x01 to \\xff" },
    { "RELU \"\\x00\":f32[2] -> y", 1, 7, "expected \\\", \\\\ or \\x01 to \\xff" },
    { "CUSTOM(a x:f32[2]", 1, 9, "expected ), found ' x:f32[2]'" },
    { "CUSTOM(a) flex(k) x:f32[2]", 1, 17, "expected = and a value" },
    { "CUSTOM(a) flex(k=1 k=2) x:f32[2]", 1, 16, "k" },
    { "CUSTOM(a) bytes(f3f) x:f32[2] -> y", 1, 19, "expected two digits for each byte" },
    { "CUSTOM(a) bytes(f3 x:f32[2] -> y", 1, 19, "expected ), found" },
    { "CUSTOM(a) f32[2] -> y", 1, 21, "expected a type and dims, as the shape that this op gives" },
    { "VAR_HANDLE {} -> v", 1, 18, "expected a type, as in y:f32, where the operator reads no" },
    { "RESHAPE x:f32[4] s:i32[2] -> y", 1, 30,
      "expected a type and dims, as the shape depends on" },
    { "tensors x:f32[2] x:f32[2]; RELU x -> y", 1, 33,
      "several tensors have the name 'x', expected @" },
    { "RELU x:f32[2] -> y; signature", 1, 30, "expected the key of a signature" },
    { "RELU x:f32[2] -> y; signature k in -> out=y", 1, 35, "expected = and a tensor" },
    { "RELU x:f32[2] -> y; metadata m", 1, 31, "expected = and its bytes" },
    { "RELU x:f32[2] -> y; metadata m=1", 1, 32, "expected x: and bytes, < and an offset, or &" },
    { "RELU x:f32[2] -> y:f32[2]; outputs @9", 1, 1, "outputs" },
    { "ADD {} x:f32[2] f32[2]#7 -> y:f32[2]", 1, 17, "7 bytes of data" },
    { "RELU x:f32[-2] -> y:f32[2]", 1, 6, "-2" },
    { "RELU:99 x:f32[2] -> y:f32", 1, 21, "expected a type and dims" },
};

TEST(faults_have_a_place_and_a_reason)
{
    int other = 0;

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct diag diag = { .status = STATUS_OK };
        struct tflite_file file;
        char place[64];

        snprintf(place, sizeof place, "line %d, column %d: ", faults[i].line, faults[i].column);
        if (read_text(faults[i].text, &file, &diag) == STATUS_OK)
            strcpy(diag.text, "none");
        if (strncmp(diag.text, place, strlen(place)) != 0 ||
            !strstr(diag.text, faults[i].message)) {
            print_error("%s\n  expected %s%s\n  found    %s\n", faults[i].text, place,
                        faults[i].message, diag.text);
            other++;
        }
        assert_null(file.bytes);
    }
    assert_int_equal(other, 0);
}

TEST(a_byte_0_is_no_text)
{
    const struct model_text source = { .text = "RELU\0", .count = 5 };
    struct model m;

    assert_int_equal(model_text_build(&source, &m, &err), STATUS_INVALID);
    assert_string_equal(err.text, "line 1, column 5: expected a text, found a byte 0");
}

TEST(seeds_give_the_same_numbers_everywhere)
{
    char *text CLOSED_BY(kit_free) =
        again("ADD {} f32[3] f32[3]=~1 -> f32[3]; ADD {} i8[4] i8[4]=~2 -> i8[4]\n"
              "ADD {} i32[3] i32[3]=~3(5,7) -> i32[3]; ADD {} f32[6] "
              "f32[6]=~5(-2..2) -> f32[6]; ADD {} f16[2] f16[2]=~4(1,1) "
              "-> f16[2]",
              true);

    assert_string_equal(text, "ADD {} f32[3] f32[3]=0.13312304,0.49156344,0.9420054 -> f32[3]\n"
                              "ADD {} i8[4] i8[4]=23,64,24,68 -> i8[4]\n"
                              "ADD {} i32[3] i32[3]=5,7,6 -> i32[3]\n"
                              "ADD {} f32[6] f32[6]=-1,1,-1,-2,-2,-1 -> f32[6]\n"
                              "ADD {} f16[2] f16[2]=1 -> f16[2]\n");
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "name n; description d; CONV_2D {stride_w=1 stride_h=1} x:f32[1,4,4,1]~[-1,4,4,1] "
        "f32[1,1,1,1]=2q(1) f32[1]=~1 -> y; RESHAPE {new_shape=[1,16]} y:f32[1,4,4,1]range(0,1) "
        "-> z:f32; signature k a=x -> b=z; metadata m=x:01; graph; CUSTOM(c) flex(a=1) "
        "x:f32[1] -> y:f32[1]; CAST {} i4[1,2]=1,2blocks(@4,2) -> f32[1,2]; "
        "tensors f16[1,1]=1";
    enum status s = STATUS_NO_MEMORY;
    long after = 0;

    for (; s != STATUS_OK; after++) {
        struct diag diag = { .status = STATUS_OK };
        struct tflite_file file;

        mem_fail_after(after);
        s = read_text(text, &file, &diag);
        mem_fail_after(-1);
        if (s != STATUS_OK && (s != STATUS_NO_MEMORY || !diag.text[0] || file.bytes))
            fail_msg("allocation %ld: %s: %s", after, status_text(s), diag.text);
        mem_free(file.bytes);
    }
    assert_true(after > 100);
}

TEST(long_constants_lie_beside)
{
    static const uint8_t bytes[] = { 9, 9, 9, 9, 0, 0, 128, 63, 0, 0, 0, 64, 7 };
    static const struct {
        const char *text, *means; /* means: of the error, or of the text */
    } rows[] = {
        { "data a.data; ADD {} x:f32[2] f32[2]=<4 -> y",
          "ADD {} x:f32[2] f32[2]=1,2 -> y:f32[2]\n" },
        { "data \"a.data\"; ADD {} x:f32[1,2] f32[2]=<4:8 -> y; metadata m=<12:1",
          "ADD {} x:f32[1,2] f32[2]=1,2 -> y:f32[1,2]\nmetadata m=x:07\n" },
        { "data a.data; ADD {} x:f32[2] f32[2]=<8 -> y",
          "line 1, column 38: bytes 8 to 16, expected to end within the 13 bytes of the file" },
        { "data a.data; metadata m=<1", "line 1, column 27: expected a number of bytes" },
        { "data a.data; data a.data", "line 1, column 19: expected one file beside the text" },
        { "data \"../a.data\"", "line 1, column 6: expected one file beside the text" },
        { "data /etc/passwd",
          "line 1, column 6: expected the name of a file, found '/etc/passwd'" },
        { "data \"/etc/passwd\"", "line 1, column 6: expected one file beside the text" },
        { "data b.data", "line 1, column 6: " },
    };

    scratch_bytes("a.data", bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct model_text source = { rows[i].text, strlen(rows[i].text), scratch("."),
                                           false };
        MEMORY_FILE(f, text);
        struct model m;

        if (model_text_build(&source, &m, &err) != STATUS_OK)
            fputs(err.text, f);
        else
            assert_int_equal(text_write(f, &m, NULL, &err), STATUS_OK);
        fclose(f);
        model_close(&m);
        if (strncmp(text, rows[i].means, strlen(rows[i].means)) != 0)
            fail_msg("%s\n  expected %s\n  found    %s", rows[i].text, rows[i].means, text);
    }
}
