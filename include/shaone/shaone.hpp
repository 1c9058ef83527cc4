/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * shaone for C++ (11 and newer): a class of the shape of llvm::SHA1, for programs
 * without LLVM and messages of any length.
 *
 *     shaone::sha1 hash;
 *     hash.update("Hello ");
 *     hash.update("World!");
 *     std::array<unsigned char, 20> digest = hash.final();
 *
 * Nothing here throws or allocates. An object is plain data: copy it to go on in
 * two ways. One thread at a time may use one.
 */
#ifndef SHAONE_HPP
#define SHAONE_HPP

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../shaone.h"

namespace shaone {

class sha1 {
    /* Whatever has data() and size() in bytes: std::string, std::string_view,
     * std::vector<unsigned char>, std::array, std::span, llvm::StringRef. */
    template <typename Bytes>
    using if_bytes = typename std::enable_if<
        sizeof(*std::declval<const Bytes &>().data()) == 1 &&
        std::is_convertible<decltype(std::declval<const Bytes &>().size()), std::size_t>::value>::type;

public:
    using digest_type = std::array<unsigned char, 20>;

    sha1() noexcept : context(begun()) {}

    /** Start anew. */
    void init() noexcept { shaone_init(&context); }

    /** Hash size more bytes; data may be null when size is 0. */
    void update(const void *data, std::size_t size) noexcept { shaone_update(&context, data, size); }

    /** Hash the bytes of a container or a view. */
    template <typename Bytes, typename = if_bytes<Bytes>> void update(const Bytes &bytes) noexcept
    {
        update(bytes.data(), bytes.size());
    }

    /** Hash a string up to its NUL. */
    void update(const char *string) noexcept { update(string, std::strlen(string)); }

    /** The digest. The object then is as after init(). */
    digest_type final() noexcept
    {
        digest_type digest;
        shaone_final(digest.data(), &context);
        init();
        return digest;
    }

    /** The digest of what was hashed so far; the computation goes on. */
    digest_type result() const noexcept
    {
        digest_type digest;
        shaone_peek(digest.data(), &context);
        return digest;
    }

    /** The digest of size bytes; data may be null when size is 0. */
    static digest_type hash(const void *data, std::size_t size) noexcept
    {
        digest_type digest;
        shaone_digest(data, size, digest.data());
        return digest;
    }

    template <typename Bytes, typename = if_bytes<Bytes>> static digest_type hash(const Bytes &bytes) noexcept
    {
        return hash(bytes.data(), bytes.size());
    }

    static digest_type hash(const char *string) noexcept { return hash(string, std::strlen(string)); }

private:
    static shaone_ctx begun() noexcept
    {
        shaone_ctx begun;
        shaone_init(&begun);
        return begun;
    }

    shaone_ctx context;
};

} // namespace shaone

#endif // SHAONE_HPP
