/// Puts numbers of any few bits one after the other, the highest bit of each first, into words that
/// are lent at each call.
struct BitPacker {
  /// Words that are full; one more is touched.
  private var index = 0
  /// The bits after them, in the lowest `used` places; those above do not matter.
  private var rest: UInt64 = 0
  private var used = 0

  /// Appends a number in so many bits, at most 32; it must have no more.
  @inline(__always)
  mutating func put(_ bits: UInt64, count: Int, into words: inout MutableSpan<UInt32>) {
    rest = rest &<< UInt64(truncatingIfNeeded: count) | bits
    used &+= count
    // Always written, since a branch would be guessed wrong every third time; it counts only when
    // the word is full.
    words[index] = top
    index &+= used &>> 5
    used &= 31
  }

  /// The same for a number of up to 64 bits.
  mutating func putWide(_ bits: UInt64, count: Int, into words: inout MutableSpan<UInt32>) {
    if count > 32 { put(bits >> 32, count: count - 32, into: &words) }
    put(bits & 0xffff_ffff, count: min(count, 32), into: &words)
  }

  /// Appends the packed numbers to bytes, filled up with zeros to a whole one.
  func finish(_ words: inout MutableSpan<UInt32>, into bytes: inout [UInt8]) {
    if used > 0 { words[index] = top }
    let length = 4 * index + (used + 7) / 8
    for place in 0..<index { words[place] = words[place].byteSwapped }
    if used > 0 { words[index] = words[index].byteSwapped }
    // Safety: the words outlive the call, and `length` bytes of them were written.
    unsafe words.span.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0.prefix(length)) }
  }

  /// The next word as far as it is known.
  @inline(__always)
  private var top: UInt32 {
    UInt32(truncatingIfNeeded: (rest &<< UInt64(truncatingIfNeeded: 64 &- used)) &>> 32)
  }
}
