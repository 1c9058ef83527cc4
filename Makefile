# shaone: the commands people type. Cargo knows how to build; cargo-c knows how
# to make a C library of it; this file only joins them.
#
#   make                  the libraries, in $(BUILD)
#   make examples         the examples and the programs of examples/, in $(BUILD)
#   make demo             build all, hash real input, compare with sha1sum
#   make check            all tests
#   make check-cross      the tests of other CPUs that make check leaves out, too
#   make fuzz             new inputs for a minute in each target of fuzz/;
#                         FUZZ="3600 many lists": an hour in each of these
#   make bench            ours against its peers
#   make integration      real programs on it, from their sources: their tests, their speed
#   make integration-git  one of them: git, coreutils, binutils or llvm
#   make install          PREFIX= LIBDIR= INCLUDEDIR= DOCDIR= MANDIR= DESTDIR=; prefix=,
#                         libdir= and so on mean the same
#                         STATIC=no: without the archives
#                         DROP_IN=no: the peers' names in a library of their own
#                         SYMBOL_PREFIX=foo_: before every function's name
#   make uninstall        the same variables
#   make headers          write include/ anew from the skins, and docs/man from include/
#   make figures          write the README's figures anew from benches/results
#   make clean            remove all that was built, but for cargo-c
#   make help             this text

# GNU's spelling counts where it is said to make itself, not in the environment.
prefix = /usr/local
PREFIX ?= $(prefix)
libdir = $(PREFIX)/lib
LIBDIR ?= $(libdir)
includedir = $(PREFIX)/include
INCLUDEDIR ?= $(includedir)
docdir = $(PREFIX)/share/doc/shaone
DOCDIR ?= $(docdir)
mandir = $(PREFIX)/share/man
MANDIR ?= $(mandir)
DESTDIR ?=
STATIC ?= yes
CARGO ?= cargo
CC ?= cc
CFLAGS ?= -O2 -g -Wall -Wextra
CXXFLAGS ?= -O2 -g -Wall -Wextra

# Of the library: see scripts/stage.sh.
DROP_IN ?= yes
SYMBOL_PREFIX ?=

BUILD := target/shaone
STAGE := $(BUILD)/usr
# What the examples are linked to; cargo alone makes it.
ARCHIVE := $(BUILD)/archive
EXAMPLES := $(wildcard examples/*.c examples/programs/*.c)
# Not everybody has a C++ compiler.
ifneq ($(shell command -v $(CXX)),)
EXAMPLES += $(wildcard examples/*.cpp)
endif
EXAMPLES := $(addprefix $(BUILD)/,$(basename $(notdir $(EXAMPLES))))
vpath %.c examples examples/programs
vpath %.cpp examples
PROGRAMS := git coreutils binutils llvm
# With the directories, whose times tell of files that are gone.
SOURCES := $(shell find src include) Cargo.toml Cargo.lock scripts/stage.sh
# Through the environment, so that no character of a path means anything to the shell.
WHERE = --prefix="$$PREFIX" --libdir="$$LIBDIR" --includedir="$$INCLUDEDIR" --docdir="$$DOCDIR" --mandir="$$MANDIR"

export CARGO CC DROP_IN SYMBOL_PREFIX

all: $(STAGE)/stamp

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

$(STAGE)/stamp: $(SOURCES) $(BUILD)/options
	scripts/stage.sh $(STAGE)

$(ARCHIVE)/stamp: $(SOURCES) $(BUILD)/options
	scripts/stage.sh --archive $(ARCHIVE)

# Is new whenever the library is to be built in another way.
$(BUILD)/options: always
	@mkdir -p $(BUILD)
	@echo '$(DROP_IN) $(SYMBOL_PREFIX)' | cmp -s - $@ || echo '$(DROP_IN) $(SYMBOL_PREFIX)' >$@

install uninstall: export PREFIX := $(PREFIX)
install uninstall: export LIBDIR := $(LIBDIR)
install uninstall: export INCLUDEDIR := $(INCLUDEDIR)
install uninstall: export DOCDIR := $(DOCDIR)
install uninstall: export MANDIR := $(MANDIR)
install uninstall: export DESTDIR := $(DESTDIR)

install: $(STAGE)/stamp
	scripts/install.sh $(WHERE) $(if $(filter no,$(STATIC)),--no-static)

uninstall:
	scripts/install.sh --uninstall $(WHERE)

examples: $(EXAMPLES)

$(BUILD)/%: %.c $(ARCHIVE)/stamp
	$(CC) $(CPPFLAGS) $(CFLAGS) -I$(ARCHIVE)/include -o $@ $< $(LDFLAGS) $(ARCHIVE)/lib/libshaone.a

$(BUILD)/%: %.cpp $(ARCHIVE)/stamp
	$(CXX) $(CPPFLAGS) $(CXXFLAGS) -I$(ARCHIVE)/include -o $@ $< $(LDFLAGS) $(ARCHIVE)/lib/libshaone.a

demo: examples
	scripts/demo.sh $(BUILD)

check:
	scripts/check.sh

check-cross:
	scripts/emulated.sh --all

fuzz:
	@scripts/peers.sh target/peers
	scripts/fuzz.sh $(FUZZ)

# Ours as it is shipped, and on each backend that this CPU has. What make tells its
# children only confuses cargo.
bench: $(STAGE)/stamp
	@scripts/peers.sh target/peers
	@env -u MAKEFLAGS $(CARGO) rustc --quiet --release --features force-backend --crate-type cdylib --target-dir target/force
	@env -u MAKEFLAGS SHAONE_PEERS="$$PWD/target/peers" SHAONE_LIB="$$PWD/$(STAGE)/lib/libshaone.so" \
		SHAONE_FORCED_LIB="$$PWD/target/force/release/libshaone.so" \
		$(CARGO) bench --quiet --package shaone-bench --target-dir target -- $(BENCH)

integration $(PROGRAMS:%=integration-%): all examples
	scripts/integration.sh $(INTEGRATION) $(filter $(PROGRAMS),$(@:integration-%=%))

headers:
	SHAONE_BLESS=1 $(CARGO) test -q --features capi --test headers --test man

figures:
	SHAONE_BLESS=1 $(CARGO) test -q --test readme

# All but cargo-c, if it was built here.
clean:
	find target -mindepth 1 -maxdepth 1 ! -name tools -exec rm -rf {} +

.PHONY: all help always install uninstall examples demo check check-cross fuzz bench headers figures clean \
	integration $(PROGRAMS:%=integration-%)
