internal import Coding
internal import LinuxSystem
internal import Recording
internal import UploadProtocol
internal import Values

/// Seals sessions by moving their data from the day tables into immutable objects. It must be used
/// by one thread, which blocks on the database and the S3 service.
final class SessionSealing {
  /// The result of creating an object for a session.
  struct Outcome: Hashable {
    var session: UniqueID
    var object: String
    var chunks: Int
    var bytes: Int
  }

  private typealias Entry = SealedObject.Entry

  /// The maximum number of chunk bytes in memory while the file is written or an object is read
  /// back.
  private static let bytesTogether = 4 << 20
  /// The limits for one object. Chunks beyond them go into another object, because the file must
  /// fit on the disk and the index must fit into memory.
  private static let mostBytes = 1 << 30
  private static let mostChunks = 200_000
  /// Seconds between renewals of the lease while a request is pending.
  private static let renewSeconds = 15.0

  private let tables: SealingTables
  private let objects: ObjectStore
  private let stop: StopFlag

  init(_ tables: SealingTables, _ objects: ObjectStore, stop: StopFlag) {
    self.tables = tables
    self.objects = objects
    self.stop = stop
  }

  /// Seals a session that is leased to this upload server. Returns `nil` if some data is missing,
  /// if nothing is left to seal, or if another upload server sealed the session first. Calls
  /// `begin` before it starts working on an object.
  func seal(
    _ session: SealingTables.Candidate, begin: (Outcome) -> Void
  ) throws(SealingFault) -> Outcome? {
    let documents = try asking { () throws(StoreError) in try tables.documents(session) }
    let record: SessionRecord
    do {
      record = try SessionRecord(decoding: documents.record)
    } catch {
      throw SealingFault(
        "the record of session \(session.session) is damaged: \(error)",
        remedy: "restore the database from a backup")
    }
    let missing = try asking { () throws(StoreError) in
      try tables.missingPart(session, record)
    }
    if let missing {
      // No action is needed, because the missing data may still arrive.
      try postpone(session, fault: "waiting for \(missing)")
      return nil
    }
    let (unsealed, expected, number, day) = try asking { () throws(StoreError) in
      try tables.unsealed(session)
    }
    guard unsealed.count == expected else {
      throw SealingFault(
        "\(expected - unsealed.count) chunks of session \(session.session) have no data",
        remedy: "restore the database from a backup")
    }
    guard !unsealed.isEmpty else {
      try asking { () throws(StoreError) in try tables.close(session) }
      return nil
    }
    let chunks = Self.beginning(of: unsealed)
    let name = SealedObject.name(
      of: session.session, of: session.gateway, day: day, number: number)
    var outcome = Outcome(
      session: session.session, object: name, chunks: chunks.count,
      bytes: chunks.reduce(0) { $0 + $1.length })
    begin(outcome)
    let (entries, size) = try put(name, chunks, documents, session)
    outcome.chunks = entries.count { $0.kind == .chunk }
    outcome.bytes = size
    let isNoted = try asking { () throws(StoreError) in
      try tables.note(
        entries, in: name, size: size, number: number,
        isWhole: outcome.chunks == unsealed.count, session)
    }
    return isNoted ? outcome : nil
  }

  /// Returns as many of the first chunks as fit into one object.
  private static func beginning(
    of chunks: [SealingTables.Unsealed]
  ) -> ArraySlice<SealingTables.Unsealed> {
    var bytes = 0
    return chunks.prefix(mostChunks).prefix { chunk in
      defer { bytes += chunk.length }
      return bytes == 0 || bytes + chunk.length <= mostBytes
    }
  }

  private func postpone(
    _ session: SealingTables.Candidate, fault: String
  ) throws(SealingFault) {
    try asking { () throws(StoreError) in
      try tables.postpone(session, seconds: SealingTables.leaseSeconds, fault: fault)
    }
  }

  // MARK: Writing

  /// Creates the object and verifies it, or verifies an object that an earlier upload server
  /// created. Returns the object's entries and size.
  private func put(
    _ name: String, _ chunks: ArraySlice<SealingTables.Unsealed>,
    _ documents: (record: [UInt8], track: [[UInt8]]), _ session: SealingTables.Candidate
  ) throws(SealingFault) -> (entries: [Entry], size: Int) {
    let former = try former(name, chunks, session)
    if case .whole(let entries, let size) = former { return (entries, size) }
    let isDamaged = if case .damaged = former { true } else { false }
    let (file, hash, entries) = try write(chunks, documents, of: session)
    let answer = try waiting(session) { [objects] () async throws(ObjectStoreError) in
      try await objects.put(
        file, hash: Hexadecimal.text(hash), as: name, replacesFormer: isDamaged)
    }
    switch answer {
    case .success:
      let found: (entries: [Entry], size: Int)
      switch try index(of: name, session) {
      case .success(let index): found = index
      case .failure(let error): throw SealingFault(lost: name, error)
      }
      guard found.entries == entries, found.size == file.count else {
        throw SealingFault(
          "the object \(name) differs from the bytes that were written",
          remedy: "check the S3 service, then delete this object; no data was deleted")
      }
      // The table that contains the bytes will be dropped later, so first read all the bytes back
      // from the service.
      try readBack(name, found.entries, chunks, session)
      return found
    case .failure(let error) where error.kind == .exists || error.kind == .unknownOutcome:
      let found: (entries: [Entry], size: Int)
      switch try index(of: name, session) {
      case .success(let index): found = index
      // If the outcome of the write was unknown, the object was probably not created, so report the
      // write error.
      case .failure(let other):
        throw SealingFault(error.kind == .exists ? other : error)
      }
      try readBack(name, found.entries, chunks, session)
      return found
    case .failure(let error): throw SealingFault(error)
    }
  }

