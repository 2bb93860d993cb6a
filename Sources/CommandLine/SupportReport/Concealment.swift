internal import LinuxSystem
internal import Storage
internal import Upload

/// Takes secrets out of a text that is meant for others: the one rule for all parts of a report.
///
/// Known secrets are taken out everywhere. Everything else is judged by its form: names and
/// passwords in addresses, values whose name says that they are secret, keys, tokens, e-mail
/// addresses, and who and where a participant is.
struct Concealment: Sendable {
  /// The replacement for a secret.
  static let mark = "***"

  /// Texts that are secret everywhere.
  private let secrets: KnownSecrets

  /// A concealment of these texts, and of everything that looks like a secret.
  init(secrets: [String] = []) {
    self.secrets = KnownSecrets(secrets)
  }

  /// The text without secrets.
  func concealed(_ text: String) -> String {
    let bytes = Self.withoutKeys(secrets.replaced(by: Self.markBytes, in: Array(text.utf8)))
    let feed = UInt8(ascii: "\n")
    let lines = bytes.split(separator: feed, omittingEmptySubsequences: false).map { line in
      Self.withoutSecrets(Array(line))
    }
    return String(decoding: Array(lines.joined(separator: [feed])), as: UTF8.self)
  }

  private static let markBytes = Array(mark.utf8)

  // MARK: Keys in the PEM format

  /// Without the text between `-----BEGIN` and the end of the line with `-----END`.
  private static func withoutKeys(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    while let begin = bytes.place(of: Array("-----BEGIN".utf8), from: place) {
      let end = bytes.place(of: Array("-----END".utf8), from: begin) ?? bytes.count
      let dashes = bytes.place(of: Array("-----".utf8), from: min(end + 8, bytes.count))
      result += bytes[place..<begin] + markBytes
      place = dashes.map { $0 + 5 } ?? bytes.count
    }
    return result + bytes[place...]
  }

  // MARK: Lines

  /// Without the bytes that a rule hides. Each rule reads the line as it is, so that none takes
  /// away a quote by which another finds the end of a value.
  private static func withoutSecrets(_ line: [UInt8]) -> [UInt8] {
    var hidden = [Bool](repeating: false, count: line.count)
    hideInAddresses(line, &hidden)
    hideTokens(line, &hidden)
    hideNamedValues(line, &hidden)
    var result: [UInt8] = []
    for index in line.indices {
      if !hidden[index] {
        result.append(line[index])
      } else if index == 0 || !hidden[index - 1] {
        result += markBytes
      }
    }
    return result
  }

  private static func hide(_ range: Range<Int>, _ hidden: inout [Bool]) {
    for index in range { hidden[index] = true }
  }

  // MARK: Addresses

  /// Hides the user of `SCHEME://USER@HOST`, and what follows a `?` or a `#`.
  ///
  /// A log line may contain any character, even one that often follows an address in a sentence. So
  /// the user ends at the last `@` before the next blank.
  private static func hideInAddresses(_ line: [UInt8], _ hidden: inout [Bool]) {
    // In JSON a backslash may stand before each '/'.
    for separator in ["://", ":\\/\\/"].map({ Array($0.utf8) }) {
      var place = 0
      while let found = line.place(of: separator, from: place) {
        let authority = found + separator.count
        place = line[authority...].firstIndex { $0 <= 0x20 } ?? line.count
        var host = authority
        if let at = line[authority..<place].lastIndex(of: UInt8(ascii: "@")) {
          hide(authority..<at, &hidden)
          host = at
        }
        if let query = line[host..<place].firstIndex(where: { "?#".utf8.contains($0) }) {
          // Quotes, brackets and commas at the end belong to the sentence.
          let last = line[query..<place].lastIndex { !isEndOfWord($0) } ?? query
          hide(query + 1..<last + 1, &hidden)
        }
      }
    }
  }

  private static func isEndOfWord(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "\"'<>`,;)]}".utf8.contains(byte)
  }

  // MARK: Words

