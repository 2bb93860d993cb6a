public import HTTPServer

/// What the gateways of a fleet tell of themselves, as streams for readers.
public protocol LiveSource: Sendable {
  /// A stream of everything known and of all changes, for the reader with a token of this hash;
  /// `nil` if there are too many readers.
  func stream(forToken hash: [UInt8]) -> (any ServerStream)?
}
