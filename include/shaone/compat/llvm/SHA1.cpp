/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * llvm::SHA1 on shaone: takes the place of llvm/lib/Support/SHA1.cpp.
 *
 * Compile it with the headers of the LLVM that the program uses, 13 or newer, and
 * link it and libshaone before LLVM's libraries; or make a shared object of it, to
 * be loaded before libLLVM.
 *
 * The class is LLVM's own, and its fields mean what they mean to LLVM: of a hash
 * below 4 GiB, some parts can be done by LLVM's code and some by this. Beyond,
 * LLVM's count of bytes wraps and its digests are wrong; ours are right up to
 * 1 TiB, and in hash() at any length. final() leaves the state as result() does.
 */
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA1.h"

#include <cstring>

/* git's names for the three steps are the ones that a program is least likely to
 * have for functions of its own, which would then be called from here. */
#include "../../../shaone.h"
#include "../../be.h"
#include "../git/block-sha1/sha1.h"

namespace {

/* LLVM's BufferOffset is always ByteCount % 64. So the difference can carry bits
 * 32 to 39 of the count, and there is none as long as LLVM counts right. */
template <typename State> uint64_t length(const State &S) {
  return uint64_t((S.BufferOffset ^ S.ByteCount % 64) & 0xff) << 32 |
         S.ByteCount;
}

/* LLVM keeps the waiting bytes as words in the order of the host. */
template <typename State> blk_SHA_CTX load(const State &S) {
  blk_SHA_CTX C;
  C.size = length(S);
  std::memcpy(C.H, S.State, sizeof C.H);
  for (unsigned I = 0; I * 4 < C.size % 64; I++)
    put_be32(&C.W[I], S.Buffer.L[I]);
  return C;
}

template <typename State> void store(State &S, const blk_SHA_CTX &C) {
  S.ByteCount = uint32_t(C.size);
  S.BufferOffset = uint8_t((C.size >> 32) ^ C.size % 64);
  std::memcpy(S.State, C.H, sizeof C.H);
  for (unsigned I = 0; I * 4 < C.size % 64; I++)
    S.Buffer.L[I] = get_be32(&C.W[I]);
}

template <typename State>
void add(State &S, const void *Data, std::size_t Size) {
  blk_SHA_CTX C = load(S);
  blk_SHA1_Update(&C, Data, Size);
  store(S, C);
}

template <typename State> std::array<uint8_t, 20> digest(const State &S) {
  std::array<uint8_t, 20> Digest;
  blk_SHA_CTX C = load(S);
  blk_SHA1_Final(Digest.data(), &C);
  return Digest;
}

} // namespace

namespace llvm {

void SHA1::init() {
  blk_SHA_CTX C;
  blk_SHA1_Init(&C);
  store(InternalState, C);
}

void SHA1::update(ArrayRef<uint8_t> Data) {
  add(InternalState, Data.data(), Data.size());
}

void SHA1::update(StringRef Str) {
  add(InternalState, Str.data(), Str.size());
}

#if LLVM_VERSION_MAJOR < 15

StringRef SHA1::final() { return result(); }

StringRef SHA1::result() {
  std::array<uint8_t, 20> Digest = digest(InternalState);
  std::memcpy(HashResult, Digest.data(), Digest.size());
  return StringRef(reinterpret_cast<const char *>(HashResult), Digest.size());
}

#else

std::array<uint8_t, 20> SHA1::final() { return result(); }

std::array<uint8_t, 20> SHA1::result() { return digest(InternalState); }

#endif

std::array<uint8_t, 20> SHA1::hash(ArrayRef<uint8_t> Data) {
  std::array<uint8_t, 20> Digest;
  shaone_digest(Data.data(), Data.size(), Digest.data());
  return Digest;
}

} // namespace llvm
