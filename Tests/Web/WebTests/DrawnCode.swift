import Web

/// A QR code drawn on a terminal, as light and dark dots. Each module of the code is one dot.
struct DrawnCode {
  private(set) var isLight: [[Bool]] = []

  init(_ text: String, _ drawing: QRCode.Drawing, on ground: QRCode.Background) {
    let colours = ["\u{1b}[38;5;16;48;5;231m", "\u{1b}[0m"]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      var line = String(line)
      // The colours are black on a white background.
      for colour in colours where ground == .coloured {
        line = line.split(separator: colour, omittingEmptySubsequences: false).joined()
      }
      switch drawing {
      case .blocks:
        isLight.append(line.map { ("█▀".contains($0)) == (ground == .dark) })
        isLight.append(line.map { ("█▄".contains($0)) == (ground == .dark) })
      case .ascii:
        // Each module is two characters wide.
        isLight.append(
          line.enumerated().filter { $0.offset.isMultiple(of: 2) }
            .map { ($0.element == "#") == (ground == .dark) })
      }
    }
  }

  /// Returns the image in PGM format, in which each dot is a square with sides of this many pixels.
  func picture(scale: Int) -> [UInt8] {
    let width = (isLight.first?.count ?? 0) * scale
    var picture = Array("P5\n\(width) \(isLight.count * scale)\n255\n".utf8)
    for row in isLight {
      let line = row.flatMap { Array(repeating: UInt8($0 ? 255 : 0), count: scale) }
      for _ in 0..<scale { picture += line }
    }
    return picture
  }
}
