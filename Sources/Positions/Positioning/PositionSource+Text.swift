internal import LinuxSystem

extension PositionSource: LosslessStringConvertible {
  private static let daemonPrefix = "gpsd://"
  private static let filePrefix = "file:"
  private static let fixedPrefix = "fixed:"

  /// Describes the valid forms of a source to a user who entered an invalid one.
  public static let advice = """
    SOURCE is a serial port, as in /dev/gps0, '/dev/ttyUSB*' or /dev/ttyUSB0@9600, with an optional
    speed of \(SerialSpeed.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")); or gpsd,
    gpsd://HOST[:PORT][/DEVICE], file:PATH for a file of sentences, or
    fixed:LATITUDE,LONGITUDE[,ALTITUDE] in degrees and metres, as in fixed:53.1680,9.9400,62
    """

  /// Parses a source in its command-line form. Returns `nil` if it is invalid.
  public init?(_ text: String) {
    if text == "gpsd" {
      self = .gpsd(GPSDAddress())
    } else if text.hasPrefix(Self.daemonPrefix) {
      guard let address = GPSDAddress(text.dropFirst(Self.daemonPrefix.count)) else { return nil }
      self = .gpsd(address)
    } else if text.hasPrefix(Self.filePrefix) {
      let path = String(text.dropFirst(Self.filePrefix.count))
      guard !path.isEmpty else { return nil }
      self = .file(Replay(path: path))
    } else if text.hasPrefix(Self.fixedPrefix) {
      guard let place = FixedPosition(text.dropFirst(Self.fixedPrefix.count)) else { return nil }
      self = .fixed(place)
    } else {
      self.init(port: text)
    }
  }

  /// Parses a serial port and, after the last `@`, its optional speed.
  private init?(port text: String) {
    guard let at = text.lastIndex(of: "@"), !text[at...].contains("/") else {
      guard !text.isEmpty else { return nil }
      self = .serial(text, speed: nil)
      return
    }
    guard let number = Int(text[text.index(after: at)...]),
      let speed = SerialSpeed(rawValue: number), at > text.startIndex
    else { return nil }
    self = .serial(String(text[..<at]), speed: speed)
  }

  /// The source in its command-line form.
  public var description: String {
    switch self {
    case .serial(let path, let speed): path + (speed.map { "@\($0.rawValue)" } ?? "")
    case .gpsd(let address): address == GPSDAddress() ? "gpsd" : Self.daemonPrefix + address.text
    case .file(let replay): Self.filePrefix + replay.path
    case .fixed(let place):
      Self.fixedPrefix + "\(place.latitude),\(place.longitude)"
        + (place.altitudeMSL.map { ",\($0)" } ?? "")
    }
  }
}

extension PositionSource.GPSDAddress {
  /// Parses `HOST[:PORT][/DEVICE]`. IPv6 addresses must be in brackets.
  fileprivate init?(_ text: Substring) {
    let slash = text.firstIndex(of: "/") ?? text.endIndex
    var server = text[..<slash]
    device = slash < text.endIndex ? String(text[slash...]) : nil
    if device == "/" { device = nil }
    port = Self.usualPort
    // Outside brackets, only the colon before the port number is allowed.
    if let colon = server.lastIndex(of: ":"), !server[colon...].contains("]") {
      guard let port = UInt16(server[server.index(after: colon)...]), port > 0 else { return nil }
      self.port = port
      server = server[..<colon]
    }
    if server.hasPrefix("["), server.hasSuffix("]") { server = server.dropFirst().dropLast() }
    // The device's path is sent to gpsd as a quoted string.
    let isFit = !(device ?? "").contains { $0 == "\"" || $0 == "\\" || $0.isNewline }
    guard !server.isEmpty, !server.contains("["), isFit else { return nil }
    host = String(server)
  }

  fileprivate var text: String {
    (host.contains(":") ? "[\(host)]" : host) + (port == Self.usualPort ? "" : ":\(port)")
      + (device ?? "")
  }
}

extension PositionSource.FixedPosition {
  /// Parses `LATITUDE,LONGITUDE[,ALTITUDE]`.
  fileprivate init?(_ text: Substring) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { "0123456789.+-".utf8.contains($0) } ? Double(part) : nil
    }
    guard (2...3).contains(parts.count), numbers.count == parts.count,
      (-90...90).contains(numbers[0]), (-180...180).contains(numbers[1]),
      // The valid range of altitudes is the same as for a receiver.
      numbers.dropFirst(2).allSatisfy((-2_000...100_000).contains)
    else { return nil }
    self.init(
      latitude: numbers[0], longitude: numbers[1], altitudeMSL: numbers.dropFirst(2).first)
  }
}
