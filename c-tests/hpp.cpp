/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* shaone.hpp, as each C++ since 2011 and without exceptions. Says what fails. */
#include <shaone/shaone.hpp>

#include <cstdio>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#if __cplusplus >= 202002L
#include <span>
#endif

static unsigned long failed;

static void check(bool good, const char *what, std::size_t where)
{
    if (!good && failed++ < 20)
        std::printf("FAIL: %s, %zu\n", what, where);
}
#define CHECK(what, where) check((what), #what, (where))

static std::string hex(const shaone::sha1::digest_type &digest)
{
    std::string text;
    char byte[3];

    for (unsigned char b : digest) {
        std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned>(b));
        text += byte;
    }
    return text;
}

static void views()
{
    const char *hello = "2ef7bde608ce5404e97d5f042f95f89f1c232871";
    const std::string string = "Hello World!";
    const std::vector<unsigned char> bytes(string.begin(), string.end());
    const std::array<char, 12> array{{'H', 'e', 'l', 'l', 'o', ' ', 'W', 'o', 'r', 'l', 'd', '!'}};
    shaone::sha1 hash;

    CHECK(hex(shaone::sha1::hash("Hello World!")) == hello, 0);
    CHECK(hex(shaone::sha1::hash(string)) == hello, 0);
    CHECK(hex(shaone::sha1::hash(bytes)) == hello, 0);
    CHECK(hex(shaone::sha1::hash(array)) == hello, 0);
    CHECK(hex(shaone::sha1::hash(array.data(), array.size())) == hello, 0);
    hash.update("Hello ");
    hash.update(string.substr(6));
    CHECK(hex(hash.result()) == hello, 0);
#if __cplusplus >= 201703L
    hash.init();
    hash.update(std::string_view(string).substr(0, 5));
    hash.update(std::string_view(string).substr(5));
    CHECK(hex(hash.final()) == hello, 0);
#endif
#if __cplusplus >= 202002L
    CHECK(hex(shaone::sha1::hash(std::span<const unsigned char>(bytes))) == hello, 0);
    CHECK(hex(shaone::sha1::hash(std::as_bytes(std::span<const char>(array)))) == hello, 0);
#endif
    hash.init();
    for (int i = 0; i < 3; i++)
        hash.update("123456789012345678901234567890");
    hash.update("1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
                "12345678901234567890");
    CHECK(hex(hash.final()) == "3e4a614101ad84985ab0fe54dc12a6d71551e5ae", 0);
    CHECK(hex(hash.final()) == "da39a3ee5e6b4b0d3255bfef95601890afd80709", 0);
    hash.update(nullptr, 0);
    CHECK(hex(hash.result()) == "da39a3ee5e6b4b0d3255bfef95601890afd80709", 0);
}

static void pieces()
{
    std::string data;

    for (unsigned i = 0; i < 300; i++)
        data += static_cast<char>(i * 167 >> 3);
    for (std::size_t len = 0; len <= data.size(); len++) {
        const shaone::sha1::digest_type want = shaone::sha1::hash(data.data(), len);

        for (std::size_t at = 0; at <= len; at += 7) {
            shaone::sha1 hash;

            hash.update(data.data(), at);
            CHECK(hash.result() == shaone::sha1::hash(data.data(), at), at);
            shaone::sha1 copy = hash;
            hash.update(data.data() + at, len - at);
            CHECK(hash.final() == want, len);
            copy.update(data.data() + at, len - at);
            CHECK(copy.result() == want, len);
            CHECK(copy.final() == want, len);
        }
    }
}

static_assert(std::is_trivially_copyable<shaone::sha1>::value && sizeof(shaone::sha1) == sizeof(shaone_ctx),
              "plain data");

int main()
{
    views();
    pieces();
    return failed != 0;
}
