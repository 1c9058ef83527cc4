/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * usage: llvm_sha1 [large]
 *
 * Prints what llvm::SHA1 gives for many inputs, to be compared between LLVM's own
 * and ours. With "large", what LLVM's own gets wrong from 4 GiB on is checked.
 * Compiled with MIXED, it has both, ours under other names, and uses them in turns
 * on one object.
 */
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA1.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using llvm::ArrayRef;
using llvm::StringRef;

/* A StringRef in old LLVMs, an array in new ones. */
template <typename Digest> static std::string hex(const Digest &digest)
{
    std::string text;
    char byte[3];

    for (auto b : digest) {
        std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned>(static_cast<unsigned char>(b)));
        text += byte;
    }
    return text;
}

static std::vector<uint8_t> some_bytes(size_t size)
{
    std::vector<uint8_t> data(size);
    uint32_t x = 1;

    for (uint8_t &byte : data)
        byte = static_cast<uint8_t>((x = x * 1664525 + 1013904223) >> 24);
    return data;
}

static int failed;

static void expect(const char *what, const std::string &got, const std::string &want)
{
    if (got == want)
        return;
    std::printf("FAIL: %s: %s, not %s\n", what, got.c_str(), want.c_str());
    failed = 1;
}

static void known()
{
    llvm::SHA1 hash;
    std::string all;

    hash.update(StringRef("Hello World!"));
    expect("Hello World!", hex(hash.result()), "2ef7bde608ce5404e97d5f042f95f89f1c232871");
    hash.init();
    for (int i = 0; i < 3; i++)
        hash.update(StringRef("123456789012345678901234567890"));
    for (int i = 0; i < 4; i++)
        all += "123456789012345678901234567890";
    hash.update(StringRef(all));
    expect("the long string", hex(hash.result()), "3e4a614101ad84985ab0fe54dc12a6d71551e5ae");
    expect("the same again", hex(hash.final()), "3e4a614101ad84985ab0fe54dc12a6d71551e5ae");
    expect("nothing", hex(llvm::SHA1::hash(ArrayRef<uint8_t>())), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

#ifdef MIXED

/* Names that the test script gives to ours. */
void our_init(llvm::SHA1 *) __asm__("ours__ZN4llvm4SHA14initEv");
void our_update(llvm::SHA1 *, ArrayRef<uint8_t>) __asm__("ours__ZN4llvm4SHA16updateENS_8ArrayRefIhEE");

static void mixed()
{
    const std::vector<uint8_t> data = some_bytes(1000);

    std::srand(1);
    for (int round = 0; round < 20000; round++) {
        llvm::SHA1 hash;
        size_t at = 0;

        if (round % 2)
            our_init(&hash);
        while (at < data.size()) {
            size_t len = static_cast<size_t>(std::rand()) % 150;
            ArrayRef<uint8_t> piece(data.data() + at, len < data.size() - at ? len : data.size() - at);

            if (std::rand() % 2)
                our_update(&hash, piece);
            else
                hash.update(piece);
            at += piece.size();
            if (std::rand() % 8 == 0)
                break;
        }
        expect("both in turns", hex(hash.final()), hex(llvm::SHA1::hash(ArrayRef<uint8_t>(data.data(), at))));
    }
}

#else

static void listing()
{
    const std::vector<uint8_t> data = some_bytes(300);

    std::printf("%zu bytes\n", sizeof(llvm::SHA1));
    for (size_t len = 0; len <= data.size(); len++) {
        ArrayRef<uint8_t> all(data.data(), len);

        std::printf("%zu %s\n", len, hex(llvm::SHA1::hash(all)).c_str());
        for (size_t at = 0; at <= len; at += len / 50 + 1) {
            llvm::SHA1 hash;

            hash.update(all.slice(0, at));
            std::string first = hex(hash.result());
            llvm::SHA1 copy = hash;
            for (size_t i = at; i < len; i += 70)
                hash.update(StringRef(reinterpret_cast<const char *>(data.data()) + i, len - i < 70 ? len - i : 70));
            copy.update(all.slice(at));
            std::string second = hex(copy.result());
            std::printf("%zu %s %s %s %s\n", at, first.c_str(), second.c_str(), hex(copy.final()).c_str(),
                        hex(hash.final()).c_str());
        }
    }
}

static void large()
{
    const size_t four = static_cast<size_t>(1) << 32, size = four + 1000;
    void *zeros = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    llvm::SHA1 hash;

    if (zeros == MAP_FAILED) {
        std::perror("mmap");
        std::exit(2);
    }
    ArrayRef<uint8_t> all(static_cast<const uint8_t *>(zeros), size);
    expect("4 GiB", hex(llvm::SHA1::hash(all.slice(0, four))), "1bf99ee9f374e58e201e4dda4f474e570eb77229");
    hash.update(all.slice(0, four - 30));
    llvm::SHA1 one = hash;
    one.update(all.slice(0, 30));
    expect("4 GiB in two", hex(one.result()), "1bf99ee9f374e58e201e4dda4f474e570eb77229");
    hash.update(all.slice(0, 60));
    one = hash;
    one.update(all.slice(0, 33));
    std::string want = hex(llvm::SHA1::hash(all.slice(0, four + 63)));
    expect("4 GiB and 63 bytes", hex(one.final()), want);
    hash.update(all.slice(0, 970));
    expect("4 GiB and 1000 bytes", hex(hash.final()), hex(llvm::SHA1::hash(all)));
    munmap(zeros, size);
}

#endif

int main(int argc, char **argv)
{
    known();
#ifdef MIXED
    mixed();
#else
    if (argc > 1 && std::strcmp(argv[1], "large") == 0)
        large();
    else
        listing();
#endif
    (void)argc, (void)argv;
    return failed;
}
