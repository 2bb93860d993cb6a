/// The reason a line was refused. No part of a refused line is used.
///
/// The raw values are the names in logs and reports.
public enum SentenceFault: String, Error, Hashable, Sendable, CaseIterable {
  /// The next `$` arrived before its end.
  case interrupted
  /// A byte in it was not printable.
  case notPrintable = "not_printable"
  /// It exceeded 255 bytes.
  case overlong
  /// A line of text had no `$`. Comments, which begin with `#`, are not counted.
  case missingStart = "missing_start"
  /// It had no checksum, or half of one.
  case missingChecksum = "missing_checksum"
  /// The `*` was not followed by two hexadecimal digits.
  case malformedChecksum = "malformed_checksum"
  /// The checksum did not match.
  case wrongChecksum = "wrong_checksum"
  /// The address was not two characters of a talker and three of a type.
  case unknownAddress = "unknown_address"
  /// It ended before the required fields of its type.
  case tooFewFields = "too_few_fields"
  /// The time was malformed, out of range, or missing beside a position.
  case badTime = "bad_time"
  /// The position was malformed, out of range or incomplete.
  case badPosition = "bad_position"
  /// Status, mode or quality was unknown.
  case badStatus = "bad_status"
  /// Another necessary field was malformed or out of range.
  case badField = "bad_field"

  /// Index of its count.
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
