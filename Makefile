# Assay: one Makefile, not recursive.  All output goes under $(B); another configuration is another B:
#     make B=build-asan SANITIZE=address,undefined check
B ?= build
CC ?= cc
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
SANITIZE ?=
# Under sanitizers -O2 -g takes 2.5 times as long to compile.
OPT ?= $(if $(SANITIZE),-O1 -g1,-O2 -g)
WERROR ?=
# Keeps what was compiled, for the next build of the same text; CCACHE=no goes without.
CCACHE ?= $(if $(findstring ccache,$(CC)),,$(shell ccache -s >/dev/null 2>&1 && echo ccache))
COMPILE := $(filter-out no,$(CCACHE)) $(CC)
VERSION := 0.1.0
# Grows with each release that removes or changes an exported symbol of one of the libraries.
SOVERSION := 0
# V=1 prints the commands.
Q := $(if $(V),,@)
say = $(if $(V),,$(info $()  $(1)	$@))

# For scripts that run make: a recipe that names $(MAKE) itself would also run under make -n.
THIS_MAKE := $(MAKE)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

PKG_CONFIG ?= pkg-config
HDF5_PKG := $(shell $(PKG_CONFIG) --exists hdf5-serial 2>/dev/null && echo hdf5-serial || echo hdf5)
PKGS := $(HDF5_PKG) jansson libjpeg libpng libmd
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)
# What program and delegate need together.
ALL_LIBS = $(PKG_LIBS) $(ZLIB) -lvulkan -ldl -lm -lpthread

# zlib unpacks the shaders: linked statically where there is a libz.a, so that the delegate needs
# only libc, libm and libvulkan when it runs.
ZLIB := $(if $(filter /%,$(shell $(CC) -print-file-name=libz.a)),-l:libz.a,-lz)

# Hardening, where the toolchain has it: ci/harden.sh asks.  HARDEN=no goes without.
HARDEN ?= $(if $(SANITIZE)$(COVERAGE_FLAGS),no,yes)
ifeq ($(HARDEN),yes)
HARDEN_CFLAGS := $(shell sh ci/harden.sh cflags '$(CC)' '$(OPT) $(CFLAGS)')
HARDEN_LDFLAGS := $(shell sh ci/harden.sh ldflags '$(CC)')
PIE := -pie
endif

# i386: the registers of the x87 would round twice, and f32 and double results differ.
SSE := $(if $(filter 2,$(shell echo __FLT_EVAL_METHOD__ | $(CC) $(CFLAGS) -E -P - 2>/dev/null)),-msse2 -mfpmath=sse)

# What a newer library calls deprecated (cmocka 2: assert_in_range) stays a warning.
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wundef -Wwrite-strings $(if $(WERROR),-Werror -Wno-error=deprecated-declarations)
# Contraction of a * b + c would make inputs, goldens and references differ between compilers.
CFLAGS_ALL = -std=c11 $(OPT) $(SSE) $(WARNINGS) -ffp-contract=off -fno-math-errno -fPIC \
             -fvisibility=hidden -D_GNU_SOURCE -DASSAY_VERSION='"$(VERSION)"' \
             -I. -I$(B) -Ireference/include -Idelegate/include $(HARDEN_CFLAGS) \
             $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined) \
             $(if $(SANITIZE),-DASSAY_LOCK_ORDER) \
             $(COVERAGE_FLAGS) $(CFLAGS)
LDFLAGS_ALL = $(HARDEN_LDFLAGS) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(COVERAGE_FLAGS) $(LDFLAGS)

# With clang the functions of a sanitizer are in the program, not in the libraries.
NO_UNDEFINED := $(if $(SANITIZE),,-Wl,--no-undefined)

obj = $(patsubst %.c,$(B)/%.o,$(1))

REF_SRC := $(filter-out reference/examples/% reference/tests/%,$(wildcard reference/*/*.c))
GPU_SRC := $(filter-out delegate/examples/% delegate/tests/% delegate/shaders/pack.c, \
             $(wildcard delegate/*/*.c delegate/*/*/*.c))
