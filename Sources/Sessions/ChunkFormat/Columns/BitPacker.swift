/// Packs small numbers into words that the caller passes with each call. The highest bit of each
/// number comes first.
struct BitPacker {
  /// Number of full words. The next word may already have been written in part.
  private var index = 0
  /// The bits after the full words, in the lowest `used` positions; higher bits are ignored.
  private var rest: UInt64 = 0
  private var used = 0

  /// Appends a number as `count` bits, at most 32. The number must fit in `count` bits.
  @inline(__always)
  mutating func put(_ bits: UInt64, count: Int, into words: inout MutableSpan<UInt32>) {
    rest = rest &<< UInt64(truncatingIfNeeded: count) | bits
    used &+= count
    // The word is always written, since a branch would be mispredicted about a third of the time.
    // The index advances only when the word is full.
    words[index] = top
    index &+= used &>> 5
    used &= 31
  }

  /// Appends a number of up to 64 bits.
  mutating func putWide(_ bits: UInt64, count: Int, into words: inout MutableSpan<UInt32>) {
    if count > 32 { put(bits >> 32, count: count - 32, into: &words) }
    put(bits & 0xffff_ffff, count: min(count, 32), into: &words)
  }

  /// Appends the packed numbers to `bytes`, padded with zero bits to a whole number of bytes.
  func finish(_ words: inout MutableSpan<UInt32>, into bytes: inout [UInt8]) {
    if used > 0 { words[index] = top }
    let length = 4 * index + (used + 7) / 8
    for place in 0..<index { words[place] = words[place].byteSwapped }
    if used > 0 { words[index] = words[index].byteSwapped }
    // Safety: the words outlive the call, and their first `length` bytes have been written.
    unsafe words.span.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0.prefix(length)) }
  }

  /// The next word, with the bits that have been packed into it so far.
  @inline(__always)
  private var top: UInt32 {
    UInt32(truncatingIfNeeded: (rest &<< UInt64(truncatingIfNeeded: 64 &- used)) &>> 32)
  }
}
