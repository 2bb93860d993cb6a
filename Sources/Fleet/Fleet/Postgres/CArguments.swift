/// Stores byte strings for a C function that accepts an array of pointers to them.
struct CArguments {
  /// All strings, each followed by a zero byte.
  private var bytes: [UInt8] = []
  /// Each string's offset; `nil` for NULL.
  private var starts: [Int?] = []

  init(_ strings: [[UInt8]?]) {
    bytes.reserveCapacity(strings.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
    for string in strings {
      starts.append(string.map { _ in bytes.count })
      bytes += string ?? []
      bytes.append(0)
    }
  }

  /// Creates an array of strings that ends with NULL.
  init(texts: [String]) {
    self.init(texts.map { Array($0.utf8) } + [nil])
  }

  /// Calls `body` with the array of pointers, which are valid only during the call.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    // Safety: each start is within the bytes, and both arrays outlive the call.
    unsafe bytes.withUnsafeBytes { bytes in
      var pointers = unsafe [UnsafePointer<CChar>?]()
      for start in starts {
        let text = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        unsafe pointers.append(start.flatMap { start in unsafe text?.advanced(by: start) })
      }
      return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
  }
}
