internal import CQrencode

/// A QR code: text in a form that a phone's camera can read (ISO/IEC 18004).
///
/// This example draws the page's address for a terminal, if the library is installed:
///
///     let code = QRCode("http://192.168.4.1:8080/")
///     let picture = code?.text(.blocks, on: .dark)
public struct QRCode: Hashable, Sendable {
  /// The number of modules on each side.
  public let size: Int
  /// For each module, row by row, whether the module is dark.
  private let modules: [Bool]

  /// Maximum length of the text in bytes. Larger codes do not fit on a terminal.
  private static let longest = 200

  /// Creates the code for a string; `nil` if libqrencode is not installed, or if the string is
  /// empty or longer than 200 bytes in UTF-8.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.longest).contains(bytes.count), cqrencode_is_there() != 0,
      // The code remains readable if up to a seventh of it is obscured, for example by a
      // reflection. Version 0 selects the smallest size that can contain the text.
      let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
    else { return nil }
    // Safety: the library's code is valid until it is freed at the end of this scope. It has one
    // byte for each of width × width modules. A byte's lowest bit is set if the module is dark.
    defer { unsafe QRcode_free(code) }
    let size = Int(unsafe code.pointee.width)
    let start = unsafe code.pointee.data
    let data = unsafe UnsafeBufferPointer(start: start, count: size * size)
    self.size = size
    modules = unsafe data.map { $0 & 1 == 1 }
  }

  /// Returns whether a module is dark. All modules outside the code are light.
  public func isDark(row: Int, column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
  }
}
