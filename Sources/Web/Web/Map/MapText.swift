internal import Values

/// Cleans text from a map file, which anyone may have written.
enum MapText {
  private static let entities = [
    ("&copy;", "©"), ("&nbsp;", " "), ("&amp;", "&"), ("&quot;", "\""), ("&#169;", "©"),
  ]

  /// Converts HTML, the usual format of attributions, to plain text without tags, and without any
  /// character that could begin a tag. Returns at most `count` characters, without control
  /// characters.
  static func plain(_ html: String, upTo count: Int) -> String {
    var text = ""
    var isInTag = false
    for scalar in html.unicodeScalars.prefix(count * 8) {
      switch scalar {
      case "<": isInTag = true
      case ">": isInTag = false
      default:
        if !isInTag, isShown(scalar) { text.unicodeScalars.append(scalar) }
      }
    }
    for (entity, sign) in entities { text = text.replacing(entity, by: sign) }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
