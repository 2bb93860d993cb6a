internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// Formats destinations as text and as JSON. The output names the files that contain secrets, but
/// never shows the secrets.
enum DestinationText {
  static func credentials(_ settings: DestinationSettings) -> String {
    let file: String? =
      switch settings.credentials {
      case .none: nil
      case .token(let file): "token in \(file)"
      case .key(let file): "key in \(file)"
      case .login(let file): "login in \(file)"
      }
    let certificate = settings.certificateFile.map { "certificate in \($0)" }
    let ways = [file, certificate].compactMap { $0 }
    return ways.isEmpty ? "–" : TerminalText.harmless(ways.joined(separator: ", "))
  }

  /// Returns the address or folder of a destination. The kind of destination is omitted before a
  /// URL, because the scheme indicates it.
  static func place(_ stored: StoredDestination) -> String {
    let place = stored.place
    return TerminalText.harmless(
      place.hasPrefix("http ") ? String(place.dropFirst("http ".count)) : place)
  }

  /// Returns a destination's settings except its address or folder.
  static func settings(_ settings: DestinationSettings) -> String {
    var words: [String] = []
    if let file = settings.authorityFile { words.append("trusts \(file)") }
    if let proxy = settings.proxy { words.append("through \(proxy)") }
    if settings.compresses { words.append("compressed") }
    if let limit = settings.bytesPerSecond {
      words.append("at most \(NumberText.plain(Double(limit) / 1_000)) kB/s")
    }
    if let parallel = settings.parallel { words.append("at most \(parallel) requests at once") }
    if settings.newestFirst { words.append("newest first") }
    if let hours = settings.hours { words.append("at \(hours)") }
    return words.isEmpty ? "–" : TerminalText.harmless(words.joined(separator: ", "))
  }

  /// Describes the chunks that are waiting to be sent.
  static func backlog(_ counts: UploadCounts, sentBefore: Bool) -> String {
    let there =
      sentBefore && counts.sentChunks.count > 0
      ? "\(amount(counts.sentChunks)) already sent, " : ""
    return there
      + (counts.waitingChunks.count > 0
        ? "\(amount(counts.waitingChunks)) to be sent" : "nothing left to send")
  }

  /// Returns a sentence about the chunks that were not sent before the destination was removed.
  static func remains(_ counts: UploadCounts) -> String {
    let left = counts.waitingChunks.count + counts.parkedChunks.count
    guard left > 0 else {
      return "Everything had been sent; recordings stay in the store."
    }
    let amount = UploadCounts.Amount(
      count: left, bytes: counts.waitingChunks.bytes + counts.parkedChunks.bytes)
    return
      "\(self.amount(amount)) had not been sent. They stay in the store.\n"
      + "Add the same destination again to continue the upload where it stopped."
  }

  /// Formats a number of chunks with their total size.
  static func amount(_ amount: UploadCounts.Amount) -> String {
    "\(NumberText.count(amount.count, "chunk")) (\(ByteText.short(amount.bytes)))"
  }

  static func json(
    _ stored: StoredDestination, settings: DestinationSettings?, _ counts: UploadCounts
  ) -> JSONValue {
    let (token, key, login): (String?, String?, String?) =
      switch settings?.credentials {
      case .token(let file)?: (file, nil, nil)
      case .key(let file)?: (nil, file, nil)
      case .login(let file)?: (nil, nil, file)
      case nil, .some(.none): (nil, nil, nil)
      }
    return .object(
      [
        .init("name", stored.name), .init("place", stored.place), .init("tokenFile", token),
        .init("keyFile", key), .init("loginFile", login), .init("caFile", settings?.authorityFile),
        .init("certificateFile", settings?.certificateFile),
        .init("certificateKeyFile", settings?.certificateKeyFile), .init("proxy", settings?.proxy),
        .init("compress", settings?.compresses ?? false),
        .init("bytesPerSecond", settings?.bytesPerSecond), .init("parallel", settings?.parallel),
        .init("newestFirst", settings?.newestFirst ?? false),
        .init("hours", settings?.hours.map { "\($0)" }),
      ] + self.json(counts))
  }

  /// Returns a destination's upload counts as members of a JSON object.
  static func json(_ counts: UploadCounts) -> [JSONValue.Member] {
    func amount(_ amount: UploadCounts.Amount, _ sessions: Int) -> JSONValue {
      .object([
        .init("chunks", amount.count), .init("bytes", amount.bytes), .init("sessions", sessions),
      ])
    }
    return [
      .init("sent", amount(counts.sentChunks, counts.sentSessions)),
      .init("waiting", amount(counts.waitingChunks, counts.waitingSessions)),
      .init("parked", amount(counts.parkedChunks, counts.parkedSessions)),
    ]
  }
}