  /// Words before which a secret stands in the header of a request.
  private static let schemes = ["bearer", "basic", "digest"].map { Array($0.utf8) }
  /// Prefixes of tokens of well-known services: JSON Web Tokens, Amazon, Google, GitHub and Slack.
  private static let tokenBegins = ["eyJ", "AKIA", "AIza", "ya29.", "ghp_", "xoxb-"].map {
    Array($0.utf8)
  }
  private static let place = Array("fixed:".utf8)

  /// Hides tokens, e-mail addresses and places, which are recognised by their form.
  private static func hideTokens(_ line: [UInt8], _ hidden: inout [Bool]) {
    var isSecret = false
    var index = 0
    while index < line.count {
      guard !isBetweenWords(line[index]) else {
        index += 1
        continue
      }
      let end = line[index...].firstIndex(where: isBetweenWords) ?? line.count
      let word = Array(line[index..<end])
      if isSecret || isToken(word) || isLineOfKey(word) {
        hide(index..<end, &hidden)
      } else if word.starts(with: place) {
        let comma = word.last == UInt8(ascii: ",") ? 1 : 0
        hide(index + place.count..<end - comma, &hidden)
      } else if let name = nameOfMailbox(word) {
        hide(index..<index + name, &hidden)
      }
      isSecret = schemes.contains(word.map(lowercased))
      index = end
    }
  }

  /// Whether a word is a token, by its beginning or by its length in hexadecimal digits. An id of a
  /// session has hyphens between them.
  private static func isToken(_ word: [UInt8]) -> Bool {
    let digits = word.prefix { isDigit($0) || (0x61...0x66).contains(lowercased($0)) }
    return word.count >= 20 && tokenBegins.contains { word.starts(with: $0) }
      || digits.count >= 32 && word[digits.count...].allSatisfy { ".,:".utf8.contains($0) }
  }

  /// Whether a word is a line of a key in the PEM format, whose beginning may be cut off. Hashes
  /// have no capitals, and names of files other characters.
  private static func isLineOfKey(_ word: [UInt8]) -> Bool {
    word.count >= 60 && word.first != UInt8(ascii: "/")
      && word.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2b || $0 == 0x2f }
      && word.contains(where: isDigit) && word.contains { isLetter($0) && lowercased($0) != $0 }
      && word.contains { isLetter($0) && lowercased($0) == $0 }
  }

  private static func isBetweenWords(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "\"'<>`;()[]{}=".utf8.contains(byte)
  }

  /// The length of the name in `NAME@DOMAIN`; `acceleration@100` has no domain.
  private static func nameOfMailbox(_ word: [UInt8]) -> Int? {
    guard let at = word.lastIndex(of: UInt8(ascii: "@")),
      word.place(of: Array("://".utf8), from: 0) == nil
    else { return nil }
    let domain = word[(at + 1)...]
    let isDomain = domain.contains(UInt8(ascii: ".")) && domain.contains { isLetter($0) }
    return isDomain && word[..<at].contains { isLetter($0) } ? at : nil
  }

  // MARK: Names with values

  /// Parts of names whose values are secret.
  private static let secretNames = [
    "token", "passw", "passphrase", "secret", "psk", "apikey", "api_key", "api-key", "private_key",
    "private-key", "authorization", "cookie",
  ].map { Array($0.utf8) }

  /// Whole names whose values are secret, or say who a participant is.
  private static let privateNames = [
    "pin", "pass", "pwd", "sessionid", "session_key", "wearer", "note",
  ].map { Array($0.utf8) }

  /// Hides the value in `NAME=VALUE`, `NAME: VALUE`, `"NAME":"VALUE"` and `--NAME VALUE`. A path
  /// stays, since secrets are named by their files.
  private static func hideNamedValues(_ line: [UInt8], _ hidden: inout [Bool]) {
    var index = 0
    var isFirst = true
    while index < line.count {
      guard isPartOfName(line[index]) else {
        index += 1
        continue
      }
      let end = line[index...].firstIndex { !isPartOfName($0) } ?? line.count
      let name = line[index..<end].map(lowercased)
      index = end
      let begun = isFirst
      isFirst = false
      let isOption = name.starts(with: "--".utf8)
      guard isSecret(name),
        let value = value(in: line, from: end, ofOption: isOption, toEndOfLine: begun),
        !isPath(line[value])
      else { continue }
      hide(value, &hidden)
      index = value.upperBound
    }
  }

  private static func isSecret(_ name: [UInt8]) -> Bool {
    privateNames.contains(name)
      || secretNames.contains { part in name.place(of: part, from: 0) != nil }
  }

  /// The place of a value after the end of its name; `nil` if none follows. A value without quotes
  /// of the first name in a line goes to its end, as in a configuration file. Of an option it may
  /// follow after a blank.
  private static func value(
    in line: [UInt8], from end: Int, ofOption isOption: Bool, toEndOfLine: Bool
  ) -> Range<Int>? {
    var index = end
    func skip(_ bytes: String, atMost count: Int = .max) {
      var left = count
      while index < line.count, left > 0, bytes.utf8.contains(line[index]) {
        index += 1
        left -= 1
      }
    }
    let isApart = isOption && index < line.count && line[index] == UInt8(ascii: " ")
    if !isApart {
      skip("\"'", atMost: 1)
      skip(" \t")
      guard index < line.count, "=:".utf8.contains(line[index]) else { return nil }
      index += 1
    }
    skip(" \t")
    // Another option follows.
    if isApart, index < line.count, line[index] == UInt8(ascii: "-") { return nil }
    guard index < line.count else { return nil }
    let first = line[index]
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      var close = index + 1
      while close < line.count, line[close] != first {
        // A quote after a backslash belongs to the value.
        close += line[close] == UInt8(ascii: "\\") ? 2 : 1
      }
      return close > index + 1 ? index + 1..<min(close, line.count) : nil
    }
    let close =
      toEndOfLine && !isApart
      ? line.count : line[index...].firstIndex(where: isEndOfWord) ?? line.count
    return close > index ? index..<close : nil
  }

  private static func isPath(_ value: ArraySlice<UInt8>) -> Bool {
    value.starts(with: "/".utf8) || value.starts(with: "credential:".utf8)
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "_-.".utf8.contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(lowercased(byte))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }
}

