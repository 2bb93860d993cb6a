internal import Recording
public import Values

/// The statistics of a session, in the form of the documents in `Users/…/Hikes`, which the
/// researchers' programs expect.
public struct Hike: Hashable, Sendable {
  /// The document's id: a session's id in upper case, unless another program wrote the document.
  public let name: String
  /// The start of the session.
  public let date: UTCTime
  public let seconds: Double
  public let steps: Int64
  /// The distance in metres.
  public let distance: Double
  /// The ascent in metres.
  public let gain: Double
  /// The descent in metres, as a number that is not positive.
  public let loss: Double
  /// The difference in altitude from start to end, in metres.
  public let net: Double

  init(_ statistics: SessionStatistics, of session: UniqueID, start: UTCTime) {
    // A reader expects all seven fields and skips a document that lacks any of them. Unknown values
    // are therefore written as zero.
    name = FirestoreLayout.text(session)
    date = start
    seconds = statistics.elapsed
    // Boards on both legs of the same person count the same steps, so the highest count is used.
    steps = Int64(statistics.steps.map(\.count).max() ?? 0)
    distance = statistics.distance ?? 0
    gain = statistics.altitude?.gain ?? 0
    loss = -(statistics.altitude?.loss ?? 0)
    net = statistics.altitude?.net ?? 0
  }

  func document(in layout: FirestoreLayout) -> FirestoreDocument {
    FirestoreDocument(
      path: layout.hikes + [name],
      fields: [
        FirestoreField("date", .timestamp(date)), FirestoreField("time", .double(seconds)),
        FirestoreField("steps", .integer(steps)), FirestoreField("distance", .double(distance)),
        FirestoreField("positiveAltitudeChange", .double(gain)),
        FirestoreField("negativeAltitudeChange", .double(loss)),
        FirestoreField("netAltitudeChange", .double(net)),
      ])
  }

  /// A document that does not contain readable statistics.
  public struct Unreadable: Error, Hashable {
    /// The document's id.
    public let name: String
    /// The reason why the document cannot be read, as a clause without a full stop.
    public let reason: String
  }

  /// Reads a document. `fields` is `nil` if a field has an unknown type.
  init(_ name: String, _ fields: [FirestoreField]?) throws(Unreadable) {
    guard let fields else { throw Unreadable(name: name, reason: "a field has an unknown type") }
    func required<Value>(
      _ field: String, _ what: String, _ read: (FirestoreValue) -> Value?
    ) throws(Unreadable) -> Value {
      guard let found = fields[field] else {
        throw Unreadable(name: name, reason: "'\(field)' is missing")
      }
      guard let value = read(found) else {
        throw Unreadable(name: name, reason: "'\(field)' is not \(what)")
      }
      return value
    }
    func number(_ field: String) throws(Unreadable) -> Double {
      try required(field, "a finite number") { value in
        value.number.flatMap { $0.isFinite ? $0 : nil }
      }
    }
    self.name = name
    date = try required("date", "a time", \.time)
    seconds = try number("time")
    steps = try required("steps", "a whole number", \.integer)
    distance = try number("distance")
    gain = try number("positiveAltitudeChange")
    loss = try number("negativeAltitudeChange")
    net = try number("netAltitudeChange")
  }
}

extension FirestoreLibrary {
  /// Returns the statistics of all sessions of the user, oldest first, and the documents that
  /// cannot be read.
  public func hikes() async throws(Setback) -> (hikes: [Hike], unreadable: [Hike.Unreadable]) {
    do throws(FirestoreFailure) {
      let path = try await layout().hikes
      let query = FirestoreQuery(parent: path.dropLast(), collection: path.last ?? "")
      var hikes: [Hike] = []
      var unreadable: [Hike.Unreadable] = []
      for found in try await account.access.found(query) {
        do throws(Hike.Unreadable) {
          hikes.append(try Hike(found.path.last ?? "", found.fields))
        } catch {
          unreadable.append(error)
        }
      }
      hikes.sort { ($0.date.nanoseconds, $0.name) < ($1.date.nanoseconds, $1.name) }
      return (hikes, unreadable.sorted { $0.name < $1.name })
    } catch {
      throw error.setback
    }
  }
}
