internal import Recording
internal import Values

/// Sends the researchers' records of a session, one for each board.
struct ResearchersUpload {
  let access: FirestoreAccess
  let layout: FirestoreLayout

  /// The maximum number of records that can end in the same second for one user.
  private static let mostNumbers = 100

  /// Returns `nil` on success, or else the verdict on the session.
  func send(_ record: SessionRecord, _ session: any OutgoingSession) async throws -> Verdict? {
    let clock = ClockTable(record.clock)
    guard clock.isTrusted, let end = record.session.end.flatMap({ clock.utc(at: $0) }),
      let start = clock.utc(at: record.session.start)
    else {
      return .failed(
        Setback(
          .wrongClock, "the session has no trusted time yet, or has not ended",
          remedy: "wait until the clock is set; the session is then sent"))
    }
    let first = try await session.fixes(from: 0, limit: 1).first
    let last =
      record.fixCount > 0
      ? try await session.fixes(from: record.fixCount - 1, limit: 1).first : nil
    let known = try await known(record.session.id)
    for (position, board) in ResearchersRecord.boards(of: record).enumerated() {
      let wanted = ResearchersRecord(
        board: board, record: record, layout: layout, start: start, end: end, firstFix: first,
        lastFix: last)
      if let found = known.first(where: { $0.fields["sensor_id"] == .string(board.description) }) {
        try await update(found, to: wanted)
      } else if let words = try await create(wanted, from: position + 1, endedAt: end) {
        return .refused(words)
      }
    }
    return nil
  }

  /// Returns the session's existing records, regardless of their names.
  private func known(_ session: UniqueID) async throws(FirestoreFailure) -> [FirestoreDocument] {
    var query = layout.query("records")
    query.equal.append(FirestoreField("session_id", .string(FirestoreLayout.text(session))))
    do throws(FirestoreFailure) {
      return try await access.query(query)
    } catch {
      // A gateway that is permitted only to create documents cannot query them. It finds an
      // existing record when it attempts to create one.
      if case .forbidden = error { return [] }
      throw error
    }
  }

  /// Creates a record under the first unused name, or updates the existing record. Returns `nil` on
  /// success, or the reason for the failure.
  private func create(
    _ wanted: ResearchersRecord, from first: Int, endedAt end: UTCTime
  ) async throws(FirestoreFailure) -> String? {
    for number in first..<(first + Self.mostNumbers) {
      let document = wanted.document(layout.record(endedAt: end, number: number))
      if let obstacle = document.obstacle { return obstacle }
      do throws(FirestoreFailure) {
        try await access.commit([FirestoreWrite(.create(document))])
        return nil
      } catch {
        guard error == .exists || error.isForbidden else { throw error }
        let found: FirestoreDocument
        do throws(FirestoreFailure) {
          found = try await access.read(document.path, fields: [])
        } catch let reading {
          // Another user's document has this name.
          if error == .exists, reading.isForbidden { continue }
          if case .setback = reading { throw reading }
          throw error
        }
        let names = ["session_id", "sensor_id"]
        if names.allSatisfy({ found.fields[$0] == document.fields[$0] }) {
          try await update(found, to: wanted)
          return nil
        }
      }
    }
    return "too many records of this user end in the same second"
  }

  /// Updates the fields that have changed since a record was written. The field `timestamp` changes
  /// only if there is a report. Otherwise, it contains the session's end, which is part of the
  /// record's name.
  private func update(
    _ found: FirestoreDocument, to wanted: ResearchersRecord
  ) async throws(FirestoreFailure) {
    var document = wanted.document(found.path)
    var paths: [String] = []
    for field in document.fields where field.name != "user_id" {
      if field.name == "timestamp", wanted.submission == nil { continue }
      let known = found.fields[field.name]
      guard known?.ordered != field.value.ordered else { continue }
      guard field.name == "hazards", let hazards = field.value.map, let known = known?.map else {
        paths.append(FirestoreWrite.fieldPath(field.name))
        continue
      }
      // Each hazard is updated separately, so that names added by other programs are kept.
      for hazard in hazards where known[hazard.name] != hazard.value {
        paths.append(FirestoreWrite.fieldPath("hazards", hazard.name))
      }
    }
    // If an update lists a field as changed but omits its value, Firestore deletes the field.
    if wanted.record.session.participant == nil, found.fields["participant"] != nil {
      paths.append("participant")
    }
    guard !paths.isEmpty else { return }
    // Only the changed fields are listed and sent.
    document.fields = document.fields.filter { field in
      paths.contains { $0 == field.name || $0.hasPrefix(field.name + ".") }
    }
    try await access.commit([FirestoreWrite(.update(document, paths: paths))])
  }
}

extension FirestoreFailure {
  var isForbidden: Bool { if case .forbidden = self { true } else { false } }
}
