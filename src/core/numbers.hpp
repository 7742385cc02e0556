// Decimal numbers, correctly rounded, as Python's float() reads them.
#pragma once
#include <charconv>
#include <cmath>
#include <system_error>
#if defined(__APPLE__)
#include <xlocale.h>
#include <cstdlib>
#endif

#include "bytes.hpp"

namespace core {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Whether eight bytes are digits: the high half of each is 3, and still is once 6 is added.
inline bool eight_digits(u64 word) {
  u64 high = word & 0xF0F0F0F0F0F0F0F0ull;
  u64 carried = ((word + 0x0606060606060606ull) & 0xF0F0F0F0F0F0F0F0ull) >> 4;
  return (high | carried) == 0x3333333333333333ull;
}

// The number that eight digits spell: neighbours are joined to pairs, fours and eight.
inline u64 of_eight(u64 word) {
  word -= 0x3030303030303030ull;
  word = word * 10 + (word >> 8);
  u64 first = (word & 0x000000FF000000FFull) * 0x000F424000000064ull;
  u64 second = ((word >> 16) & 0x000000FF000000FFull) * 0x0000271000000001ull;
  return (first + second) >> 32;
}

// A few digits to a number, modulo 2^64, behind those of `number`; p stops behind them.
inline u64 digits(const char*& p, u64 number) {
  while (is_digit(*p)) number = 10 * number + static_cast<u64>(*p++ - '0');
  return number;
}

// The same of many digits.
inline u64 many_digits(const char*& p, u64 number) {
  for (u64 word; eight_digits(word = word_at(p)); p += 8) number = 100000000 * number + of_eight(word);
  return digits(p, number);
}

// What no short way reads: many digits, large exponents. False where this platform's library cannot.
inline bool long_number(const char* p, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)
  p += *p == '+';
  std::from_chars_result read = std::from_chars(p, end, value);
  return read.ec == std::errc() && read.ptr == end;
#elif defined(__APPLE__)
  char* stop;
  value = strtod_l(p, &stop, nullptr);
  return stop == end && std::isfinite(value);
#else
  (void)p, (void)end, (void)value;
  return false;
#endif
}

// Read a decimal number that ends in a blank; false for what is none, and for infinities.
inline bool number(const char* const begin, const char* const end, double& value) {
  static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* p = begin;
  const bool negative = *p == '-';
  p += negative || *p == '+';
  const char* const first = p;
  u64 all = digits(p, 0);
  i64 count = p - first;
  i64 power = 0;
  if (*p == '.') {
    const char* const point = ++p;
    all = many_digits(p, all);
    power = point - p;
    count -= power;
  }
  if (!count) return false;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool below = *p == '-';
    p += below || *p == '+';
    const char* const from = p;
    const u64 exponent = digits(p, 0);
    if (p == from || p - from > 9) return false;
    power += below ? -static_cast<i64>(exponent) : static_cast<i64>(exponent);
  }
  if (p != end) return false;
  // up to 2^53 and 10^22 both are exact, and IEEE arithmetic rounds once
  if (count <= 19 && all <= u64(1) << 53 && -22 <= power && power <= 22) {
    value = static_cast<double>(all);
    value = power < 0 ? value / POWERS[-power] : value * POWERS[power];
    if (negative) value = -value;
    return true;
  }
  return long_number(begin, end, value);
}

}  // namespace core
