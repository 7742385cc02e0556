// Bytes of a text: eight at a time, their order, their hashes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(_MSC_VER)
#include <intrin.h>
#include <stdlib.h>
#endif

namespace core {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using std::size_t;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first of eight bytes has to be the lowest of a word"
#endif

// So many bytes behind the end of a text can be read.
constexpr size_t PADDING = 64;

inline u64 swapped(u64 word) {
#if defined(_MSC_VER)
  return _byteswap_uint64(word);
#else
  return __builtin_bswap64(word);
#endif
}

// Eight bytes, the first one the lowest of the word.
inline u64 word_at(const char* p) {
  u64 word;
  std::memcpy(&word, p, 8);
  return word;
}

// The first n bytes of a word, the others 0.
inline u64 head(u64 word, size_t n) {
  return n >= 8 ? word : word & ((u64(1) << (8 * n)) - 1);
}

// The first n bytes, at most 8, as a number in the order of bytes: they are its highest.
inline u64 ordered(const char* p, size_t n) { return swapped(head(word_at(p), n)); }

inline bool same(const char* a, const char* b, size_t n) {
  if (n <= 8) return head(word_at(a) ^ word_at(b), n) == 0;
  return std::memcmp(a, b, n) == 0;
}

// Whether one string comes behind another in the order of bytes.
inline bool behind(const char* a, size_t n, const char* b, size_t m) {
  int order = std::memcmp(a, b, n < m ? n : m);
  return order ? order > 0 : n > m;
}

// Ask for what stands in memory there, without waiting for it.
inline void fetched(const void* place) {
#if defined(_MSC_VER)
  _mm_prefetch(static_cast<const char*>(place), _MM_HINT_T0);
#else
  __builtin_prefetch(place);
#endif
}

// The two halves of a product of 128 bits, one upon the other.
inline u64 folded(u64 a, u64 b) {
#if defined(_MSC_VER)
  u64 high;
  u64 low = _umul128(a, b, &high);
  return low ^ high;
#else
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
#endif
}

// A test makes most hashes equal.
#if !defined(IRMETA_HASH_MASK)
#define IRMETA_HASH_MASK ~0ull
#endif

// Hashes whose two keys are drawn at random for each process: nobody can choose ids that collide. Never 0.
struct Hash {
  u64 start;
  u64 factor;

  u64 operator()(const char* p, size_t n) const {
    u64 hash = start ^ n;
    for (; n > 8; p += 8, n -= 8) hash = folded(word_at(p) ^ hash, factor);
    hash = folded(head(word_at(p), n) ^ hash, factor ^ start) & IRMETA_HASH_MASK;
    return hash ? hash : 1;
  }
};

// A hash that is the same in every process, and in irmeta.io.runs.fields: for telling rankings from each other.
constexpr u64 MIX = 0x9E3779B97F4A7C15ull;

inline u64 scrambled(u64 word) {
  word *= MIX;
  word ^= word >> 32;
  return word * MIX;
}

inline u64 fixed_hash(const char* p, size_t n) {
  u64 hash = scrambled(ordered(p, n));
  while (n > 8) {
    p += 8;
    n -= 8;
    hash = scrambled(hash ^ ordered(p, n));
  }
  return hash;
}

}  // namespace core
