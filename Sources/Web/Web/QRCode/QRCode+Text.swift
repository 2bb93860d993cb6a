extension QRCode {
  /// The characters with which a code is drawn.
  public enum Drawing: CaseIterable, Sendable {
    /// `▀`, `▄` and `█`: two modules per character, one above the other, so that the modules are
    /// square.
    case blocks
    /// `##`, for a terminal without UTF-8. The drawing is twice as wide and high.
    case ascii
  }

  public enum Background: CaseIterable, Sendable {
    /// Light text on a dark background, as in most terminals.
    case dark
    /// Dark text on a light background, as on paper.
    case light
    /// Works on any background: the text itself sets black and white, using the colours 16 and 231,
    /// which no theme changes. For a terminal with 256 colours.
    case coloured
  }

  /// Width of the light margin around the code, in modules. Cameras do not recognise the code
  /// without it.
  static let quietZone = 4

  /// Returns the code as lines of text, including the quiet zone. Each line ends with a line feed.
  ///
  /// Light modules are drawn light on every background. Cameras read black on white, and only a few
  /// can read the reverse.
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
          // After an odd number of rows, the lower half of the last line shows the terminal's
          // background.
          : Self.sign(upper, row + 1 < places.upperBound && isInked(row + 1, column, ground))
      }
      text += ground == .coloured ? "\u{1b}[0m\n" : "\n"
    }
    return text
  }

  /// Returns whether a module is drawn in the text colour. On a dark background, the light modules
  /// are drawn in the text colour.
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
