/// What a tile is, by its own first bytes.
public enum TileFormat: String, CaseIterable, Sendable {
  /// PNG.
  case png
  /// JPEG.
  case jpeg
  /// WebP.
  case webp

  /// The value of `Content-Type`.
  public var contentType: String { "image/\(rawValue)" }

  /// The format of a picture; `nil` for other bytes. What the file says of its tiles does not
  /// count: a browser must never get something else than a picture from us.
  public init?(of bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      self = .png
    } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      self = .jpeg
    } else if bytes.starts(with: Array("RIFF".utf8)),
      bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
    {
      self = .webp
    } else {
      return nil
    }
  }
}

/// One picture of a map.
public struct Tile: Hashable, Sendable {
  /// The format of the picture.
  public let format: TileFormat
  /// The picture.
  public let bytes: [UInt8]
}