  /// The state of an existing object with the new object's name.
  private enum Former {
    case nothing
    /// The object was written by footbridge, but its content is damaged.
    case damaged
    /// An earlier upload server had already written the whole object.
    case whole(entries: [Entry], size: Int)
  }

  /// Checks whether the object already exists, because a session may contain a gigabyte and must be
  /// sent only once. No database row refers to the object yet. A damaged object is therefore
  /// replaced if its first bytes show that footbridge wrote it.
  private func former(
    _ name: String, _ chunks: ArraySlice<SealingTables.Unsealed>,
    _ session: SealingTables.Candidate
  ) throws(SealingFault) -> Former {
    do throws(SealingFault) {
      switch try index(of: name, session) {
      // Without permission to list objects, the service also denies access to a missing object. The
      // write then reports the fault.
      case .failure(let error) where error.kind == .missing || error.kind == .refused:
        return .nothing
      case .failure(let error): throw SealingFault(error)
      case .success(let found):
        try readBack(name, found.entries, chunks, session)
        return .whole(entries: found.entries, size: found.size)
      }
    } catch {
      guard error.isDamage, case .success(let start) = try read(name, .bytes(0..<16), session),
        chunks.contains(where: { $0.id == Self.id(start.bytes[...]) })
      else { throw error }
      return .damaged
    }
  }

  /// Returns the first chunk's id, which is in an object's first 16 bytes.
  private static func id(_ bytes: ArraySlice<UInt8>) -> UniqueID {
    func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    return UniqueID(high: half(bytes.prefix(8)), low: half(bytes.dropFirst(8)))
  }

  /// Writes a session's object to a file. Returns the file, its hash and its entries.
  private func write(
    _ chunks: ArraySlice<SealingTables.Unsealed>,
    _ documents: (record: [UInt8], track: [[UInt8]]), of session: SealingTables.Candidate
  ) throws(SealingFault) -> (file: UnnamedFile, hash: [UInt8], entries: [Entry]) {
    var rest = chunks
    do {
      var writer = try SealedObjectWriter()
      while !rest.isEmpty {
        let part = Self.together(rest) { $0.length }
        // The bytes are in the table for the chunk's day of arrival.
        let ofDay = part.prefix { $0.day == part.first?.day }
        rest = rest.dropFirst(ofDay.count)
        try writer.add(bodies(ofDay, of: session))
        try renew(session)
      }
      try writer.add(.record, of: session.session, documents.record)
      for piece in documents.track { try writer.add(.track, of: session.session, piece) }
      let (file, entries) = (writer.file, writer.entries)
      return (file, try writer.end(), entries)
    } catch let error as SystemError {
      throw SealingFault(error)
    } catch let error as SealingFault {
      throw error
    } catch {
      preconditionFailure("only file and database errors occur here")
    }
  }

  /// Returns the bytes of chunks that arrived on one day, after checking them against the chunks'
  /// hashes.
  private func bodies(
    _ chunks: ArraySlice<SealingTables.Unsealed>, of session: SealingTables.Candidate
  ) throws(SealingFault) -> [(part: ChunkBatch.Part, hash: [UInt8])] {
    let bodies = try asking { () throws(StoreError) in try tables.bodies(chunks, of: session) }
    var parts: [(part: ChunkBatch.Part, hash: [UInt8])] = []
    for chunk in chunks {
      guard let bytes = bodies[chunk.id], SHA256.hash(of: bytes) == chunk.hash else {
        throw SealingFault(
          "chunk \(chunk.id) of session \(session.session) is damaged in the database",
          remedy: "restore the database from a backup")
      }
      parts.append((ChunkBatch.Part(id: chunk.id, bytes: bytes), chunk.hash))
    }
    return parts
  }

  /// Returns as many of the first elements as fit into memory together, but at least one.
  private static func together<Element>(
    _ elements: ArraySlice<Element>, _ length: (Element) -> Int
  ) -> ArraySlice<Element> {
    var bytes = 0
    return elements.prefix { element in
      defer { bytes += length(element) }
      return bytes == 0 || bytes + length(element) <= bytesTogether
    }
  }

