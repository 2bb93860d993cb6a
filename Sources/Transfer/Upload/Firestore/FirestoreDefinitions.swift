public import HTTPClient
internal import Recording
internal import Values

/// The definitions in a Firestore: the document `gateway_config/{gateway}`, whose fields are the
/// members described in `docs/definitions.md`.
public final class FirestoreDefinitions: DefinitionsSource {
  private let access: FirestoreAccess
  private let path: [String]

  /// The definitions for the gateway named in `place`.
  public convenience init(
    in place: FirestorePlace, credentials: DestinationSettings.Credentials,
    over exchange: any HTTPExchange, environment: [String: String] = [:]
  ) {
    let account = FirestoreAccount(place, credentials, over: exchange, environment: environment)
    self.init(account.access, gateway: place.gateway)
  }

  /// The definitions for a gateway in the database that `access` opens.
  init(_ access: FirestoreAccess, gateway: String) {
    self.access = access
    path = ["gateway_config", gateway]
  }

  /// Reads the document. Firestore has no conditional reading, so the set is never `unchanged`.
  public func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
    do throws(FirestoreFailure) {
      let fields = try await access.fields(of: path)
      return .found(Array(Self.text(of: fields).utf8), tag: nil)
    } catch {
      if case .absent(let words) = error { return .none(words) }
      throw error.setback.ofDestination
    }
  }

  /// The fields as a set, sorted by name.
  static func text(of fields: [String: JSON]) -> String {
    // A document with this name is always a set; on other servers the content has to say so.
    var members = [JSONValue.Member("format", 1)]
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where name != "format" {
      // No known member is a boolean: a type that a later version introduces must not pass for a
      // member that was left out.
      members.append(.init(name, FirestoreValue(value)?.plain ?? false))
    }
    return JSONValue.object(members).text
  }
}

extension FirestoreValue {
  /// The value without the name of its type.
  fileprivate var plain: JSONValue {
    switch self {
    case .null, .samples: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value): .number(value)
    case .timestamp(let time): .string(time.iso8601())
    case .string(let text), .reference(let text): .string(text)
    case .bytes(let bytes): .string(String(decoding: Base64.encode(bytes), as: UTF8.self))
    case .geoPoint(let place):
      ["latitude": .number(place.latitude), "longitude": .number(place.longitude)]
    case .array(let values): .array(values.map(\.plain))
    case .map(let fields): .object(fields.map { .init($0.name, $0.value.plain) })
    }
  }
}
