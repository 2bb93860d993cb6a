/// The format of a tile, detected from its first bytes.
public enum TileFormat: String, CaseIterable, Sendable {
  case png
  case jpeg
  case webp

  public var contentType: String { "image/\(rawValue)" }

  /// Detects the format of an image; `nil` for other data. The format claimed by the file is
  /// ignored, because a browser must never receive anything but an image.
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

public struct Tile: Hashable, Sendable {
  public let format: TileFormat
  public let bytes: [UInt8]
}
