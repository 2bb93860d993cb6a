internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import SessionFolder
internal import Storage
internal import Terminal
internal import Values

/// `footbridge verify`: checks that a recording is complete and intact, or that an export or a
/// certificate still matches it.
struct VerifyCommand: StoreVerb {
  /// The session or the file, as typed by the user.
  var subject = ""
  /// The folder to read the session from; `nil` for the store.
  var folder: String?
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<VerifyCommand>] = [
    .option(
      "folder", .folder("FOLDER"),
      help: "read the session from this folder of received or uploaded data instead of from the "
        + "store", sets: \.folder),
    .flag("json", help: "print the findings as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  var isAboutStore: Bool { folder == nil }

  static let definition = CommandDefinition<VerifyCommand>(
    name: "verify", summary: "check a session, a certificate or an export",
    discussion: """
      With a session, reads every chunk, checks its hash, and compares its sample counts with the \
      list in the store. SESSION is an id, the beginning of one, or 'last'.

      With a certificate (the JSON file of 'footbridge show SESSION --certificate'), checks the \
      file's own hash, measures the session again, and reports each difference. With an exported \
      file, such as walk.csv, checks all files of that export against the hashes in the \
      description next to it. If the session is in the store, its content is compared too.

      The exit status is 5 if anything is missing or differs.

      Example: footbridge verify walk.csv
      """,
    initial: { VerifyCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.filled("SESSION|FILE", .own(.sessionOrFile)), sets: \.subject)])

  func run(_ console: Console) async throws -> ExitStatus {
    let signals = Signals(console)
    let found = try ShownProgress(signals, console).reading { try verification($0, console) }
    guard let found else { return signals.status }
    try console.print(reportsJSON ? found.json.text : found.lines.joined(separator: "\n"))
    return found.agrees ? .ok : .notUnderstood
  }

  private func verification(
    _ progress: ReadingProgress, _ console: Console
  ) throws -> Verification {
    guard subject.contains("/") || subject.contains(".") || Folder.exists(subject) else {
      return try verify(session(subject, console), progress)
    }
    // An export's folder contains its description. The folder's name may end with a slash.
    let inside = subject + (subject.hasSuffix("/") ? "" : "/") + SessionFiles.descriptionName
    if Folder.exists(inside) { return try verify(export: inside, nil, progress, console) }
    guard Folder.exists(subject) else {
      throw Complaint(
        "cannot read \(subject): not found", remedy: "give the path of a file, or a session's id")
    }
    if subject.hasSuffix(".html") {
      throw Complaint(
        "cannot verify \(subject): it is a printable page",
        remedy: "verify \(subject.dropLast(5)).json instead, which contains the same figures")
    }
    if (try? Folder.names(in: subject)) != nil {
      throw Complaint(
        "cannot verify \(subject): it is a folder without \(SessionFiles.descriptionName)",
        remedy: "verify the session or its certificate; BIDS datasets are not supported")
    }
    if let certificate = try SavedCertificate(path: subject) {
      return try verify(certificate, progress, console)
    }
    let name = Folder.name(of: subject)
    if name == SessionFiles.descriptionName || name.hasSuffix("." + SessionFiles.descriptionName) {
      return try verify(export: subject, nil, progress, console)
    }
    let besides = SessionFiles.descriptionPaths(for: subject)
    guard let description = besides.first(where: Folder.exists) else {
      throw Complaint(
        "cannot verify \(subject): \(besides[0]) not found",
        remedy: "put it next to the file: an export writes both")
    }
    return try verify(export: description, name, progress, console)
  }

  // MARK: A session

  /// Longest time in seconds between a stream's last data and the session's end that causes no
  /// remark.
  private static let longestPause = 10.0

  private func verify(_ session: UniqueID, _ progress: ReadingProgress) throws -> Verification {
    let certificate = try export(of: session).certificate(progress: progress)
    var found = Verification()
    for quality in certificate.streams {
      let subject = "\(quality.stream.board.address) \(quality.stream.description.signal)"
      // If a board is absent at the end, the gap is part of the data, so the data extend to the
      // session's end.
      let early =
        quality.elsewhere.chunks > 0
        ? nil
        : certificate.session.end.flatMap { end in quality.covered.map { end.seconds(since: $0) } }
          .flatMap { $0 > Self.longestPause ? $0 : nil }
      let damage = quality.missing.map(\.description) + quality.unlikeChunks
      let isAll = quality.samples == quality.stream.sampleCount || !damage.isEmpty
      let counts =
        isAll ? [] : ["\(quality.samples) samples instead of \(quality.stream.sampleCount)"]
      let count = quality.content.chunks
      found.add(
        subject, (damage + counts).isEmpty ? nil : (damage + counts).joined(separator: "; "),
        remark:
          "\(NumberText.count(count, "chunk")), \(NumberText.grouped(quality.samples)) samples"
          + (early.map {
            "; the data ends \(NumberText.fixed($0, decimals: 0)) s before the end of the session"
          } ?? (count == 0 ? ": the stream has no data" : "")))
    }
    found.add(
      "track", certificate.track.missing > 0 ? "\(certificate.track.missing) fixes missing" : nil,
      remark: "\(NumberText.grouped(certificate.track.fixes)) fixes")
    if let part = certificate.partText { found.add("part", remark: part) }
    if certificate.hasUnknownLosses {
      found.add("losses", "an unknown number of further samples is missing")
    }
    found.add("hash of the recording", remark: certificate.recordingHash)
    return found
  }

  // MARK: A certificate

  private func verify(
    _ saved: SavedCertificate, _ progress: ReadingProgress, _ console: Console
  ) throws -> Verification {
    var found = Verification()
    found.compare("hash of the certificate", saved.statedHash, saved.hash)
    // If the certificate was changed, its figures are compared too, so that the changed figure can
    // be named.
    let certificate = try export(of: session(saved.session, console))
      .certificate(progress: progress)
    let now = CertificateReport(certificate: certificate, issued: BootClock.systemTime())
    guard let json = try? JSON(parsing: Array(now.text.utf8)) else { return found }
    found.compare(certificate: saved.json, with: json)
    if let part = certificate.partText { found.add("part", remark: part) }
    return found
  }

  // MARK: An export

  /// Verifies the files listed in a description. `name` is the file that the user named, if any.
  private func verify(
    export path: String, _ name: String?, _ progress: ReadingProgress, _ console: Console
  ) throws -> Verification {
    let description: JSON?
    do throws(SystemError) {
      let bytes = try WholeFile.read(path, upTo: 64 << 20)
      description = bytes.flatMap { try? JSON(parsingUnambiguous: $0) }
    } catch {
      throw Complaint("cannot read \(path): \(error.reason)", remedy: "check its permissions")
    }
    guard let description else {
      throw Complaint(
        "cannot verify \(path): the file is damaged or was changed",
        remedy: "export the session again", status: .notUnderstood)
    }
    guard let list = description["files"]?.list else {
      throw Complaint(
        "cannot verify \(path): the file contains no hashes",
        remedy: "export the session again: earlier versions wrote no hashes")
    }
    var found = Verification()
    let files = list.compactMap(WrittenFile.init)
    if files.count < list.count {
      found.add(Folder.name(of: path), "an entry in its list of files is invalid")
    }
    let total = files.reduce(0.0) { $0 + Double($1.bytes) }
    var done = 0
    for file in files {
      let now = try WrittenFile.read(Folder.containing(path) + file.name) {
        try progress(done + $0, max(1, Int(min(total, 1e18))))
      }
      done += now?.bytes ?? 0
      found.add(
        file.name,
        now.map { now in
          now.bytes != file.bytes
            ? "\(file.bytes) bytes when it was written, \(now.bytes) now"
            : now.hash != file.hash ? "the content has changed" : nil
        } ?? "not found")
    }
    if let name, !files.contains(where: { $0.name == name }) {
      found.add(name, "not listed in \(Folder.name(of: path)): it may have been renamed")
    }
    try compareContent(description, &found, progress, console)
    return found
  }

  /// Compares the session's current content with the content that was exported.
  private func compareContent(
    _ description: JSON, _ found: inout Verification, _ progress: ReadingProgress,
    _ console: Console
  ) throws {
    guard let id = description["session"]?.text.flatMap({ UniqueID($0) }) else {
      return found.add("session", "the id is missing from the description")
    }
    guard case .object(let members) = description, let list = members["content"] else {
      return found.add("content", "missing from the description")
    }
    guard let export = try source(of: id, console) else {
      return found.add("session", remark: "not compared: the session is not in this store")
    }
    try compareDescription(description, with: export, &found)
    guard let contents = StreamContent.all(in: description) else {
      return found.add("session", remark: "not compared: only a part or the track was exported")
    }
    if contents.count != list.list?.count { found.add("content", "an entry is invalid") }
    for stream in description["streams"]?.list ?? [] {
      let (board, signal) = (stream["board"]?.text ?? "", stream["signal"]?.text ?? "")
      if !contents.contains(where: { $0.board == board && $0.signal == signal }) {
        found.add("\(board) \(signal)", "missing from the content of the description")
      }
    }
    let now = try export.streamContents { try progress(0, 0) }
    for content in contents {
      let subject = "\(content.board) \(content.signal)"
      guard let other = now.first(where: { "\($0.board) \($0.signal)" == subject }) else {
        found.add(subject, "not in the session")
        continue
      }
      found.add(
        subject,
        other.chunks != content.chunks
          ? "\(content.chunks) chunks when it was exported, \(other.chunks) now"
          : other.hash != content.hash ? "the samples have changed" : nil,
        remark: "the session has the same samples")
    }
  }

  /// Compares the description, including the clock, and the table of fixes with the session.
  private func compareDescription(
    _ description: JSON, with export: SessionExport, _ found: inout Verification
  ) throws {
    let now = try export.description()
    if let json = try? JSON(parsing: Array(now.json.utf8)) {
      found.compare(description: description, with: json)
    }
    let fixes = (description["files"]?.list ?? []).compactMap(WrittenFile.init)
      .first { $0.name == now.fixes.name || $0.name.hasSuffix("." + now.fixes.name) }
    guard let fixes, description["from"] == nil, description["to"] == nil else {
      return found.add("track", remark: "not checked: the export has no table of all fixes")
    }
    found.add(
      "track", fixes.hash == now.fixes.hash ? nil : "the fixes have changed",
      remark: "the session has the same fixes")
  }

  /// Returns where to read a session's data; `nil` if the user gave neither a folder nor a store,
  /// and the default store does not contain the session. Throws if the given folder or store does
  /// not contain the session.
  private func source(of id: UniqueID, _ console: Console) throws -> SessionExport? {
    if folder == nil, store.given == nil {
      guard let path = try? store.existingPath(),
        (try? StoreReader(path: path).session(id)) != nil
      else { return nil }
    }
    return try export(of: session("\(id)", console))
  }

  // MARK: Reading

  /// Returns the session that a word names, from the folder or the store.
  private func session(_ word: String, _ console: Console) throws -> UniqueID {
    let directory: SessionDirectory
    if let folder {
      directory = SessionDirectory(
        try FolderReader(folder: folder).sessions(), in: folder, list: nil)
    } else {
      directory = try store.sessions(like: word, console)
    }
    return try directory.session(word).id
  }

  private func export(of session: UniqueID) throws -> SessionExport {
    if let folder { return SessionExport(folder: folder, session: session) }
    return SessionExport(store: try store.path(), session: session)
  }
}

