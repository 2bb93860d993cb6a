internal import CWebPage
internal import HTTPServer
internal import LinuxSystem
internal import Values
internal import Coding

/// Serves the page's files: those built into the program and, if installed, those of Leaflet.
struct PageFiles: Sendable {
  private struct File: Sendable {
    var kind: String
    var bytes: [UInt8]
    var packed: [UInt8]?
    /// A tag that changes with the content.
    var tag: String

    init(_ kind: String, _ bytes: [UInt8]) {
      self.kind = kind
      self.bytes = bytes
      packed = Gzip.pack(bytes)
      tag = "\"\(Hexadecimal.text(Array(BLAKE2b.hash(of: bytes.span).prefix(12))))\""
    }
  }

  /// The folder of Debian's Leaflet package.
  private static let leaflet = "/usr/share/javascript/leaflet/"
  /// Maximum size of a Leaflet file in bytes.
  private static let largest = 1 << 20

  private let files: Guarded<[String: File]>

  /// Uses the files built into the program. Each file is compressed when it is first requested.
  init() { files = Guarded([:]) }

  func answer(_ head: RequestHead) -> ServerResponse {
    guard let file = file(at: head.path) else { return PageResponse.fault(.unknownAddress) }
    var response = ServerResponse(200, fields: [RequestHead.Field("ETag", file.tag)])
    if head["if-none-match"] == file.tag {
      response.status = 304
      return response
    }
    response.fields.append(RequestHead.Field("Content-Type", file.kind))
    response.fields.append(RequestHead.Field("Vary", "Accept-Encoding"))
    if let packed = file.packed, head["accept-encoding"]?.lowercased().holds("gzip") ?? false {
      response.fields.append(RequestHead.Field("Content-Encoding", "gzip"))
      response.body = packed
    } else {
      response.body = file.bytes
    }
    return response
  }

  private func file(at path: String) -> File? {
    if let known = files.withLock({ $0[path] }) { return known }
    guard let made = Self.file(path) else { return nil }
    files.withLock { $0[path] = made }
    return made
  }

  private static func file(_ path: String) -> File? {
    switch path {
    case "/", "/index.html": File("text/html; charset=utf-8", unsafe bytes(cpage_html()))
    case "/page.js": File("text/javascript; charset=utf-8", unsafe bytes(cpage_script()))
    case "/page.css": File("text/css; charset=utf-8", unsafe bytes(cpage_style()))
    case "/icon.svg": File("image/svg+xml", unsafe bytes(cpage_icon()))
    case "/leaflet.js": installed("leaflet.js").map { File("text/javascript; charset=utf-8", $0) }
    case "/leaflet.css": installed("leaflet.css").map { File("text/css; charset=utf-8", $0) }
    default: nil
    }
  }

  // Safety: the bytes are program constants.
  private static func bytes(_ file: cpage_file) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  private static func installed(_ name: String) -> [UInt8]? {
    guard
      let file = try? OwnedDescriptor.open(
        leaflet + name, flags: OwnedDescriptor.readOnlyWithoutWaiting),
      let bytes = try? file.readAll(of: leaflet + name, upTo: largest)
    else { return nil }
    return bytes
  }
}
