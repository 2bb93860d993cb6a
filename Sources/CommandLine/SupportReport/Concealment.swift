internal import LinuxSystem
internal import Storage
internal import Upload

/// Removes secrets from text that the user will share with others. The same rules apply to all
/// parts of a report.
///
/// Known secrets are removed everywhere. Other secrets are recognised by their form: credentials in
/// addresses, values whose names indicate a secret, keys, tokens, e-mail addresses, and the
/// identity and location of a participant.
struct Concealment: Sendable {
  /// The text that replaces a secret.
  static let mark = "***"

  /// The known secrets, which are removed wherever they occur.
  private let secrets: KnownSecrets

  /// Creates a `Concealment` that removes these strings, and everything that has the form of a
  /// secret.
  init(secrets: [String] = []) {
    self.secrets = KnownSecrets(secrets)
  }

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

  /// Removes the text between `-----BEGIN` and the end of the line with `-----END`.
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

  /// Removes the bytes that any rule hides. Each rule reads the original line, so no rule can
  /// remove a quote that another rule needs to find the end of a value.
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

  /// Hides the user in `SCHEME://USER@HOST`, and everything after a `?` or a `#`.
  ///
  /// A log line may contain any character, including the characters that often follow an address in
  /// a sentence. So the user part ends at the last `@` before the next space.
  private static func hideInAddresses(_ line: [UInt8], _ hidden: inout [Bool]) {
    // In JSON, each '/' may be preceded by a backslash.
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
          // Quotes, brackets and commas at the end belong to the surrounding sentence, not to the
          // address.
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

  /// Words that precede a secret in a request header.
  private static let schemes = ["bearer", "basic", "digest"].map { Array($0.utf8) }
  /// Prefixes of well-known kinds of tokens: JSON Web Tokens, and the tokens of Amazon, Google,
  /// GitHub and Slack.
  private static let tokenBegins = ["eyJ", "AKIA", "AIza", "ya29.", "ghp_", "xoxb-"].map {
    Array($0.utf8)
  }
  private static let place = Array("fixed:".utf8)

  /// Hides tokens, e-mail addresses and positions, which are recognised by their form.
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

  /// Returns whether a word is a token, which is recognised by its prefix or its number of
  /// hexadecimal digits. A session id contains hyphens, so it is not a token.
  private static func isToken(_ word: [UInt8]) -> Bool {
    let digits = word.prefix { isDigit($0) || (0x61...0x66).contains(lowercased($0)) }
    return word.count >= 20 && tokenBegins.contains { word.starts(with: $0) }
      || digits.count >= 32 && word[digits.count...].allSatisfy { ".,:".utf8.contains($0) }
  }

  /// Returns whether a word is a line of a PEM key. The key's beginning may be cut off, so each
  /// line is recognised by its characters. Hashes have no capital letters, and file names contain
  /// other characters.
  private static func isLineOfKey(_ word: [UInt8]) -> Bool {
    word.count >= 60 && word.first != UInt8(ascii: "/")
      && word.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2b || $0 == 0x2f }
      && word.contains(where: isDigit) && word.contains { isLetter($0) && lowercased($0) != $0 }
      && word.contains { isLetter($0) && lowercased($0) == $0 }
  }

  private static func isBetweenWords(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "\"'<>`;()[]{}=".utf8.contains(byte)
  }

  /// Returns the length of the name in `NAME@DOMAIN`; `nil` if the word has another form. For
  /// example, `acceleration@100` has no domain.
  private static func nameOfMailbox(_ word: [UInt8]) -> Int? {
    guard let at = word.lastIndex(of: UInt8(ascii: "@")),
      word.place(of: Array("://".utf8), from: 0) == nil
    else { return nil }
    let domain = word[(at + 1)...]
    let isDomain = domain.contains(UInt8(ascii: ".")) && domain.contains { isLetter($0) }
    return isDomain && word[..<at].contains { isLetter($0) } ? at : nil
  }

  // MARK: Names with values

  /// Parts of names that indicate a secret value.
  private static let secretNames = [
    "token", "passw", "passphrase", "secret", "psk", "apikey", "api_key", "api-key", "private_key",
    "private-key", "authorization", "cookie",
  ].map { Array($0.utf8) }

  /// Complete names of values that are secret or that identify a participant.
  private static let privateNames = [
    "pin", "pass", "pwd", "sessionid", "session_key", "participant", "wearer", "note",
  ].map { Array($0.utf8) }

  /// Hides the value in `NAME=VALUE`, `NAME: VALUE`, `"NAME":"VALUE"` and `--NAME VALUE`. Paths are
  /// not hidden, because they only point to the file that contains a secret.
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

  /// Returns the range of the value that follows a name; `nil` if there is no value. If the first
  /// name in a line has an unquoted value, the value extends to the end of the line, as in a
  /// configuration file. An option's value may follow after a space.
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
    // Another option follows, so this option has no value.
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
  /// Creates a `Concealment` that removes the passwords in the environment, the secrets in the
  /// destinations' files, and the secrets in `files`. Files that this user cannot read are skipped.
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

  /// The maximum size in bytes of a file that contains a secret.
  private static let largest = 65_536

  /// Returns a secret file's content, regardless of its permissions. An upload rejects a file owned
  /// by another user. A report created by root must still read such a file, because the log of that
  /// user's service may contain the secret.
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
  /// Returns the first index at or after `start` at which the bytes `other` occur.
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
