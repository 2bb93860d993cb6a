internal import Recording
public import Values

/// A session's statistics, in the form that the researchers' programs expect in `Users/…/Hikes`.
public struct Hike: Hashable, Sendable {
  /// The document's id: a session's id in upper case, unless another program wrote the document.
  public let name: String
  /// The session's start.
  public let date: UTCTime
  public let seconds: Double
  public let steps: Int64
  /// The distance in metres.
  public let distance: Double
  /// The ascent in metres.
  public let gain: Double
  /// The descent in metres, as zero or a negative number.
  public let loss: Double
  /// The difference in altitude from start to end, in metres.
  public let net: Double

  init(_ statistics: SessionStatistics, of session: UniqueID, start: UTCTime) {
    // A reader expects all seven fields and skips a document if any of them is missing. Unknown
    // values are therefore written as zero.
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

  /// Reads a document. `fields` is `nil` if a field has an unknown type.
  init(_ name: String, _ fields: [FirestoreField]?) throws(UnreadableDocument) {
    let required = try RequiredFields(of: name, fields)
    self.name = name
    date = try required.time("date")
    seconds = try required.number("time")
    steps = try required.value("steps", "a whole number", \.integer)
    distance = try required.number("distance")
    gain = try required.number("positiveAltitudeChange")
    loss = try required.number("negativeAltitudeChange")
    net = try required.number("netAltitudeChange")
  }
}

extension FirestoreLibrary {
  /// Returns the statistics of all of the user's sessions, oldest first, and the documents that
  /// cannot be read.
  public func hikes() async throws(Setback) -> (hikes: [Hike], unreadable: [UnreadableDocument]) {
    do throws(FirestoreFailure) {
      let path = try await layout().hikes
      let query = FirestoreQuery(parent: path.dropLast(), collection: path.last ?? "")
      var hikes: [Hike] = []
      var unreadable: [UnreadableDocument] = []
      for found in try await account.access.found(query) {
        do throws(UnreadableDocument) {
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
