public import HTTPClient
internal import Recording
internal import Values

/// The position that a gateway published in a Firestore database, in a document that `LiveLocation`
/// or another program wrote.
public struct PublishedLocation: Hashable, Sendable {
  /// The gateway's name, or the document's id if the document does not contain a valid name.
  public let name: String
  /// The latitude in degrees north.
  public let latitude: Double
  /// The longitude in degrees east.
  public let longitude: Double
  /// Seconds from the fix to the time at which the database read the document.
  public let age: Double
  /// Seconds from the time at which the database read the document until the document expires; zero
  /// or negative if it had already expired.
  public let validity: Double

  /// The maximum number of seconds that a fix may appear to be in the future.
  private static let tolerance = 5.0
  private static let longestName = 64

  public init(name: String, latitude: Double, longitude: Double, age: Double, validity: Double) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
    self.age = age
    self.validity = validity
  }

  /// Reads a document. `fields` is `nil` if a field has an unknown type. `time` is the time at
  /// which the database read the document.
  init(
    _ id: String, _ fields: [FirestoreField]?, at time: UTCTime
  ) throws(UnreadableDocument) {
    let required = try RequiredFields(of: id, fields)
    func coordinate(_ field: String, upTo limit: Double) throws(UnreadableDocument) -> Double {
      let degrees = try required.number(field)
      guard abs(degrees) <= limit else {
        throw UnreadableDocument(name: id, reason: "'\(field)' is out of range")
      }
      return degrees
    }
    let names = [fields?["gateway"]?.text, id].compactMap(\.self)
    let name = names.first { !$0.isEmpty && LineOfText.isFit($0, upTo: Self.longestName) }
    guard let name else { throw UnreadableDocument(name: id, reason: "its id is not a valid name") }
    self.name = name
    latitude = try coordinate("latitude", upTo: 90)
    longitude = try coordinate("longitude", upTo: 180)
    let age = try Self.seconds(from: required.time("fix_time"), to: time)
    guard age >= -Self.tolerance else {
      throw UnreadableDocument(name: id, reason: "'fix_time' is in the future")
    }
    self.age = max(0, age)
    validity = try Self.seconds(from: time, to: required.time("expires_at"))
  }

  private static func seconds(from start: UTCTime, to end: UTCTime) -> Double {
    (Double(end.nanoseconds) - Double(start.nanoseconds)) / 1e9
  }
}

/// Reads the positions that other gateways published in a Firestore database.
public struct PublishedLocations: Sendable {
  /// The maximum number of documents that one call to `read` requests.
  public static let most = 100

  private let access: FirestoreAccess
  private let own: String

  /// Prepares to read on behalf of the gateway named in `place`. This gateway's own document is
  /// omitted.
  public init(
    in place: FirestorePlace, credentials: DestinationSettings.Credentials,
    over exchange: any HTTPExchange, environment: [String: String] = [:]
  ) {
    access =
      FirestoreAccount(place, credentials, over: exchange, environment: environment).access
    own = place.gateway
  }

  /// Returns the positions that have not expired, and the documents that cannot be read. If there
  /// are too many documents, only the most recently updated ones are read.
  public func read() async throws(Setback) -> (
    found: [PublishedLocation], unreadable: [UnreadableDocument]
  ) {
    // A query cannot filter by `expires_at`, because `docs/firestore.indexes.json` exempts this
    // field from indexing.
    var query = FirestoreQuery(collection: LiveLocation.collection)
    (query.order, query.isDescending, query.limit) = ("updated_at", true, Self.most)
    do throws(FirestoreFailure) {
      let (documents, time) = try await access.dated(query)
      var found: [PublishedLocation] = []
      var unreadable: [UnreadableDocument] = []
      for document in documents where document.path.last != own {
        do throws(UnreadableDocument) {
          let location = try PublishedLocation(
            document.path.last ?? "", [FirestoreField](.object(document.fields)), at: time)
          if location.validity > 0 { found.append(location) }
        } catch {
          unreadable.append(error)
        }
      }
      return (found, unreadable)
    } catch {
      throw error.setback
    }
  }
}
