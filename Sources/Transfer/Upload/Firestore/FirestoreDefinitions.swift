public import HTTPClient
internal import Recording
internal import Values

/// Fetches the definitions from a Firestore database. They are stored in the document
/// `gateway_config/{gateway}`, whose fields are the members described in `docs/definitions.md`.
/// This document may refer to other documents that contain its studies and tasks.
public final class FirestoreDefinitions: DefinitionsSource {
  private let access: FirestoreAccess
  private let path: [String]

  public convenience init(
    in place: FirestorePlace, credentials: DestinationSettings.Credentials,
    over exchange: any HTTPExchange, environment: [String: String] = [:]
  ) {
    let account = FirestoreAccount(place, credentials, over: exchange, environment: environment)
    self.init(account.access, gateway: place.gateway)
  }

  init(_ access: FirestoreAccess, gateway: String) {
    self.access = access
    path = ["gateway_config", gateway]
  }

  /// Reads the document and the documents to which it refers. Firestore does not support
  /// conditional reads, so the result is never `unchanged`.
  public func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
    let document: [String: JSON]
    do throws(FirestoreFailure) {
      document = try await access.fields(of: path)
    } catch {
      if case .absent(let words) = error { return .none(words) }
      throw error.setback.ofDestination
    }
    do throws(FirestoreFailure) {
      let fields = try await access.resolved([FirestoreField](ofDefinitions: document))
      return .found(Array(Self.text(of: fields).utf8), tag: nil)
    } catch {
      throw error.setback.ofDestination
    }
  }

  /// Converts the fields to a set of definitions, sorted by name.
  static func text(of fields: [FirestoreField]) -> String {
    // In Firestore, a document with this name is always a set of definitions. On other servers, the
    // content must state that it is a set of definitions.
    var members = [JSONValue.Member("format", 1)]
    for field in fields.sorted(by: { $0.name < $1.name }) where field.name != "format" {
      members.append(.init(field.name, field.value.plain))
    }
    return JSONValue.object(members).text
  }
}

extension FirestoreValue {
  /// The value as plain JSON, without the name of its Firestore type.
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
