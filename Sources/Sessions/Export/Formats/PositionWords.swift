internal import Recording

/// Writes sample positions. Words that occur in positions are encoded only once.
struct PositionWords {
  /// The text written in place of a position, for each reason why a sample has no position.
  let absences: [[UInt8]]
  /// The text for each fix quality, including the separators around it.
  private let qualities: [[UInt8]]
  private let methods: [[UInt8]]

  init(isJSON: Bool) {
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    absences = [PositionTag.Absence.noReceiver, .noFix, .stale].map { absence in
      bytes(
        isJSON ? #","position":null,"no_position":"\#(absence.name)""# : ",,,,,,\(absence.name),")
    }
    qualities = (0...8).map { number in
      let word = Fix.Quality(rawValue: UInt8(number))?.word ?? ""
      return bytes(isJSON ? #","quality":"\#(word)","age":"# : ",\(word),")
    }
    methods = [PositionTag.Method.interpolated, .last].map { method in
      bytes(isJSON ? #","method":"\#(method.name)","error":"# : ",\(method.name),")
    }
  }

  /// Appends a position as fields of a row. A comma precedes each field.
  @inline(__always)
  func append(fieldsOf tag: PositionTag, to buffer: inout TextBuffer) {
    buffer.appendComma()
    buffer.append(tag.latitude, decimals: 7)
    buffer.appendComma()
    buffer.append(tag.longitude, decimals: 7)
    buffer.appendComma()
    if let altitude = tag.altitudeMSL { buffer.append(altitude, decimals: 2) }
    buffer.append(qualities[Int(tag.quality.rawValue)])
    buffer.append(tag.age, decimals: 3)
    buffer.append(methods[Int(tag.method.rawValue)])
    if let error = tag.error { buffer.append(error, decimals: 2) }
  }

  /// Appends a position as a member of an object. A comma precedes the member.
  @inline(__always)
  func append(membersOf tag: PositionTag, to buffer: inout TextBuffer) {
    buffer.append(Self.latitude)
    buffer.append(tag.latitude, decimals: 7)
    buffer.append(Self.longitude)
    buffer.append(tag.longitude, decimals: 7)
    buffer.append(Self.altitude)
    Self.append(tag.altitudeMSL, to: &buffer)
    buffer.append(qualities[Int(tag.quality.rawValue)])
    buffer.append(tag.age, decimals: 3)
    buffer.append(methods[Int(tag.method.rawValue)])
    Self.append(tag.error, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
  }

  private static func append(_ value: Double?, to buffer: inout TextBuffer) {
    if let value { buffer.append(value, decimals: 2) } else { buffer.append(null) }
  }

  private static let latitude = Array(#","position":{"lat":"#.utf8)
  private static let longitude = Array(#","lon":"#.utf8)
  private static let altitude = Array(#","alt_msl":"#.utf8)
  private static let null = Array("null".utf8)
}
