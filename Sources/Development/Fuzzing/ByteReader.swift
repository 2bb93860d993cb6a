/// Reads a fuzzer's input from the start. After the end, it returns zeros.
struct ByteReader {
  private let input: [UInt8]
  private var position = 0

  init(_ input: [UInt8]) { self.input = input }

  var isAtEnd: Bool { position >= input.count }

  mutating func byte() -> UInt8 {
    guard !isAtEnd else { return 0 }
    defer { position += 1 }
    return input[position]
  }

  /// Returns the next `count` bytes, or fewer if the input ends.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let end = min(position + count, input.count)
    defer { position = end }
    return Array(input[position..<end])
  }
}
