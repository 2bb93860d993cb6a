/// The reason a line was refused. No part of a refused line is used.
///
/// Logs and reports use the raw values as names.
public enum SentenceFault: String, Error, Hashable, Sendable, CaseIterable {
  /// The next `$` arrived before the end of the sentence.
  case interrupted
  /// The sentence contained a non-printable byte.
  case notPrintable = "not_printable"
  /// The sentence exceeded 255 bytes.
  case overlong
  /// A line of text contained no `$`. Comments, which begin with `#`, are not counted.
  case missingStart = "missing_start"
  /// The sentence had no checksum, or the checksum was incomplete.
  case missingChecksum = "missing_checksum"
  /// The `*` was not followed by two hexadecimal digits.
  case malformedChecksum = "malformed_checksum"
  case wrongChecksum = "wrong_checksum"
  /// The address did not consist of two characters for the talker and three for the type.
  case unknownAddress = "unknown_address"
  /// The sentence ended before the last field that its type requires.
  case tooFewFields = "too_few_fields"
  /// The time was malformed or out of range, or was missing although the sentence contained a
  /// position.
  case badTime = "bad_time"
  /// The position was malformed, out of range or incomplete.
  case badPosition = "bad_position"
  /// The status, mode or quality was not a known value.
  case badStatus = "bad_status"
  /// Another required field was malformed or out of range.
  case badField = "bad_field"

  /// Index of this fault's counter in `SentenceCounts`.
  var position: Int {
    switch self {
    case .interrupted: 0
    case .notPrintable: 1
    case .overlong: 2
    case .missingStart: 3
    case .missingChecksum: 4
    case .malformedChecksum: 5
    case .wrongChecksum: 6
    case .unknownAddress: 7
    case .tooFewFields: 8
    case .badTime: 9
    case .badPosition: 10
    case .badStatus: 11
    case .badField: 12
    }
  }
}
