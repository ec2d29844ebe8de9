# Assay: one Makefile, not recursive.  All output goes under $(B); another configuration is another B:
#     make B=build-asan SANITIZE=address,undefined check
B ?= build
CC ?= cc
PREFIX ?= /usr/local
DESTDIR ?=
SANITIZE ?=
OPT ?= -O2 -g
WERROR ?=
VERSION := 0.1.0

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

PKG_CONFIG ?= pkg-config
HDF5_PKG := $(shell $(PKG_CONFIG) --exists hdf5-serial 2>/dev/null && echo hdf5-serial || echo hdf5)
PKGS := $(HDF5_PKG) jansson libjpeg libpng libmd
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wundef -Wwrite-strings $(if $(WERROR),-Werror)
# Contraction would make inputs, goldens and references differ between compilers.
CFLAGS_ALL = -std=c11 $(OPT) $(WARNINGS) -ffp-contract=off -fno-math-errno -fPIC \
             -fvisibility=hidden -D_GNU_SOURCE -DASSAY_VERSION='"$(VERSION)"' \
             -I. -I$(B) -Ireference/include -Idelegate/include \
             $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=undefined) \
             $(COVERAGE_FLAGS) $(CFLAGS)
LDFLAGS_ALL = $(if $(SANITIZE),-fsanitize=$(SANITIZE)) $(COVERAGE_FLAGS) $(LDFLAGS)

obj = $(patsubst %.c,$(B)/%.o,$(1))

REF_SRC := $(wildcard reference/*.c reference/ops/*.c)
GPU_SRC := $(wildcard delegate/*.c delegate/ops/*.c)
CONF_SRC := $(wildcard conformance/*.c conformance/suites/*.c)
UNIT_SRC := $(wildcard conformance/unit/*.c)
FUZZ_SRC := $(filter-out fuzz/replay.c,$(wildcard fuzz/*.c))
SHADERS := $(wildcard delegate/ops/*.comp delegate/shaders/*.comp)
HEADERS := $(wildcard reference/*.h reference/include/tensorflow/lite/c/*.h delegate/*.h \
             delegate/include/*.h delegate/include/tensorflow/lite/delegates/gpu/*.h \
             conformance/*.h conformance/suites/*.h conformance/unit/*.h fuzz/*.h)

REF_OBJ := $(call obj,$(REF_SRC))
# What the delegate shares with the reference; no op.
SHARED_OBJ := $(call obj,$(addprefix reference/,status.c diag.c memory.c arena.c half.c builtin.c))
GPU_OBJ := $(call obj,$(GPU_SRC)) $(B)/delegate/spirv.o
CONF_OBJ := $(call obj,$(CONF_SRC))
CONF_LIB_OBJ := $(filter-out $(B)/conformance/main.o,$(CONF_OBJ))

all: $(B)/assay $(B)/libassay.so $(B)/libassay_delegate.so ## the program, the runtime and the delegate

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(if $(filter conformance/% fuzz/%,$<),$(PKG_CFLAGS)) -MMD -MP -c -o $@ $<

$(B)/%.o: $(B)/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# Rebuild all when the flags change.
$(B)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL)' >$@

$(B)/libassay.so: $(REF_OBJ)
	$(CC) -shared -Wl,-soname,libassay.so -Wl,--no-undefined -o $@ $(REF_OBJ) $(LDFLAGS_ALL) -lm -lpthread

$(B)/libassay_delegate.so: $(GPU_OBJ) $(SHARED_OBJ) delegate/exports.map
	$(CC) -shared -Wl,-soname,libassay_delegate.so -Wl,--no-undefined \
	    -Wl,--version-script=delegate/exports.map -o $@ $(GPU_OBJ) $(SHARED_OBJ) $(LDFLAGS_ALL) -lvulkan -lm -lpthread

# assay looks for its delegate beside itself.
$(B)/assay: $(CONF_OBJ) $(REF_OBJ)
	$(CC) -o $@ $(CONF_OBJ) $(REF_OBJ) $(LDFLAGS_ALL) $(PKG_LIBS) -ldl -lm -lpthread

# ---- shaders: SPIR-V per storage precision, embedded as one C file ----
SPV := $(foreach s,$(SHADERS:.comp=),$(B)/$(s).f32.spv $(B)/$(s).f16.spv)
spirv = @mkdir -p $(@D) && glslangValidator -V --quiet --target-env vulkan1.1 -Idelegate -DHALF=$(1) \
	--depfile $@.d -o $@ $<
$(B)/%.f32.spv: %.comp ; $(call spirv,0)
$(B)/%.f16.spv: %.comp ; $(call spirv,1)
$(B)/delegate/spirv.c: $(SPV) delegate/embed.sh
	sh delegate/embed.sh $(SPV) >$@

# ---- tests ----
UNIT_BIN := $(patsubst conformance/unit/%.c,$(B)/unit/%,$(UNIT_SRC))
$(B)/liball.a: $(REF_OBJ) $(filter-out $(SHARED_OBJ),$(GPU_OBJ)) $(CONF_LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^
$(B)/unit/%: $(B)/conformance/unit/%.o $(B)/liball.a
	@mkdir -p $(@D)
	$(CC) -o $@ $< $(B)/liball.a $(LDFLAGS_ALL) $(PKG_LIBS) -lcmocka -lvulkan -ldl -lm -lpthread
.SECONDARY: $(call obj,$(UNIT_SRC)) $(call obj,$(FUZZ_SRC))

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

clean: ## remove $(B)
	rm -rf $(B)

force:
.PHONY: all help clean force

-include $(shell find $(B) -name '*.d' 2>/dev/null)
