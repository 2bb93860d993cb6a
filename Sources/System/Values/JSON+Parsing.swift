extension JSON {
  /// Reads a JSON text (RFC 8259) in UTF-8. Of a repeated name, the last value counts.
  public init(parsing text: [UInt8]) throws(JSONError) {
    var parser = JSONParser(text)
    self = try parser.value()
    try parser.finish()
  }
}
