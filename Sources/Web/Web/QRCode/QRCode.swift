internal import CQrencode

/// A QR code: a text that a phone reads with its camera (ISO/IEC 18004).
///
/// The page's address for a terminal, where there is the library to make it:
///
///     let code = QRCode("http://192.168.4.1:8080/")
///     let picture = code?.text(.blocks, on: .dark)
public struct QRCode: Hashable, Sendable {
  /// The number of modules on each side.
  public let size: Int
  /// Row by row, whether a module is dark.
  private let modules: [Bool]

  /// The longest text, in bytes. Codes with more do not fit on a terminal.
  private static let longest = 200

  /// The code of a text; `nil` if libqrencode is not installed, or the text is empty or longer than
  /// 200 bytes in UTF-8.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.longest).contains(bytes.count), cqrencode_is_there() != 0,
      // A seventh of the code may be hidden, as by a reflection. Version 0 is the smallest that
      // has room.
      let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
    else { return nil }
    // Safety: the library's code lives until it is freed at the end of this scope, and has a byte
    // for each of width × width modules, whose lowest bit says that it is dark.
    defer { unsafe QRcode_free(code) }
    let size = Int(unsafe code.pointee.width)
    let start = unsafe code.pointee.data
    let data = unsafe UnsafeBufferPointer(start: start, count: size * size)
    self.size = size
    modules = unsafe data.map { $0 & 1 == 1 }
  }

  /// Whether a module is dark. Beyond the code all is light.
  public func isDark(row: Int, column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
  }
}
