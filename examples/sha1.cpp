/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * usage: sha1 [FILE...]
 *
 * Prints the SHA-1 of each file, or of standard input: shaone.hpp in use.
 */
#include <shaone/shaone.hpp>

#include <array>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

static std::string hex(const shaone::sha1::digest_type &digest)
{
    std::string text;

    for (unsigned char byte : digest) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

static bool print(std::istream &in, const char *name)
{
    shaone::sha1 hash;
    std::vector<char> piece(1 << 16);

    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0)
        hash.update(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (in.bad() || !in.eof()) {
        std::cerr << "sha1: " << name << ": cannot be read\n";
        return false;
    }
    std::cout << hex(hash.final()) << "  " << name << '\n';
    return true;
}

int main(int argc, char **argv)
{
    bool good = true;

    if (argc < 2)
        good = print(std::cin, "-");
    for (int i = 1; i < argc; i++) {
        std::ifstream file(argv[i], std::ios::binary);

        good &= print(file, argv[i]);
    }
    return good && std::cout.flush() ? 0 : 1;
}
