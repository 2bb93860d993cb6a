/// A column of integers as versions 1 and 2 of the format have it.
///
/// The first value stands in eight bytes; then comes the number `width` of bytes that the largest
/// step from one value to the next needs; then the steps, zigzag-coded so that small negative
/// ones stay small, as `width` planes: the lowest byte of every step, then the next byte of every
/// step, and so on.
enum IntegerColumn {
  /// Bytes before the planes.
  private static let prefix = 9

  /// The values, or nothing if the bytes are not a column of `count` values that fit their type.
  static func decode<T: FixedWidthInteger>(
    _ type: T.Type, count: Int, from bytes: Span<UInt8>
  ) -> [T]? {
    var cursor = ByteCursor()
    guard let first = try? cursor.next(Int64.self, in: bytes),
      let width = try? cursor.next(UInt8.self, in: bytes), width <= 8
    else { return nil }
    let stepCount = max(0, count - 1)
    guard bytes.count == prefix + Int(width) * stepCount else { return nil }
    guard count > 0 else { return first == 0 ? [] : nil }
    guard let head = T(exactly: first) else { return nil }
    var values: [T] = []
    values.reserveCapacity(count)
    values.append(head)
    var previous = first
    for index in 0..<stepCount {
      var zigzag: UInt64 = 0
      for plane in 0..<Int(width) {
        zigzag |= UInt64(bytes[prefix + plane * stepCount + index]) << UInt64(8 * plane)
      }
      let step = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
      previous = previous &+ step
      guard let value = T(exactly: previous) else { return nil }
      values.append(value)
    }
    return values
  }
}