  // MARK: Verifying

  /// Reads an object's entries from the index at its end. Also returns the object's size.
  private func index(
    of name: String, _ session: SealingTables.Candidate
  ) throws(SealingFault) -> Result<(entries: [Entry], size: Int), ObjectStoreError> {
    let damage = SealingFault(
      "the object \(name) is not a sealed session, or is truncated",
      remedy: "inspect it, then move or delete it; no data was deleted", isDamage: true)
    let end: (bytes: [UInt8], size: Int)
    switch try read(name, .last(SealedObject.footerSize), session) {
    case .success(let part): end = part
    case .failure(let error): return .failure(error)
    }
    guard let footer = SealedObject.footer(end.bytes, size: end.size), footer.entries > 0,
      footer.index.count <= ObjectStore.largestPart
    else { throw damage }
    switch try read(name, .bytes(footer.index), session) {
    case .failure(let error): return .failure(error)
    case .success(let part):
      guard SHA256.hash(of: part.bytes) == footer.indexHash, part.size == end.size,
        let entries = SealedObject.entries(part.bytes, before: footer.indexOffset)
      else { throw damage }
      return .success((entries, end.size))
    }
  }

  /// Checks that an object consists of the session's chunks, and that the service returns each
  /// chunk undamaged. An object from an earlier attempt may contain an older record and track. The
  /// database has the latest versions.
  private func readBack(
    _ name: String, _ entries: [Entry], _ chunks: ArraySlice<SealingTables.Unsealed>,
    _ session: SealingTables.Candidate
  ) throws(SealingFault) {
    let known = Dictionary(chunks.map { ($0.id, $0) }) { first, _ in first }
    let sealed = entries.filter { $0.kind == .chunk }
    guard !sealed.isEmpty, Set(sealed.map(\.id)).count == sealed.count,
      sealed.allSatisfy({ known[$0.id]?.hash == $0.hash && known[$0.id]?.length == $0.length })
    else {
      throw SealingFault(
        "the object \(name) already exists with different content",
        remedy: "inspect it, and move it away; no data was deleted")
    }
    var rest = sealed[...]
    while !rest.isEmpty {
      let part = Self.together(rest) { $0.length }
      rest = rest.dropFirst(part.count)
      guard let start = part.map(\.offset).min(), let end = part.map(\.range.upperBound).max(),
        end - start <= 2 * Self.bytesTogether || part.count == 1
      else {
        throw SealingFault(
          "the object \(name) has its chunks in a different order",
          remedy: "inspect it, and move it away; no data was deleted")
      }
      let bytes: [UInt8]
      switch try read(name, .bytes(start..<end), session) {
      case .success(let part): bytes = part.bytes
      case .failure(let error): throw SealingFault(error)
      }
      for entry in part
      where SHA256.hash(of: Array(bytes[(entry.offset - start)..<(entry.range.upperBound - start)]))
        != entry.hash
      {
        throw SealingFault(
          "chunk \(entry.id) is damaged in the object \(name)",
          remedy: "check the S3 service; the object will be written again, and no data was deleted",
          isDamage: true)
      }
    }
  }

  private func read(
    _ name: String, _ part: ObjectStore.Part, _ session: SealingTables.Candidate
  ) throws(SealingFault) -> Result<(bytes: [UInt8], size: Int), ObjectStoreError> {
    try waiting(session) { [objects] () async throws(ObjectStoreError) in
      try await objects.read(name, part)
    }
  }

  // MARK: Waiting

  /// Blocks this thread until the S3 request completes, and renews the lease while waiting.
  private func waiting<Value: Sendable>(
    _ session: SealingTables.Candidate,
    _ request: @escaping @Sendable () async throws(ObjectStoreError) -> Value
  ) throws(SealingFault) -> Result<Value, ObjectStoreError> {
    let answer = Monitor<Result<Value, ObjectStoreError>?>(nil)
    let task = Task {
      let result: Result<Value, ObjectStoreError>
      do throws(ObjectStoreError) {
        result = .success(try await request())
      } catch {
        result = .failure(error)
      }
      answer.change { $0 = result }
    }
    while true {
      let result = answer.wait(seconds: Self.renewSeconds) { $0 }
      if stop.isRaised {
        task.cancel()
        throw .stopping
      }
      if let result { return result }
      do throws(SealingFault) {
        try renew(session)
      } catch {
        task.cancel()
        throw error
      }
    }
  }

  private func renew(_ session: SealingTables.Candidate) throws(SealingFault) {
    if stop.isRaised { throw .stopping }
    try asking { () throws(StoreError) in try tables.renew(session) }
  }

  @discardableResult
  private func asking<Value>(
    _ question: () throws(StoreError) -> Value
  ) throws(SealingFault) -> Value {
    do {
      return try question()
    } catch {
      throw SealingFault(error)
    }
  }
}