extension Concealment {
  /// A concealment of the secrets in the files of destinations and in these other files, as far as
  /// this user may read them, and of passwords in the environment.
  init(
    of destinations: [StoredDestination], files: [String] = [],
    environment: [String: String] = [:]
  ) {
    var secrets = files.compactMap(Self.content).flatMap(KnownSecrets.texts)
    secrets += ["FOOTBRIDGE_BROKER_PASSWORD", "PGPASSWORD"].compactMap { environment[$0] }
    for stored in destinations {
      guard let settings = try? DestinationCommand.settings(of: stored) else { continue }
      var files = [settings.certificateKeyFile].compactMap { $0 }
      switch settings.credentials {
      case .token(let file), .key(let file), .login(let file): files.append(file)
      case .none: break
      }
      secrets += files.compactMap(Self.content).flatMap(KnownSecrets.texts)
      if let account = settings.account { secrets.append(account) }
    }
    self.init(secrets: secrets)
  }

  /// The largest file of a secret.
  private static let largest = 65_536

  /// The content of a secret's file, with any rights. An upload refuses the file of another
  /// user, but root reports what that user's service has logged.
  private static func content(of file: String) -> String? {
    let prefix = "credential:"
    let path =
      file.hasPrefix(prefix)
      ? "/run/credentials/\(ServiceUnit.name)/\(file.dropFirst(prefix.count))" : file
    guard
      let opened = try? OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting),
      let bytes = try? opened.readAll(of: path, upTo: largest)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  /// The first place of other bytes at or after `start`.
  fileprivate func place(of other: [UInt8], from start: Int) -> Int? {
    guard let first = other.first, count >= other.count else { return nil }
    var index = start
    while index <= count - other.count {
      if self[index] == first, self[index..<(index + other.count)].elementsEqual(other) {
        return index
      }
      index += 1
    }
    return nil
  }
}
