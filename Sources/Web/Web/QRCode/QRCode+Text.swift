extension QRCode {
  /// The characters of a drawing.
  public enum Drawing: CaseIterable, Sendable {
    /// `▀`, `▄` and `█`: two modules in one character, one above the other, so that they are
    /// square.
    case blocks
    /// `##`, for a terminal without UTF-8: twice as wide and high.
    case ascii
  }

  /// The background of a terminal.
  public enum Background: CaseIterable, Sendable {
    /// Light text on a dark background, as in most terminals.
    case dark
    /// Dark text on a light background, as on paper.
    case light
    /// Either: the drawing sets black and white itself, by the colours 16 and 231, which no theme
    /// changes. For a terminal with 256 colours.
    case coloured
  }

  /// Light modules around the code. Cameras do not recognise it without them.
  static let quietZone = 4

  /// The code as lines of text, quiet zone included, each with a line feed.
  ///
  /// Light modules are light on every background: cameras read black on white, and few can read the
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
          // The last row may have nothing below it, where the terminal's background shows.
          : Self.sign(upper, row + 1 < places.upperBound && isInked(row + 1, column, ground))
      }
      text += ground == .coloured ? "\u{1b}[0m\n" : "\n"
    }
    return text
  }

  /// Whether a place is drawn in the colour of the text. On a dark background these are the light
  /// modules.
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