/// A certificate that was read from a file.
private struct SavedCertificate {
  let json: JSON
  let session: String
  /// The hash at the end of the file.
  let statedHash: String
  /// The hash of the bytes before the stated hash.
  let hash: String

  /// Reads a file; `nil` if it is not a certificate.
  init?(path: String) throws(Complaint) {
    let bytes: [UInt8]?
    do throws(SystemError) {
      // An exported file may be too large for memory, so only its beginning is read first.
      let start = try WholeFile.read(path, upTo: 64, waits: false) ?? []
      // A reformatted certificate is recognised too.
      let dense = start.filter { $0 > UInt8(ascii: " ") }
      let isEmpty = dense.isEmpty && path.hasSuffix(".json")
      guard
        isEmpty || dense.starts(with: Array(#"{"certificate":"#.utf8))
          || dense.starts(with: Array(#"{"blake2b":"#.utf8))
      else { return nil }
      bytes = try WholeFile.read(path, upTo: 256 << 20)
    } catch {
      throw Complaint("cannot read \(path): \(error.reason)", remedy: "check its permissions")
    }
    var text = String(decoding: bytes ?? [], as: UTF8.self)
    while text.hasSuffix("\n") { text.removeLast() }
    let key = CertificateReport.hashKey
    let stated = String(text.dropLast(2).suffix(2 * BLAKE2b.size))
    let end = key + stated + "\"}"
    guard let json = try? JSON(parsingUnambiguous: Array(text.utf8)), text.hasSuffix(end),
      let session = json["session"]?.text
    else {
      throw Complaint(
        "cannot verify \(path): the file was changed after the certificate was issued",
        remedy: "restore the file from a copy",
        status: .notUnderstood)
    }
    guard json["certificate"]?.integer == CertificateReport.format else {
      throw Complaint(
        "cannot verify \(path): the format of the certificate is unknown",
        remedy: "use the version of \(Version.program) that issued it, or a later one")
    }
    self.json = json
    self.session = session
    statedHash = stated
    hash = Hexadecimal.text(BLAKE2b.hash(of: Array(text.dropLast(end.count).utf8).span))
  }
}
