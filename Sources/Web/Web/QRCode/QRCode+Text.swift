extension QRCode {
  /// The signs of a drawing.
  public enum Drawing: CaseIterable, Sendable {
    /// `▀`, `▄` and `█`: two modules in one sign, one above the other, which makes them square.
    case blocks
    /// `##`, for a terminal without UTF-8: twice as wide and as high.
    case ascii
  }

  /// What a terminal shows where nothing is written.
  public enum Background: CaseIterable, Sendable {
    /// A light text on a dark ground, as most terminals have.
    case dark
    /// A dark text on a light ground, as printed paper has.
    case light
    /// Either: the drawing sets black and white itself, by the colours 16 and 231, which no theme
    /// changes. For a terminal with 256 colours.
    case coloured
  }

  /// Light modules that surround the code. Cameras find none without them.
  static let quietZone = 4

  /// The code as lines of text, its quiet zone included, each with a line feed.
  ///
  /// Light modules are light on every ground: cameras read black on white, and few of them the
  /// reverse.
  public func text(_ drawing: Drawing, on ground: Background) -> String {
    let places = -Self.quietZone..<(size + Self.quietZone)
    var text = ""
    let step = drawing == .blocks ? 2 : 1
    for row in stride(from: places.lowerBound, to: places.upperBound, by: step) {
      if ground == .coloured { text += "\u{1b}[38;5;16;48;5;231m" }
      for column in places {
        let upper = isInked(row, column, ground)
        text +=
          drawing == .ascii
          ? upper ? "##" : "  "
          // The last row may have nothing below it, where the terminal's ground shows.
          : Self.sign(upper, row + 1 < places.upperBound && isInked(row + 1, column, ground))
      }
      text += ground == .coloured ? "\u{1b}[0m\n" : "\n"
    }
    return text
  }

  /// Whether a place is drawn in the colour of the text. On a dark ground that is the light part.
  private func isInked(_ row: Int, _ column: Int, _ ground: Background) -> Bool {
    isDark(row: row, column: column) != (ground == .dark)
  }

  private static func sign(_ isUpper: Bool, _ isLower: Bool) -> String {
    switch (isUpper, isLower) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }
}
