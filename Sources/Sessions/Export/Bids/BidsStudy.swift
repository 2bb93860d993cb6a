internal import LinuxSystem
public import Recording
public import Values

/// A dataset in the Brain Imaging Data Structure (BIDS), extended by one session at a time.
///
/// Each session becomes visible only when all its files are complete. A process that is killed
/// leaves a hidden folder with a plan. The next export uses the plan to complete or undo the
/// interrupted one, and removes the folder. Changes that a person has made to the dataset are kept:
/// an export adds only the session's rows to the tables.
public struct BidsStudy: Sendable {
  public struct Outcome: Sendable {
    public var totals: ExportTotals
    public var folder: String
    public var replaced: Bool
  }

  /// The dataset's folder, as given by the user.
  public let path: String
  private let generator: (name: String, version: String)

  /// The version of the specification that the files follow.
  private static let version = "1.11.1"
  private static let descriptionName = "dataset_description.json"
  private static let participantsName = "participants.tsv"
  /// The column with the permanent ids in the table of sessions.
  private static let idColumn = "footbridge_session"
  /// The prefix of the names of hidden folders, and of files that are being replaced.
  private static let hiddenPrefix = ".footbridge"
  /// Seconds to wait for another export to the same dataset.
  private static let patience = 60.0

  /// Prepares to write the dataset in this folder, which need not exist. Its parent folder must
  /// exist.
  public init(path: String, generator: (name: String, version: String)) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    self.generator = generator
  }

  /// Whether the folder does not exist, or contains only hidden files of footbridge.
  public var isNew: Bool {
    guard let names = try? Folder.names(in: path) else { return !Folder.exists(path) }
    return names.allSatisfy { $0.hasPrefix(Self.hiddenPrefix) }
  }

  public func contains(_ session: UniqueID) -> Bool { place(of: session) != nil }

  /// Adds a session. Throws if the dataset already contains it, unless `replaces` is true. Returns
  /// `nil` and changes nothing if the selected part has neither samples nor a track.
  ///
  /// - Parameter pause: called periodically with the number of samples written so far; an error
  ///   that it throws ends the export.
  public func add(
    _ source: some SessionSource, selection: ExportSelection = ExportSelection(),
    replaces: Bool = false, pause: (Int) throws -> Void = { _ in }
  ) throws -> Outcome? {
    let target = try AtomicFolder.target(path)
    if !target.exists {
      try OutputRefusal.writing(path) { () throws(SystemError) in
        try StagedFolder.make(target.path)
      }
    }
    // A new folder is removed again if no session was written to it.
    defer { if !target.exists { StagedFolder.removeIfEmpty(target.path) } }
    // The lock is held until this function returns.
    let lock = try locked()
    defer { withExtendedLifetime(lock) {} }
    try repair()
    let isNew = isNew
    guard isNew || text(Self.descriptionName) != nil else {
      throw OutputRefusal(
        "cannot add a session to \(path): the folder has no \(Self.descriptionName)",
        remedy: "name a BIDS dataset, or a folder that does not exist yet or is empty")
    }
    let former = place(of: source.session.id)
    if former != nil, !replaces {
      throw OutputRefusal(
        "cannot add session \(source.session.id) to \(path): the dataset already contains it",
        remedy: "add --force to replace it, or leave it out")
    }
    var participants = TabTable(parsing: text(Self.participantsName) ?? "participant_id\n")
    let subject = subject(of: source.session, former, in: participants)
    let session = session(ofSubject: subject, former)
    let isKnown = participants.rows.contains { $0.first == "sub-\(subject)" }
    set(source.session, as: subject, in: &participants)
    let files = try OutputRefusal.writing(path) { () throws(SystemError) in
      try StagedFolder(in: path, prefix: Self.hiddenPrefix + "-")
    }
    let place = Place(subject: subject, session: session)
    let writer = BidsSession(source: source, selection: selection, place: place, files: files)
    guard let totals = try writer.write(pause: pause) else { return nil }
    if isNew { try putDataset(in: files) }
    try files.put(participantsExplanation(participants), at: "participants.json")
    try files.put(participants.text, at: Self.participantsName)
    try files.put(Self.sessionsExplanation, at: place.tableExplanation)
    try files.put(sessionsTable(source, at: place).text, at: place.table)
    try settle(
      files, BidsPlan(place: place, former: former, addsParticipant: !isKnown), isNew: isNew)
    return Outcome(
      totals: totals, folder: "\(path)/\(place.folder)", replaced: former != nil)
  }

  // MARK: Places

  /// A session's labels in the dataset.
  struct Place: Hashable {
    /// The participant's label, as in `sub-P07`.
    var subject: String
    /// The session's label, as in `ses-01`.
    var session: String

    var subjectFolder: String { "sub-\(subject)" }
    var folder: String { "sub-\(subject)/ses-\(session)" }
    /// The common prefix of the session's file names.
    var stem: String { "sub-\(subject)_ses-\(session)" }
    var table: String { "sub-\(subject)/sub-\(subject)_sessions.tsv" }
    var tableExplanation: String { "sub-\(subject)/sub-\(subject)_sessions.json" }
  }

  private func place(of session: UniqueID) -> Place? {
    let names = (try? Folder.names(in: path)) ?? []
    for name in names where name.hasPrefix("sub-") {
      var place = Place(subject: String(name.dropFirst(4)), session: "")
      let table = TabTable(parsing: text(place.table) ?? "")
      let ids = table.column(Self.idColumn)
      for (row, id) in zip(table.rows, ids) where id == session.description {
        place.session = String((row.first ?? "").dropFirst(4))
        return place
      }
    }
    return nil
  }

  /// Returns the label for a session's participant. Each session without a participant has its own
  /// label, since two such sessions may be recordings of different people.
  private func subject(
    of session: Session, _ former: Place?, in participants: TabTable
  ) -> String {
    let labels = participants.rows.compactMap { $0.first.map { String($0.dropFirst(4)) } }
    guard let participant = session.participant else {
      let label = "unknown" + session.id.description.prefix(8)
      // The session may have had a participant when it was added.
      if let former, former.subject.hasPrefix("unknown") { return former.subject }
      return BidsLabel.unique(String(label), among: labels)
    }
    let id = TabTable.field(participant.id)
    let originals = participants.column(Self.originalColumn)
    if let known = originals.firstIndex(of: id), labels.indices.contains(known) {
      return labels[known]
    }
    return BidsLabel.unique(
      BidsLabel.plain(participant.id, otherwise: "participant"), among: labels)
  }

  /// Returns a session's label: its number among the participant's sessions.
  private func session(ofSubject subject: String, _ former: Place?) -> String {
    if let former, former.subject == subject { return former.session }
    let table = TabTable(parsing: text(Place(subject: subject, session: "").table) ?? "")
    let folders = (try? Folder.names(in: "\(path)/sub-\(subject)")) ?? []
    let used = Set(table.column("session_id") + folders)
    var number = 1
    while used.contains("ses-\(Self.label(number))") { number += 1 }
    return Self.label(number)
  }

  private static func label(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  // MARK: Tables

  private static let originalColumn = "original_id"
  /// The columns that footbridge writes to the table of participants.
  private static let columns:
    [(name: String, words: String, value: @Sendable (Participant) -> String?)] = [
      (originalColumn, "Pseudonym of the participant as it was recorded", { $0.id }),
      ("height", "Body height", { $0.height?.json.text }),
      ("side", "Side of the body that the study examines", { $0.side?.rawValue }),
      ("age_band", "Age band of the participant", { $0.age }),
      ("group", "Group within the study", { $0.group }),
    ]
  /// The names of columns for which BIDS has its own definition.
  private static let reserved = [
    "participant_id", "species", "age", "sex", "handedness", "strain", "strain_rrid", "hed",
  ]

  private func set(_ session: Session, as subject: String, in table: inout TabTable) {
    let participant = session.participant
    let reserved = Self.reserved + Self.columns.map(\.name)
    var values = Self.columns.map { column in
      (column: column.name, value: TabTable.field(participant.flatMap(column.value)))
    }
    for (name, value) in (participant?.details ?? [:]).sorted(by: { $0.key < $1.key }) {
      let name = TabTable.field(name.replacing("\"", by: ""))
      // 'detail_sex' gets the prefix too, so that it differs from the column of 'sex'.
      var plain = name.lowercased()[...]
      while plain.hasPrefix("detail_") { plain = plain.dropFirst("detail_".count) }
      values.append(
        (reserved.contains(String(plain)) ? "detail_\(name)" : name, TabTable.field(value)))
    }
    table.set(values, ofRow: "sub-\(subject)")
  }

  /// Describes the columns in the table of participants, except the first.
  private func participantsExplanation(_ table: TabTable) -> String {
    BidsText.json(
      table.header.dropFirst().map { name in
        .column(
          name,
          Self.columns.first { $0.name == name }?.words ?? "Further detail that the study defines",
          unit: name == "height" ? "m" : nil)
      })
  }

  private func sessionsTable(_ source: some SessionSource, at place: Place) throws -> TabTable {
    var table = TabTable(parsing: text(place.table) ?? "session_id\n")
    let moments = try Moments(of: source)
    table.set(
      [
        ("acq_time", TabTable.field(moments.utc(source.session.start))),
        (Self.idColumn, source.session.id.description),
        ("gateway", TabTable.field(source.session.gateway)),
        ("note", TabTable.field(source.session.note)),
      ], ofRow: "ses-\(place.session)")
    return table
  }

  private static let sessionsExplanation = BidsText.json([
    .column(idColumn, "Permanent id of the session in the store of the gateway"),
    .column("gateway", "Name of the computer that recorded the session"),
    .column("note", "A person's note on the session"),
  ])

  // MARK: Files

  /// Writes the files of a new dataset that do not belong to a session.
  private func putDataset(in files: StagedFolder) throws {
    try files.put(
      BidsText.json([
        .init("Name", Folder.name(of: Folder.absolute(path))), .init("BIDSVersion", Self.version),
        .init("DatasetType", "raw"),
        .init(
          "GeneratedBy", [["Name": generator.name.json, "Version": generator.version.json]]),
      ]), at: Self.descriptionName)
    try files.put(Self.readme, at: "README.md")
    try files.put(Self.hiddenPrefix + "*\n", at: Self.ignoreName)
  }

  private static let ignoreName = ".bidsignore"

  private static let readme = """
    # Recordings of body-worn motion sensors

    This dataset follows Motion-BIDS. Footbridge wrote it from its recordings.

    - Each tracking system (`tracksys`) is a sensor board, or the satellite receiver (`gps`).
    - The column `latency` is the time of a row in seconds since the first row. The other columns
      of the type `LATENCY` are the times of the samples of one signal.
    - A row with `n/a` is a gap: samples were lost. The events give the reason and the number of
      lost samples. No value was filled in or resampled.
    - `SamplingFrequencyEffective` was measured.
    - `sourcedata` contains the track of each session as GeoJSON, and its description and events.

    Before you publish the dataset, add `Authors` and `License` to `dataset_description.json`, and
    `InstitutionName` and `Instructions` to a file such as `task-walk_motion.json`. Describe the
    participants and the procedure in this file. Later exports keep these changes.

    """

  private static let datasetNames = [descriptionName, "README.md", ignoreName]

  /// Moves a complete session into the dataset. If an error occurs, the dataset remains unchanged.
  ///
  /// A new session is complete before the former one is removed, so the dataset always contains one
  /// of them.
  private func settle(_ files: StagedFolder, _ plan: BidsPlan, isNew: Bool) throws {
    let place = plan.place
    var moves: [(staged: String, name: String)] = []
    func move(_ name: String) { moves.append(("\(files.root)/\(name)", name)) }
    if isNew { for name in Self.datasetNames { move(name) } }
    move("participants.json")
    move(Self.participantsName)
    move("sourcedata/\(place.folder)")
    if Folder.exists("\(path)/\(place.subjectFolder)") {
      move(place.tableExplanation)
      move(place.table)
      move(place.folder)
    } else {
      move(place.subjectFolder)
    }
    if let former = plan.moved {
      let (folder, name, table) = withoutFormer(former, in: files)
      for (staged, name) in zip(BidsPlan.formerNames, [folder, "sourcedata/\(folder)"])
      where Folder.exists("\(path)/\(name)") {
        moves.append(("\(files.hiddenPath)/\(staged)", name))
      }
      try files.put(table.text, at: "reduced/\(name)")
      moves.append(("\(files.root)/reduced/\(name)", name))
    }
    try OutputRefusal.writing(path) { () throws(SystemError) in try files.sync() }
    var note = try OutputFile(path: "\(files.hiddenPath)/\(BidsPlan.name)")
    try note.write(Array(plan.text.utf8).span)
    try note.commit()
    var done: [(staged: String, path: String, hasExisted: Bool)] = []
    do {
      for (staged, name) in moves {
        let target = "\(path)/\(name)"
        try OutputRefusal.writing(path) { () throws(SystemError) in
          try Folder.make(forFile: target)
          let exists = Folder.exists(target)
          if exists, !Folder.exists(staged) {
            try Durability.rename(target, to: staged, replaces: false)
            done.append((target, staged, false))
          } else {
            try Durability.exchange(staged, target)
            done.append((staged, target, exists))
          }
          try Durability.sync(folder: Folder.containing(target))
        }
      }
    } catch {
      do throws(SystemError) {
        for (staged, path, hasExisted) in done.reversed() {
          if hasExisted {
            try Durability.exchange(staged, path)
          } else {
            try Durability.rename(path, to: staged, replaces: false)
          }
        }
        for folder in [place.subjectFolder, "sourcedata/\(place.subjectFolder)", "sourcedata"] {
          StagedFolder.removeIfEmpty("\(path)/\(folder)")
        }
      } catch {
        files.keep()
      }
      throw error
    }
  }

  /// Returns the folder to remove after a session has moved to another participant, and the table
  /// without the removed row. If the former participant has no other session, the participant is
  /// removed.
  private func withoutFormer(
    _ former: Place, in files: StagedFolder? = nil
  ) -> (folder: String, name: String, table: TabTable) {
    var sessions = TabTable(parsing: text(former.table) ?? "session_id\n")
    sessions.removeRow("ses-\(former.session)")
    guard sessions.rows.isEmpty else { return (former.folder, former.table, sessions) }
    let staged = files.flatMap { text(at: "\($0.root)/\(Self.participantsName)") }
    var participants = TabTable(
      parsing: staged ?? text(Self.participantsName) ?? "participant_id\n")
    participants.removeRow(former.subjectFolder)
    return (former.subjectFolder, Self.participantsName, participants)
  }

  private func locked() throws -> FolderLock {
    do throws(SystemError) {
      return try FolderLock(path, waitingAtMost: Self.patience)
    } catch {
      guard error.number == SystemError.timedOut else {
        throw OutputRefusal(error, writing: path)
      }
      throw OutputRefusal(
        "cannot write \(path): another export is writing to it",
        remedy: "wait until it has ended, and try again")
    }
  }

  /// Completes or undoes exports that were killed. Does nothing if there are none, or if the
  /// dataset does not exist. Waits for an export that is still running.
  public func recover() throws {
    let names = (try? Folder.names(in: path)) ?? []
    guard names.contains(where: { $0.hasPrefix(Self.hiddenPrefix) }) else { return }
    let lock = try locked()
    defer { withExtendedLifetime(lock) {} }
    try repair()
  }

  /// Repairs the dataset, and removes the hidden folders.
  private func repair() throws {
    for name in (try? Folder.names(in: path)) ?? [] where name.hasPrefix(Self.hiddenPrefix) {
      let hidden = "\(path)/\(name)"
      if let plan = text(at: "\(hidden)/\(BidsPlan.name)").flatMap(BidsPlan.init(parsing:)) {
        try repair(plan, hidden)
      }
      if !Folder.remove(file: hidden) { TemporaryFolder.removeTree(hidden) }
    }
  }

  private func repair(_ plan: BidsPlan, _ hidden: String) throws {
    let place = plan.place
    /// Moves an entry of the hidden folder to a path in the dataset, if nothing exists there.
    func restore(_ staged: String, _ name: String) throws {
      guard Folder.exists("\(hidden)/\(staged)"), !Folder.exists("\(path)/\(name)") else {
        return
      }
      try OutputRefusal.writing(path) { () throws(SystemError) in
        try Folder.make(forFile: "\(path)/\(name)")
        try Durability.place("\(hidden)/\(staged)", at: "\(path)/\(name)", replaces: false)
      }
    }
    for name in Self.datasetNames { try restore("dataset/\(name)", name) }
    // A file system that cannot exchange folders was interrupted between two renames.
    for name in ["sourcedata/\(place.folder)", place.folder] {
      try restore("dataset/\(name)\(Durability.hiddenEnding)", name)
    }
    if Folder.exists("\(path)/\(place.folder)") {
      guard let former = plan.moved else { return }
      let (folder, name, table) = withoutFormer(former)
      for name in [folder, "sourcedata/\(folder)"] {
        TemporaryFolder.removeTree("\(path)/\(name)")
      }
      try put(table.text, at: name)
      return
    }
    if let former = plan.former {
      // The former session may have been its participant's only session.
      for (staged, prefix) in zip(BidsPlan.formerNames, ["", "sourcedata/"]) {
        let isWhole =
          !Folder.exists("\(path)/\(prefix)\(former.subjectFolder)")
          && !Folder.exists("\(hidden)/\(staged)/motion")
        try restore(staged, prefix + (isWhole ? former.subjectFolder : former.folder))
      }
    }
    guard plan.former != place else { return }
    TemporaryFolder.removeTree("\(path)/sourcedata/\(place.folder)")
    StagedFolder.removeIfEmpty("\(path)/sourcedata/\(place.subjectFolder)")
    StagedFolder.removeIfEmpty("\(path)/sourcedata")
    if let text = text(place.table) {
      var sessions = TabTable(parsing: text)
      sessions.removeRow("ses-\(place.session)")
      try put(sessions.text, at: place.table)
    } else if plan.addsParticipant, let text = text(Self.participantsName) {
      var participants = TabTable(parsing: text)
      participants.removeRow(place.subjectFolder)
      try put(participants.text, at: Self.participantsName)
    }
  }

  private func text(_ name: String) -> String? { text(at: "\(path)/\(name)") }

  private func text(at path: String) -> String? { WholeFile.text(path, upTo: 64 << 20) }

  private func put(_ text: String, at name: String) throws(OutputRefusal) {
    var file = try OutputFile(path: "\(path)/\(name)", replaces: true)
    try file.write(Array(text.utf8).span)
    try file.commit()
  }
}