CONF_SRC := $(filter-out conformance/tests/% conformance/agent/%,$(wildcard conformance/*/*.c conformance/*/*/*.c))
AGENT_SRC := $(wildcard conformance/agent/*.c)
KIT_SRC := $(wildcard reference/tests/kit/*.c delegate/tests/kit/*.c conformance/tests/kit/*.c)
FUZZ_SRC := $(filter-out fuzz/replay.c,$(wildcard fuzz/*.c))
FUZZ_KIT := $(wildcard fuzz/kit/*.c)
FUZZ_TARGETS := $(FUZZ_SRC:fuzz/%.c=%)
SHADERS := $(wildcard delegate/*/*.comp delegate/*/*/*.comp)
HEADERS := $(sort $(shell find reference delegate conformance fuzz -name '*.h'))

REF_OBJ := $(call obj,$(REF_SRC))
# What the delegate shares with the reference: no op, no model.
SHARED_OBJ := $(call obj,$(wildcard reference/base/*.c))
# Sanitizer builds check the order of the delegate's locks; elsewhere only test_lock has the check.
LOCK_ORDER := delegate/base/lock_order.c
GPU_OBJ := $(call obj,$(if $(SANITIZE),$(GPU_SRC),$(filter-out $(LOCK_ORDER),$(GPU_SRC)))) \
           $(B)/delegate/spirv_data.o $(B)/delegate/source_id.o
GIT_TEXT := $(B)/conformance/tools/cli/git_text
CONF_OBJ := $(call obj,$(CONF_SRC)) $(B)/conformance/html_sources.o $(B)/conformance/corpus_packed.o $(GIT_TEXT).o
CONF_LIB_OBJ := $(filter-out $(B)/conformance/tools/cli/main.o $(GIT_TEXT).o,$(CONF_OBJ))

# The delegate is compiled for size, but for what runs over whole tensors or at each inference: such a file
# says "/* Speed: ... */", and "/* Speed, -O3: ... */" where gcc 12 vectorizes its loops only from there on.
QUICK := $(shell grep -l '^/\* Speed' $(GPU_SRC))
$(call obj,$(shell grep -l '^/\* Speed, -O3:' $(REF_SRC) $(GPU_SRC))): OPT += -O3
# No code of the delegate unwinds the stack; debuggers and profilers have .debug_frame with -g.  The linker
# leaves out what only others need, such as half of reference/base.
LEAN := -fno-asynchronous-unwind-tables -fno-unwind-tables -ffunction-sections -fdata-sections
$(call obj,$(QUICK) $(wildcard reference/base/*.c)): SMALL = $(if $(filter -O2,$(OPT)),$(LEAN))
$(call obj,$(filter-out $(QUICK),$(GPU_SRC))): SMALL = $(if $(filter -O2,$(OPT)),-Os $(LEAN))

# What must be installed is checked once for each $(B), before anything that needs it is compiled.
NEED = CC='$(CC)' CFLAGS='$(CFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' sh ci/need.sh
$(B)/has/%: ci/need.sh $(B)/flags
	@$(NEED) $*
	@mkdir -p $(@D) && touch $@
$(GPU_OBJ): | $(B)/has/delegate
$(CONF_OBJ): | $(B)/has/conformance

# LiteRT looks for accelerators by this name, in a directory that the application names.
ACCELERATOR := $(B)/litert/libLiteRtGpuAccelerator.so
all: $(B)/has/delegate $(B)/has/conformance $(B)/assay $(B)/assay-agent $(B)/libassay.so $(B)/libassay_delegate.so $(ACCELERATOR)
all: ## build: build the program, the runtime and the delegate

$(B)/%.o: %.c $(B)/flags
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(CFLAGS_ALL) $(SMALL) -MMD -MP -c -o $@ $< \
	    $(if $(filter conformance/% fuzz/% reference/tests/% delegate/tests/%,$<),$(PKG_CFLAGS))

$(B)/%.o: $(B)/%.c $(B)/flags
	$(call say,CC)
	$(Q)$(COMPILE) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# Changes only when the flags do; everything that is compiled depends on it.
$(B)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL)' >$@

$(B)/libassay.so: $(REF_OBJ)
	$(call say,LINK)
	$(Q)$(CC) -shared -Wl,-soname,libassay.so.$(SOVERSION) $(NO_UNDEFINED) -o $@ $(REF_OBJ) $(LDFLAGS_ALL) -lm -lpthread
	$(Q)ln -sf libassay.so $@.$(SOVERSION)

define link_delegate
	$(call say,LINK)
	$(Q)$(CC) -shared -Wl,-soname,libassay_delegate.so.$(SOVERSION) $(NO_UNDEFINED) -Wl,-z,nodelete \
	    -Wl,-z,noseparate-code,--gc-sections -Wl,--version-script=delegate/api/exports.map -o $@ $(filter %.o,$^) $(LDFLAGS_ALL) \
	    $(ZLIB) -lvulkan -ldl -lm -lpthread
	$(Q)ln -sf libassay_delegate.so $@.$(SOVERSION)
endef
$(B)/libassay_delegate.so: $(GPU_OBJ) $(SHARED_OBJ) delegate/api/exports.map
	$(link_delegate)
# What is installed and packaged: the same, but for how small its shaders are packed.
SHIPPED := $(B)/shipped/libassay_delegate.so
$(SHIPPED): $(GPU_OBJ:$(B)/delegate/spirv_data.o=$(B)/shipped/spirv_data.o) $(SHARED_OBJ) delegate/api/exports.map
	$(link_delegate)

$(ACCELERATOR): $(B)/libassay_delegate.so
	@mkdir -p $(@D)
	$(Q)ln -sf ../libassay_delegate.so $@

# assay finds the delegate beside itself.
$(B)/assay: $(CONF_OBJ) $(REF_OBJ)
	$(call say,LINK)
	$(Q)$(CC) $(PIE) -o $@ $(CONF_OBJ) $(REF_OBJ) $(LDFLAGS_ALL) $(PKG_LIBS) $(ZLIB) -ldl -lm -lpthread

# What runs models for a suite elsewhere, and needs libc, libm and libdl alone.  Of the suite it has
# who runs models; the archive gives what that needs.
AGENT_LIB := $(wildcard $(addprefix conformance/,util/*.c suite/bounds/*.c suite/cases/*.c suite/subject/*.c))
$(B)/agent.a: $(call obj,$(AGENT_LIB)) $(REF_OBJ)
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^
$(B)/assay-agent: $(call obj,$(AGENT_SRC)) $(B)/agent.a
	$(call say,LINK)
	$(Q)$(CC) $(PIE) -o $@ $^ $(LDFLAGS_ALL) -ldl -lm -lpthread $(ATOMIC)
# gcc for riscv64 calls a library for atomic bytes.
ATOMIC := $(if $(filter riscv%,$(shell $(CC) -dumpmachine 2>/dev/null)),-latomic)
agent-sources:
	@echo $(AGENT_SRC) $(AGENT_LIB) $(REF_SRC)
agents: all ## build: assay-agent for aarch64, armhf and riscv64, under qemu-user, and a check for Android
	@MAKE='$(THIS_MAKE)' sh ci/agents.sh cross $(B)
	@MAKE='$(THIS_MAKE)' sh ci/agents.sh android $(B)

# ---- shaders: SPIR-V per variant, packed and embedded as one C file ----
# A shader is compiled for f32 and f16, or for what it says: "// Variants: byte short".
VARIANTS_OF = awk 'FNR == 1 { file[++n] = FILENAME; list[n] = "f32 f16" } \
    sub("^// Variants: ", "") { list[n] = $$0 } \
    END { for (i = 1; i <= n; i++) { k = split(list[i], v, " "); for (j = 1; j <= k; j++) \
        print substr(file[i], 1, length(file[i]) - 4) v[j] ".spv" } }'
SPV := $(addprefix $(B)/,$(shell $(VARIANTS_OF) $(SHADERS)))
# glslang knows the matrices of Khronos from version 14 on.
SPV := $(sort $(if $(shell sh delegate/shaders/matrix_khr.sh),$(SPV), \
         $(filter-out %.khr11.spv %.khr12.spv %.khr22.spv,$(SPV))))
f32 := -DELEMENT=F32
f16 := -DELEMENT=F16
# Elements that are moved, whatever they mean.
byte := -DELEMENT=BYTE
short := -DELEMENT=SHORT
word := -DELEMENT=WORD
# f16 arithmetic (precision=fast), which a device may lack.
fast := -DELEMENT=F16 -DFAST=1
# 8-bit arithmetic; with the packed dot product, which a device may lack; of i16.
int := -DELEMENT=BYTE -DDOT=0
dot := -DELEMENT=BYTE -DDOT=1
i16 := -DELEMENT=SHORT
# Matrix units by the extension of NVIDIA or of Khronos, of f16 or bytes, with a block of tiles a subgroup.
matrix = -DELEMENT=$(or $(4),F16 -DBYTES=0) -DKHR=$(1) -DBLOCK_M=$(2) -DBLOCK_N=$(3)
nv11 := $(call matrix,0,1,1)
nv12 := $(call matrix,0,1,2)
nv22 := $(call matrix,0,2,2)
nvbytes := $(call matrix,0,1,1,BYTE -DBYTES=1)
khr11 := $(call matrix,1,1,1)
khr12 := $(call matrix,1,1,2)
khr22 := $(call matrix,1,2,2)
# Names and lines of the shaders (without -g0) would be a fifth of the library.
GLSLANG := glslangValidator -V -g0 --quiet --target-env vulkan1.1 -DGLSL -I.
# Ids in the order in which they appear make the packed shaders a third as large (shaders/unpack.h).
SPIRV_OPT := spirv-opt --compact-ids
define variant_rule
$(B)/%.$(1).spv: %.comp $(B)/glslang_flags
	@mkdir -p $$(@D) && $(GLSLANG) $($(1)) --depfile $$@.d -o $$@ $$< && $(SPIRV_OPT) $$@ -o $$@
endef
VARIANTS := $(sort $(subst .,,$(suffix $(SPV:.spv=))))
$(foreach v,$(VARIANTS),$(eval $(call variant_rule,$(v))))
# A dependency file may name an include that has moved since: rebuild instead of stopping.
%.glsl: ;
%.args.h: ;
SHADER_FLAGS := $(GLSLANG) $(SPIRV_OPT) $(foreach v,$(VARIANTS),$(v): $($(v)))
$(B)/glslang_flags: force
	@mkdir -p $(@D)
	@echo '$(SHADER_FLAGS)' | cmp -s - $@ || echo '$(SHADER_FLAGS)' >$@
# Runs here while the delegate is built, for whatever machine $(CC) compiles.
HOST_CC ?= $(or $(shell command -v cc),$(CC))
PACK := $(B)/delegate/pack
PACK_SRC := delegate/shaders/pack.c delegate/shaders/unpack.c reference/base/memory.c
$(PACK): $(PACK_SRC) delegate/shaders/unpack.h | $(B)/has/delegate
	@mkdir -p $(@D)
	$(Q)$(HOST_CC) -std=c11 -O1 $(WARNINGS) -D_GNU_SOURCE -I. -o $@ $(PACK_SRC) -lz
$(B)/delegate/spirv_data.c: DEFLATE = gzip -9n
# zopfli packs the shaders 9 KB smaller, in seconds.
$(B)/shipped/spirv_data.c: DEFLATE = $(or $(shell command -v zopfli >/dev/null && echo zopfli --i5),gzip -9n)
$(B)/%/spirv_data.c: $(SPV) $(PACK)
	@mkdir -p $(@D)
	$(call say,PACK)
	$(Q)$(PACK) $(SPV) >$@.planes && $(DEFLATE) -c $@.planes >$@.gz && $(PACK) -c $@.gz $(SPV) >$@

# Names this build in serialized files, so that another build ignores them.
GPU_SOURCES := $(sort $(GPU_SRC) \
               $(filter-out delegate/tests/%,$(wildcard delegate/*/*.h delegate/*/*/*.h delegate/*/*.def)) \
               $(wildcard reference/base/*.[ch]))
$(B)/delegate/source_id.c: $(GPU_SOURCES) $(SPV)
	@mkdir -p $(@D)
	$(Q)id=$$(cat $^ | sha256sum | cut -c1-32) && \
	    printf '#include "delegate/base/source_id.h"\nconst char source_id[] = "%s";\n' $$id >$@

# ---- the HTML pages: style and scripts, in this order, embedded as one C file ----
PAGE := conformance/report/forms/page
PAGE_SCRIPTS := dom.js columns.js data.js filter.js list.js plot.js detail.js matrix.js margins.js sections.js frame.js main.js
PAGE_COMPARE_SCRIPTS := dom.js columns.js frame.js compare.js
$(B)/conformance/html_sources.c: $(wildcard $(PAGE)/*) Makefile
	@mkdir -p $(@D)
	$(call say,EMBED)
	$(Q)cd $(PAGE) && sh embed.sh style page.css -- report_page head.html page.html -- report_script $(PAGE_SCRIPTS) \
	    -- compare_page head.html compare.html -- compare_script $(PAGE_COMPARE_SCRIPTS) \
	    -- site_page head.html site.html >$(abspath $@)

# ---- the hostile models: the tables of fuzz/hostile without comments, packed ----
HOSTILE_TABLES := $(sort $(wildcard fuzz/hostile/*.txt))
$(B)/conformance/corpus_packed.c: $(HOSTILE_TABLES) Makefile
	@mkdir -p $(@D)
	$(call say,PACK)
	$(Q)for t in $(HOSTILE_TABLES); do echo "#= $$t"; grep -v '^#' $$t; done | gzip -9n >$@.gz
	$(Q){ echo '#include <stddef.h>'; echo '#include <stdint.h>'; echo 'const uint8_t corpus_packed[] = {'; \
	    od -An -v -tu1 $@.gz | sed 's/ *\([0-9][0-9]*\)/\1,/g'; echo '};'; \
	    echo 'const size_t corpus_packed_count = sizeof corpus_packed;'; } >$@

# Names the commit in reports and of `assay --version`; changes only when the commit does.
$(GIT_TEXT).c: force
	@mkdir -p $(@D)
	@text=$$(sh ci/git-text.sh) && { [ "$$text" = "$$(cat $@ 2>/dev/null)" ] || printf '%s\n' "$$text" >$@; }

# ---- tests ----
# A runner a layer has all its files of tests, and runs one in a process (reference/tests/kit/test.h).
# Comments of a file say what it opens (Needs), which functions its own replace (Wrap), or why it is
# a program of its own (Alone).  TESTS='cache plan', for a build directory of its own, leaves out all others.
LAYERS := reference delegate conformance
TESTS ?= *
test_src = $(sort $(wildcard $(foreach t,$(TESTS),$(1)/tests/test_$(t).c)))
TEST_SRC := $(foreach l,$(LAYERS),$(call test_src,$(l)))
ALONE := $(shell grep -l '^/\* Alone: ' /dev/null $(TEST_SRC))
said = $(sort $(shell sed -n 's,^/\* $(1): \(.*\) \*/$$,\1,p' /dev/null $(2)))
wraps = $(foreach f,$(call said,Wrap,$(1)),-Wl,--wrap=$(f))
# Tests are many and compute little: a third of the time to compile, and with sanitizers a half.
$(call obj,$(TEST_SRC)): OPT := $(if $(SANITIZE),-O0 -g1,-O1 -g)
$(call obj,$(TEST_SRC)): | $(B)/has/delegate $(B)/has/conformance $(B)/has/unit
# The suite only where tests of it were chosen: it is a half of what make tsan would compile.
SUITE := $(if $(call test_src,conformance),conformance/%)
$(B)/liball.a: $(REF_OBJ) $(filter-out $(SHARED_OBJ),$(GPU_OBJ)) $(if $(SUITE),$(CONF_LIB_OBJ)) $(call obj,$(LOCK_ORDER))
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^
# What tests share: the runner, models, mocks, devices.
$(B)/tests/kit.a: $(call obj,$(filter reference/% delegate/% $(SUITE),$(KIT_SRC)))
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$(Q)ar rcs $@ $^
TEST_PROGRAMS := $(LAYERS:%=$(B)/tests/%)
alone_of = $(patsubst $(1)/tests/%.c,$(B)/tests/$(1).%,$(filter $(1)/%,$(ALONE)))
define test_rules
$(B)/tests/$(1): $(call obj,$(filter-out $(ALONE),$(call test_src,$(1)))) | $(call alone_of,$(1))
$(call alone_of,$(1)): $(B)/tests/$(1).%: $(B)/$(1)/tests/%.o
$(B)/tests/$(1) $(call alone_of,$(1)): | $(addprefix $(B)/,$(call said,Needs,$(call test_src,$(1))))
endef
$(foreach l,$(LAYERS),$(eval $(call test_rules,$(l))))
$(TEST_PROGRAMS) $(foreach l,$(LAYERS),$(call alone_of,$(l))): $(B)/tests/kit.a $(B)/liball.a
	@rm -f $(filter-out $|,$(wildcard $@.test_*))
	$(call say,LINK)
	$(Q)$(CC) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
	    $(call wraps,$(patsubst $(B)/%.o,%.c,$(filter %.o,$^)) $(KIT_SRC)) $(LDFLAGS_ALL) $(PKG_LIBS) -lcmocka $(ZLIB) \
	    -lvulkan -ldl -lm -lpthread

# Delegates with a fault on request, for tests of the suite; gpu.so also exports assay_gpu_*.
# arithmetic.so has no fault, but the arithmetic of another design.
HALVES := $(B)/mock/create_only.so $(B)/mock/destroy_only.so
ARITHMETIC_SRC := $(addprefix conformance/tests/mock/,arithmetic.c rounding.c sums.c)
$(B)/mock/delegate.so $(B)/mock/gpu.so: conformance/tests/mock/delegate.c $(B)/conformance/tests/mock/faults.o $(REF_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(filter gpu.so,$(@F)),-DMOCK_GPU) -MMD -MP -MF $@.d -shared -o $@ $(filter %.c %.o,$^) \
	    $(LDFLAGS_ALL) -lm -lpthread
# Libraries that export one function of a delegate.
$(HALVES): conformance/tests/mock/half.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(findstring destroy,$@),-DMOCK_DESTROY) -MMD -MP -MF $@.d -shared -o $@ $< $(LDFLAGS_ALL)
# A LiteRT, one that lacks a function, and accelerators for it with structs that are not LiteRT's.
LITERT_MOCKS := $(addprefix $(B)/mock/,litert.so litert_old.so accelerator.so accelerator_bytes.so \
                accelerator_version.so accelerator_nameless.so)
$(filter $(B)/mock/litert%,$(LITERT_MOCKS)): conformance/tests/mock/litert.c $(REF_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(findstring _old,$@),-DMOCK_WITHOUT_RUN) -MMD -MP -MF $@.d -shared -o $@ $< \
	    $(REF_OBJ) $(LDFLAGS_ALL) -lm -lpthread
ACCELERATOR_FLAGS = $(if $(findstring _bytes,$@),-DMOCK_BYTES=192) $(if $(findstring _version,$@),-DMOCK_MAJOR=2) \
                    $(if $(findstring _nameless,$@),-DMOCK_WITHOUT_NAME)
$(filter $(B)/mock/accelerator%,$(LITERT_MOCKS)): conformance/tests/mock/accelerator.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) $(ACCELERATOR_FLAGS) -MMD -MP -MF $@.d -shared -o $@ $< $(LDFLAGS_ALL)
# Stands between the suite and an agent, and lies.
$(B)/mock/liar: conformance/tests/mock/liar.c $(B)/agent.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d -o $@ $^ $(LDFLAGS_ALL)
# Hides features of a Vulkan device, preloaded: for ci/ports.sh.
$(B)/mock/features.so: conformance/tests/mock/features.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) -fvisibility=default -MMD -MP -MF $@.d -shared -o $@ $< $(LDFLAGS_ALL) -ldl
# A TensorFlow Lite C library that goes wrong; another exports a function of LLVM.
$(B)/mock/tflite.so $(B)/mock/llvm.so: $(B)/mock/%.so: conformance/tests/mock/%.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) -MMD -MP -MF $@.d -shared -o $@ $< $(LDFLAGS_ALL)
$(B)/mock/arithmetic.so: $(ARITHMETIC_SRC) $(REF_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(CFLAGS_ALL) -shared -o $@ $(ARITHMETIC_SRC) $(REF_OBJ) $(LDFLAGS_ALL) -lm -lpthread
$(B)/mock/arithmetic.so: conformance/tests/mock/rounding.h conformance/tests/mock/sums.h

# Programs as users write them: public headers, libassay.so.
EXAMPLES := $(patsubst reference/examples/%.c,$(B)/examples/%,$(wildcard reference/examples/*.c))
$(B)/examples/%: reference/examples/%.c $(B)/libassay.so
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=c11 $(OPT) $(WARNINGS) -Ireference/include $(CFLAGS) -o $@ $< -L$(B) -lassay \
	    -Wl,-rpath,'$$ORIGIN/..' $(LDFLAGS_ALL) -ldl
# Programs that use the delegate's own API: both libraries.
GPU_EXAMPLES := $(patsubst delegate/examples/%.c,$(B)/gpu_examples/%,\
                  $(filter-out %_delegate.c,$(wildcard delegate/examples/*.c)))
$(B)/gpu_examples/%: delegate/examples/%.c $(B)/libassay.so $(B)/libassay_delegate.so
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=c11 $(OPT) $(WARNINGS) -Ireference/include -Idelegate/include $(CFLAGS) -o $@ $< -L$(B) \
	    -lassay -lassay_delegate -Wl,-rpath,'$$ORIGIN/..' $(LDFLAGS_ALL) -lvulkan -lm -lpthread

# A delegate as its author builds it; and as one who forgets a library does.
$(B)/own/delegate.so $(B)/own/unlinked.so: delegate/examples/own_delegate.c
$(B)/own/opaque.so: delegate/examples/opaque_delegate.c
$(B)/own/%.so: $(B)/libassay.so
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -std=c11 $(OPT) $(WARNINGS) -Ireference/include $(CFLAGS) -shared -fPIC -o $@ $(filter %.c,$^) \
	    $(if $(filter %/unlinked.so,$@),,-L$(B) -lassay '-Wl,-rpath,$$ORIGIN/..')

own-delegate: $(B)/assay $(B)/own/delegate.so $(B)/own/opaque.so ## build: the examples of conformance/doc/OWN_DELEGATE.md

# Replays all corpora without a fuzzer; replay.h gives the entry point of each target a name.
$(B)/fuzz/targets/%.o: fuzz/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS) -DREPLAY_TARGET=$* -include fuzz/replay.h -MMD -MP -c -o $@ $<
$(B)/fuzz/replay: $(B)/fuzz/replay.o $(FUZZ_TARGETS:%=$(B)/fuzz/targets/%.o) $(call obj,$(FUZZ_KIT)) $(B)/liball.a
	$(call say,LINK)
	$(Q)$(CC) -o $@ $^ $(call wraps,$(FUZZ_TARGETS:%=fuzz/%.c)) $(LDFLAGS_ALL) $(ALL_LIBS)

CASES = $(if $(T),--filter='$(T)')
# A run of all cases also checks the version ledger, and shows the planted faults that make mutants
# last found noticed.
LEDGER = $(if $(T)$(ARGS),,--versions=conformance/versions.tsv --require-classes=conformance/classes.tsv)
# All cases: then ours must take every quantized case that reference/ops.def says it takes.
REQUIRED = $(if $(T)$(ARGS),,--require-integers)
# Random graphs, the same ones each time.
GRAPHS ?= 500
FAULTS = $(addprefix --mutants=,$(wildcard $(B)/mutants/mutants.tsv))
# Tests keep Mesa's shader cache under $(B), and leave the user's alone.  A second build directory may
# share that of the first.  lavapipe compiles each pipeline once and runs it for less than that takes, so
# LLVM optimizes none of them: a third less processor time, and the same bits.
SHADER_CACHE = $(B)/shader-cache
TEST_ENV = MESA_SHADER_CACHE_DIR=$(abspath $(SHADER_CACHE)) GALLIVM_PERF=nopt

# Before the rule that needs it: a prerequisite is expanded where it is read.
TORTURE := $(B)/torture/torture $(B)/torture/soak $(B)/torture/files/image.tflite

check: all $(B)/mock/features.so $(if $(SANITIZE),,$(SHIPPED) $(TORTURE)) $(TEST_PROGRAMS)
check: $(EXAMPLES) $(GPU_EXAMPLES) $(B)/fuzz/replay
check: ## test: unit tests, goldens, corpora, a few cases of each op; T='softmax.*' runs such cases only
	@$(TEST_ENV) T='$(T)' CC='$(CC)' SANITIZE='$(SANITIZE)' MAKE='$(THIS_MAKE)' sh ci/check.sh $(B)

conformance: all ## test: all cases on our delegate, in four modes; T='conv_2d.*' picks cases, ARGS adds flags
	$(TEST_ENV) $(B)/assay conformance $(CASES) $(LEDGER) $(REQUIRED) $(FAULTS) $(ARGS)
# One product in fifteen, and SOFTMAX behind one, by the kernels that lavapipe has for GPUs alone; one
# case in 200 by specialized kernels, which small plans there have not, with inputs and outputs by
# elements, which no device has; and one gap case of bytes in fifteen as floats that are stored in f16,
# which no mode of ours has.
FORCED := gemm,matvec,tail,gemm_int8,depthwise_int8,matmul_shares,packed_shares,attention_parts
conformance-kernels: all ## test: some cases on our delegate with the kernels of GPUs, which software devices else have not
	$(TEST_ENV) $(B)/assay conformance --no-models --shard=1/15 --filter='*conv*' --filter='*fully_connected*' \
	    --filter='*softmax*pixel*' --filter='batch_matmul.*' --filter='composite.*' \
	    --delegate-option=kernel=$(FORCED) $(ARGS)
	$(TEST_ENV) $(B)/assay conformance --no-models --shard=1/200 --delegate-option=no_kernel=thawed,rows $(ARGS)
	$(TEST_ENV) $(B)/assay conformance --no-models --shard=1/15 --filter='gap.i8*' --filter='gap.u8.*' \
	    --delegate-option=precision=fp16 --delegate-option=quantized=float_view $(ARGS)
conformance-graphs: all ## test: 500 random graphs on our delegate, in four modes; GRAPHS=N runs N, T='graph.i8.*' picks some
	$(TEST_ENV) $(B)/assay conformance --graphs=$(GRAPHS) --filter='$(or $(T),graph.*)' $(ARGS)
conformance-models: all ## test: the trained models on our delegate, in four modes; T='digits_i8' picks some
	$(TEST_ENV) $(B)/assay conformance --models --filter='$(or $(T),digits_*)' $(ARGS)

reach: $(B)/tests/delegate ## order: how many cases plan each kernel of the delegate, by device; T='gemm*' names them, ARGS=keep counts anew
	@$(B)/tests/delegate test_reach $(if $(T),cases '$(T)',$(or $(ARGS),map))

golden-check: $(B)/assay ## test: compare the reference with the answers of the real LiteRT
	$(B)/assay golden check $(CASES)

# ---- Python: only to mint goldens and to cross-check in the real LiteRT ----
$(B)/venv/ready: golden/requirements.txt | $(B)/has/python
	python3 -m venv $(B)/venv
	$(B)/venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(B)/draw-venv/ready: conformance/examples/requirements.txt | $(B)/has/python
	python3 -m venv $(B)/draw-venv
	$(B)/draw-venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@
draw-test: $(B)/assay $(B)/draw-venv/ready ## test: the example conformance/examples/draw.py (Python, network)
	$(B)/draw-venv/bin/python conformance/examples/draw_test.py $(B)/assay

golden-mint: $(B)/assay $(B)/venv/ready ## order: ask the real LiteRT for its answers again (Python, network)
	$(B)/assay golden export $(B)/export.h5
	$(B)/venv/bin/python golden/mint.py $(B)/export.h5 golden
	$(B)/venv/bin/python golden/float64.py $(B)/export.h5 golden

# LiteRT as PyPI ships it, in the version of the goldens: its libLiteRt.so, found beside assay.
LITERT := $(shell sed -n 's/^ai-edge-litert==//p' golden/requirements.txt)
LITERT_KNOWN := conformance/known/litert-$(LITERT)-cpu.tsv
$(B)/litert-venv/ready: golden/requirements.txt | $(B)/has/python
	rm -rf $(B)/litert-venv
	python3 -m venv $(B)/litert-venv
	$(B)/litert-venv/bin/pip install --quiet --disable-pip-version-check --no-deps ai-edge-litert==$(LITERT)
	cd $(B)/litert-venv && ln -sf lib/python3*/site-packages/ai_edge_litert/libLiteRt.so libLiteRt.so
	touch $@
conformance-litert: all $(B)/litert-venv/ready
conformance-litert: ## test: all cases on LiteRT's own CPU, XNNPACK; a failure that is not known fails (Python, network)
	LITERT_LIBRARY=$(B)/litert-venv/libLiteRt.so $(B)/assay conformance \
	    --subject='litert:cpu?bounds=fp32,hybrid,one_step' --waivers=$(LITERT_KNOWN) $(CASES) $(ARGS)
	$(if $(T),,LITERT_LIBRARY=$(B)/litert-venv/libLiteRt.so $(B)/assay conformance \
	    --subject='litert:cpu?bounds=fp16_arith' --waivers=$(LITERT_KNOWN) --filter='*f16.*')
	$(if $(T),,LITERT_LIBRARY=$(B)/litert-venv/libLiteRt.so $(B)/assay conformance \
	    --subject='litert:cpu?bounds=fp32,hybrid,one_step&fallback=cpu' --waivers=$(LITERT_KNOWN) \
	    --filter='composite.*')

conformance-runtimes: all | $(B)/has/python ## test: a tenth of the suite on other runtimes, RUNTIMES=PATTERNS on some (Python, network)
	RUNTIMES='$(RUNTIMES)' sh ci/runtimes.sh $(B) $(CASES) $(ARGS)

cross-check: all $(B)/venv/ready hostile ## test: run the delegate in LiteRT from PyPI (Python, network)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_check.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_serialization.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_resize.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_dynamic.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_prepared.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_sparse.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_hostile.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_vectors.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_decoders.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_transformers.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_real.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_detection.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_control.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_accelerator.py $(B)
	$(TEST_ENV) $(B)/venv/bin/python conformance/tests/litert/cross_accelerator_c.py $(B)
	$(B)/venv/bin/python conformance/tests/litert/cross_coco.py $(B)
	$(B)/venv/bin/python conformance/tests/litert/cross_detector.py $(B)
	$(B)/assay golden export --graphs=200 --filter='graph.*' $(B)/graphs.h5
	@mkdir -p $(B)/graphs
	$(B)/venv/bin/python golden/mint.py $(B)/graphs.h5 $(B)/graphs
	$(B)/assay golden check --graphs=200 --filter='graph.*' --dir=$(B)/graphs

size: $(SHIPPED) ## measure: what the bytes of the stripped delegate are
	@sh ci/size.sh $(B)

board: $(B)/assay ## measure: the pages of what was measured (conformance/doc/results/board), in build/board
	$(B)/assay report site conformance/doc/results/board -o $(B)/board
board-fill: all $(B)/venv/ready $(B)/litert-venv/ready ## measure: measure that again, as far as this machine can (minutes, network; T=NAME some of it)
	ARGS='$(ARGS)' sh ci/board.sh $(B) $(T)

html-test: all $(B)/tests/conformance ## test: the HTML report in headless Chromium (a minute)
	@$(NEED) html-test
	@$(TEST_ENV) /usr/bin/python3 ci/html-test.py $(B)

# ---- order in the source ----
layers: ## order: check that includes follow ci/rooms.txt
	@sh ci/layers.sh

headers: $(B)/flags ## order: check that every header compiles alone
	@$(NEED) headers
	@sh ci/headers.sh '$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS)' $(HEADERS)

C_FILES := $(REF_SRC) $(GPU_SRC) delegate/shaders/pack.c $(CONF_SRC) $(AGENT_SRC) $(KIT_SRC) $(TEST_SRC) $(HEADERS) \
           $(wildcard conformance/tests/torture/*.c fuzz/*.c fuzz/*/*.c reference/examples/*.c delegate/examples/*.c)
GLSL_FILES := $(foreach suffix,comp glsl,$(wildcard delegate/*/*.$(suffix) delegate/*/*/*.$(suffix)))
classes: all ## order: write conformance/classes.tsv: which attributes and shapes our delegate takes; runs all cases
	$(TEST_ENV) $(B)/assay conformance --write-classes=conformance/classes.tsv --quiet >/dev/null
	@sh ci/ops-table.sh write
ops-table: ## order: write the table of delegate/OPS_SUPPORT.md from the version ledger
	@sh ci/ops-table.sh write

format: ## order: check that C files and shaders have the layout of clang-format
	@$(NEED) format
	@clang-format --dry-run --Werror $(C_FILES)
	@clang-format --style=file:ci/glsl.clang-format --dry-run --Werror $(GLSL_FILES)
	@echo 'format: $(words $(C_FILES) $(GLSL_FILES)) files are as clang-format has them'
format-fix: ## order: give C files and shaders the layout of clang-format
	@clang-format -i $(C_FILES)
	@clang-format --style=file:ci/glsl.clang-format -i $(GLSL_FILES)

# ---- fuzzing, coverage, valgrind ----
MINUTES ?= 1
TARGET ?= $(FUZZ_TARGETS)
# Builds and runs: sh fuzz/run.sh has what is kept, and how a run goes on.
FUZZ_ENGINE ?= -fsanitize=fuzzer
FUZZ_BUILD = $(MAKE) B=$(B)/libfuzzer CC=clang SANITIZE=address,undefined OPT='-O1 -g' CFLAGS=-fsanitize=fuzzer-no-link
fuzz: ## faults: run libFuzzer for MINUTES on each target, or on TARGET='models reader'; goes on from what it kept
	@$(NEED) fuzz
	$(FUZZ_BUILD) $(patsubst %,$(B)/libfuzzer/fuzz/fuzz_%,$(TARGET))
	@sh fuzz/run.sh $(B)/libfuzzer $(MINUTES) $(TARGET)
fuzz-table: ## faults: what all runs of make fuzz came to
	@sh fuzz/run.sh $(B)/libfuzzer table
$(B)/fuzz/fuzz_%: $(B)/fuzz/%.o $(call obj,$(FUZZ_KIT)) $(B)/liball.a
	$(call say,LINK)
	$(Q)$(CC) -o $@ $^ $(FUZZ_ENGINE) $(call wraps,fuzz/$*.c) $(LDFLAGS_ALL) $(ALL_LIBS)

# Our verifier beside that of FlatBuffers, whose headers and compiler only this needs: TARGET=official.
$(B)/fuzz/official/model_generated.h: fuzz/official/model.fbs
	@$(NEED) fuzz-official
	@mkdir -p $(@D)
	$(Q)flatc --cpp -o $(@D) $<
$(B)/fuzz/official/verify.o: fuzz/official/verify.cc $(B)/fuzz/official/model_generated.h $(B)/flags
	$(call say,CXX)
	$(Q)$(CC:clang=clang++) -std=c++17 $(OPT) -I. -I$(@D) $(CFLAGS) -c -o $@ $< \
	    $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined)
$(B)/fuzz/fuzz_official: $(addprefix $(B)/fuzz/official/,differential.o verify.o) $(call obj,$(FUZZ_KIT)) $(B)/liball.a
	$(call say,LINK)
	$(Q)$(CC) -o $@ $^ $(FUZZ_ENGINE) $(LDFLAGS_ALL) $(ALL_LIBS) -lstdc++

coverage: ## faults: lcov report of the tests, in build-coverage/coverage; fails where coverage falls
	@$(NEED) coverage
	@rm -f build-coverage/shaders.log && mkdir -p build-coverage
	ASSAY_SHADER_LOG=$(CURDIR)/build-coverage/shaders.log \
	    $(MAKE) B=build-coverage OPT='-O0 -g' COVERAGE_FLAGS='--coverage -DASSAY_COVERAGE' check
	sh coverage/report.sh build-coverage
coverage-accept: ## faults: make the figures of the last make coverage those that coverage may not fall below
	@python3 coverage/figures.py build-coverage accept

# ---- analysers; a check that no test needs ----
ANALYSE_FLAGS = -std=c11 -ffp-contract=off -fno-math-errno -D_GNU_SOURCE -DASSAY_VERSION=\"$(VERSION)\" -I. -I$(B) \
                -Ireference/include -Idelegate/include $(PKG_CFLAGS)
analyse: ## faults: gcc -fanalyzer, clang-tidy and cppcheck over the source (minutes); T='reference/*' picks files
	@$(NEED) analyse
	@sh ci/analyse.sh $(B) "$(ANALYSE_FLAGS)" \
	    $(filter $(if $(T),$(subst *,%,$(T)),%), \
	        $(REF_SRC) $(GPU_SRC) $(CONF_SRC) $(KIT_SRC) $(wildcard fuzz/*.c fuzz/*/*.c))

# What needs no library that would have to be built with MemorySanitizer, too.
MSAN_TARGETS := reader flexbuffers models ops
msan: ## faults: tests of the reference, and corpora of reader, interpreter and planner, under MemorySanitizer (clang, minutes)
	@$(NEED) fuzz
	$(MAKE) B=$(B)/msan CC=clang SANITIZE=memory FUZZ_TARGETS='$(MSAN_TARGETS)' msan-run
msan-run: $(B)/tests/reference $(B)/fuzz/replay
	@for t in $(MSAN_TARGETS); do $(B)/fuzz/replay $$t fuzz/corpus/$$t || exit 1; done
	@n=0; for f in $$($< --list); do $< $$f >$(B)/unit.log 2>&1 || { cat $(B)/unit.log; exit 1; }; \
	    n=$$((n + $$(grep -c '^\[       OK' $(B)/unit.log))); done; \
	    echo "msan: $$n tests of $(words $(call test_src,reference)) files passed"

# Goes on where it was; SECONDS=5 tries only files of tests that need no longer.
needed: ## faults: switch off each check of parsers and rules, which a test must notice (hours); T='FILE:FUNCTION' picks some
	@python3 -B ci/needed.py $(B) '$(T)' '$(SECONDS)'

mutants: all ## faults: plant faults one at a time, which the suite must notice; T='ref_*' picks some
	@T='$(T)' sh ci/mutants.sh $(B)

HOSTILE ?= $(B)/hostile
hostile: $(B)/tests/delegate
hostile: ## test: the hostile models of fuzz/hostile as files, with what each has to come to, in HOSTILE=DIR (build/hostile)
	@$< test_hostile_models --write $(HOSTILE)

valgrind: all $(TEST_PROGRAMS) $(B)/fuzz/replay
valgrind: ## faults: memcheck over parser, reference, plans and a part of the delegate (10 to 20 minutes)
	@$(NEED) valgrind
	@sh ci/valgrind.sh $(B)

# Ours, LiteRT and ncnn; without the network, or a wheel for this machine, peers are rows with a reason.
PEERS_MODELS ?=
PEERS := ci/peers/peers.py
$(B)/peers-venv/ready: ci/peers/requirements.txt | $(B)/has/python
	rm -rf $(B)/peers-venv
	python3 -m venv $(B)/peers-venv
	-$(B)/peers-venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	touch $@
# PEERS_MODELS='NAME[:TYPE[:WIDTH]] FILE.tflite' adds models.
peers: all $(B)/peers-venv/ready ## measure: time ours, LiteRT's CPU and GPU, and ncnn in turns (Python, network)
	PATH=$(abspath $(B))/peers-venv/bin:$$PATH python3 -B $(PEERS) --assay=$(B)/assay --out=$(B)/peers.json \
	    $(PEERS_MODELS) $(ARGS)
peers-table: ## measure: print the table of make peers, PEERS_RUN=FILE.json (PERFORMANCE.md); ARGS=--short: that of README.md
	@python3 -B $(PEERS) --table=$(or $(PEERS_RUN),ci/peers/kept.json) $(ARGS)
growth: all ## measure: time MobileNet v1 by batch, pixels and width, and single ops by channels; ARGS adds flags
	python3 -B ci/peers/growth.py --assay=$(B)/assay --out=$(B)/growth.json $(ARGS)

endurance: all ## measure: 1,000 starts and 100,000 inferences: memory stays flat (minutes); ARGS adds flags
	$(TEST_ENV) $(B)/assay endurance $(ARGS)

scale: $(B)/tests/delegate
scale: ## measure: time of reading, planning and inspecting graphs of 12,500 to 200,000 nodes, and how it grows (minutes)
	ASSAY_SCALE=1 $< test_scale

# Counts the calling thread, driver included; lavapipe computes on others.  Unlike time, the count
# repeats.
INVOKES ?= 200
instructions: all ## measure: count the host instructions of an inference with callgrind; ARGS=MODEL
	@$(TEST_ENV) valgrind --tool=callgrind --collect-atstart=no --toggle-collect=kernel_invoke \
	    --callgrind-out-file=$(B)/callgrind.out $(B)/assay endurance $(ARGS) --starts=0 \
	    --runs=$(INVOKES) >$(B)/instructions.log 2>&1 || { cat $(B)/instructions.log; exit 1; }
	@awk '/Collected/ { printf "instructions: %d an inference, mean of $(INVOKES)\n", $$NF / $(INVOKES) }' \
	    $(B)/instructions.log

# ---- shards on many machines ----
slurm-test: all ## test: run ci/slurm-array.sbatch on a Slurm of one node, requeue included (root, minutes)
	@$(NEED) slurm-test
	sh ci/slurm-test.sh $(B)

kubernetes-test: all ## test: run the pods of ci/k8s-job.yaml as processes, one of them killed
	@$(NEED) kubernetes-test
	python3 ci/k8s-test.py $(B)

perf: all ## measure: instructions and heap of each layer against ci/perf-baseline.tsv, and flame graphs (minutes)
	@$(NEED) perf
	@CC='$(CC)' OPT='$(OPT)' CFLAGS='$(CFLAGS)' sh ci/perf.sh $(abspath $(B))
perf-accept: all ## measure: make the figures of the last make perf the baseline
	@sh ci/perf.sh $(abspath $(B)) accept

# gcc and clang have builds of their own.
tsan: ## faults: run the tests of threads under ThreadSanitizer; CC=clang, too
	$(MAKE) B=$(B)/tsan-$(notdir $(CC)) SANITIZE=thread SHADER_CACHE=$(SHADER_CACHE) TESTS='$(TSAN_TESTS)' tsan-run
TSAN_TESTS := threads buffers spirv start parallel
tsan-run: $(B)/tests/delegate
	@for t in $(TSAN_TESTS); do \
	    $(TEST_ENV) TSAN_OPTIONS='exitcode=66 suppressions=ci/tsan.supp' $< test_$$t >$(B)/tsan_$$t.log 2>&1 && \
	        grep -q '^\[  PASSED' $(B)/tsan_$$t.log || { cat $(B)/tsan_$$t.log >&2; exit 1; }; \
	    grep '^\[  PASSED' $(B)/tsan_$$t.log | sed "s/^/tsan: $$t: /"; done

# ---- torture: every allocation and every Vulkan call fails in turn; soak: a long life ----
TORTURE_FLAGS = -Wl,-rpath,'$$ORIGIN/..:$$ORIGIN' $(LDFLAGS_ALL)
$(B)/torture/faults.so: $(call obj,$(wildcard conformance/tests/torture/faults*.c))
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -shared -o $@ $^ $(LDFLAGS_ALL) -ldl -lpthread
# faults.so comes first, so that the libraries find its functions before those of libc and libvulkan.
$(B)/torture/torture: $(call obj,$(addprefix conformance/tests/torture/,torture.c points.c scenes.c)) \
                      $(B)/torture/faults.so $(B)/libassay.so $(B)/libassay_delegate.so
	$(call say,LINK)
	$(Q)$(CC) -Wl,--no-as-needed -o $@ $(filter %.o,$^) $(B)/torture/faults.so -L$(B) -lassay -lassay_delegate \
	    -lvulkan -lm $(TORTURE_FLAGS)
$(B)/torture/soak: $(call obj,conformance/tests/torture/soak.c conformance/tests/torture/lives.c) \
                   $(B)/torture/faults.so $(B)/libassay.so $(B)/libassay_delegate.so
	$(call say,LINK)
	$(Q)$(CC) -Wl,--no-as-needed -o $@ $(filter %.o,$^) $(B)/torture/faults.so -L$(B) -lassay -lassay_delegate \
	    -lvulkan -lpthread $(TORTURE_FLAGS)
$(B)/torture/models: $(B)/conformance/tests/torture/models.o $(B)/tests/kit.a $(B)/liball.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -o $@ $^ $(LDFLAGS_ALL) $(PKG_LIBS) -lcmocka $(ZLIB) -lvulkan -ldl -lm -lpthread
$(B)/torture/files/image.tflite: $(B)/torture/models
	@mkdir -p $(@D)
	$(Q)$< $(@D)
# ARGS='--only=SCENE/WHAT --from=N' goes on.
torture: $(TORTURE) ## faults: each allocation and each Vulkan call fails in turn, in each way that it may (an hour)
	$(TEST_ENV) $(B)/torture/torture --findings=$(B)/torture/findings.tsv $(ARGS) $(B)/torture/files
	$(if $(ARGS),,sh conformance/tests/torture/programs.sh $(B))

MINUTES ?= 30
# Memory stays flat, files are closed, the bits are the same.
soak: $(B)/torture/soak $(B)/torture/files/image.tflite
soak: ## faults: random models, resizes, delegates, threads, processes and lost devices for MINUTES (30)
	$(TEST_ENV) $(B)/torture/soak $(B)/torture/files $$(($(MINUTES) * 60)) $(SEED)

torture-cache: all $(B)/tests/delegate ## faults: cut, flip and race for serialized files; try every workgroup size (minutes)
	@for t in cache serialize tune; do \
	    $(TEST_ENV) ASSAY_TORTURE=1 $(B)/tests/delegate test_$$t >$(B)/torture_$$t.log 2>&1 || \
	        { cat $(B)/torture_$$t.log >&2; exit 1; }; \
	    grep '^\[  PASSED' $(B)/torture_$$t.log | sed "s/^/torture-cache: $$t: /"; done

# ---- manual pages and completion, printed by the program from its flags ----
COMMANDS := $(shell sed -n 's/^COMMAND(\(.*\))$$/\1/p' conformance/tools/cli/commands.def)
MAN_PAGES := $(B)/man/assay.1 $(B)/man/assay-agent.1 $(COMMANDS:%=$(B)/man/assay-%.1)
$(B)/man/assay.1: $(B)/assay
	@mkdir -p $(@D)
	$(Q)$(B)/assay --print-man >$@
$(B)/man/assay-%.1: $(B)/assay
	@mkdir -p $(@D)
	$(Q)$(B)/assay --print-man=$* >$@
$(B)/man/assay-agent.1: conformance/agent/assay-agent.1
	@mkdir -p $(@D)
	$(Q)sed '1s/"assay"/"assay $(VERSION)"/' $< >$@
$(B)/man/assay.%: $(B)/assay
	@mkdir -p $(@D)
	$(Q)$(B)/assay --print-completion=$* >$@
man: $(MAN_PAGES) $(B)/man/assay.bash ## build: manual pages and completion for bash, in build/man
	@echo 'man: $(words $(MAN_PAGES)) pages, read one with: man -l $(B)/man/assay.1'

# ---- to carry away, to install ----
STATIC_LIBS := -Wl,-Bstatic $(shell $(PKG_CONFIG) --libs-only-L $(HDF5_PKG) 2>/dev/null) -lhdf5 -lsz -laec \
               -ljansson -ljpeg -lpng16 -lmd -lz -Wl,-Bdynamic
# The directory holds the goldens, too, 29 MB, but for GOLDEN=no.
GOLDEN ?= yes
$(B)/static/assay: $(CONF_OBJ) $(REF_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(PIE) -o $@ $(CONF_OBJ) $(REF_OBJ) $(LDFLAGS_ALL) $(STATIC_LIBS) -Wl,--as-needed -ldl -lm -lpthread
portable: all $(B)/static/assay $(SHIPPED)
portable: ## package: build/portable: linked statically but for libc, libm and libvulkan; GOLDEN=no without goldens
	@CC='$(CC)' SOVERSION=$(SOVERSION) GOLDEN=$(GOLDEN) STATIC_LIBS='$(STATIC_LIBS)' sh ci/package/portable.sh $(B)

# Everything lies under $(DESTDIR)$(PREFIX) and $(DESTDIR)$(LIBDIR); the pkg-config files name the paths
# without DESTDIR.  TFLITE_HEADERS=no keeps the headers out of include/tensorflow/, where those of
# TensorFlow Lite itself may lie.
TFLITE_HEADERS ?= yes
PUT_FILES = B='$(B)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' DESTDIR='$(DESTDIR)' VERSION=$(VERSION) \
          SOVERSION=$(SOVERSION) TFLITE_HEADERS='$(TFLITE_HEADERS)' sh ci/package/files.sh
install: all man $(SHIPPED) ## package: install under PREFIX (/usr/local) and LIBDIR (PREFIX/lib), below DESTDIR
	@$(PUT_FILES) install
uninstall: ## package: remove what make install has put under PREFIX, below DESTDIR
	@$(PUT_FILES) uninstall

# ---- packages; RELEASE=1 leaves date and commit out of their version ----
RELEASE ?=
PACKAGE = B='$(B)' CC='$(CC)' MAKE='$(THIS_MAKE)' VERSION=$(VERSION) RELEASE='$(RELEASE)' sh ci/package/package.sh
dist: ## package: reproducible tarball of the commit, in build/dist
	@$(NEED) dist
	@$(PACKAGE) dist
deb: ## package: Debian packages of the commit, in build/deb
	@$(NEED) dist
	@$(NEED) deb
	@$(PACKAGE) deb
wheel: portable ## package: Python wheel of build/portable, in build/wheel
	@$(NEED) wheel
	@$(PACKAGE) wheel
dist-test: ## package: build twice the tarball, and from it the program, without git (minutes)
	@B='$(B)' MAKE='$(THIS_MAKE)' CC='$(CC)' sh ci/package/dist-test.sh
deb-test: ## package: lintian; use the Debian packages on a bare Debian (root, network, minutes); BUILT=1 those in build/deb
	@$(NEED) deb-test
	@B='$(B)' MAKE='$(THIS_MAKE)' CC='$(CC)' BUILT='$(BUILT)' sh ci/package/deb-test.sh
wheel-test: ## package: the wheel in clean environments with LiteRT and tflite-runtime (Python, network, minutes)
	@B='$(B)' MAKE='$(THIS_MAKE)' CC='$(CC)' sh ci/package/wheel-test.sh

help: ## build: list these targets, whose group stands behind ##
	@for g in build test faults measure package order; do echo "$$g:"; \
	    sed -n "s/^\([a-z-]*\):.*## $$g: /  \1\t/p" $(MAKEFILE_LIST) | expand -t 24; done

clean: ## build: remove build/
	rm -rf $(B)

force:
.PHONY: force agent-sources msan-run tsan-run $(shell sed -n 's/^\([a-z-]*\):.*## .*/\1/p' $(MAKEFILE_LIST))

# Not those of the Debian package that is being built there, nor of the copy of make needed, nor
# directories of such a name.
-include $(shell find $(B) \( -path '*/deb-work' -o -path '*/needed/tree' \) -prune \
           -o -type f -name '*.d' -print 2>/dev/null)
