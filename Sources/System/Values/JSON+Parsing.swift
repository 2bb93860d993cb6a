extension JSON {
  /// Parses a JSON document (RFC 8259) in UTF-8. If a name occurs more than once in an object, the
  /// last value is used.
  public init(parsing text: [UInt8]) throws(JSONError) {
    var parser = JSONParser(text)
    self = try parser.value()
    try parser.finish()
  }
}
