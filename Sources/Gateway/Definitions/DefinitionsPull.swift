internal import LinuxSystem
public import Storage
public import Upload
public import Values

/// Fetches the definitions of this gateway, checks them as a whole, and only then replaces the
/// stored set in one transaction. A failure before that leaves the old set unchanged.
public struct DefinitionsPull: Sendable {
  /// Largest set in bytes.
  public static let largest = 65_536
  /// Seconds for all answers of one destination. A server that answers byte by byte must not hold
  /// up a pull forever.
  private static let patience = 120.0

  /// The result of a successful pull.
  public enum Outcome: Hashable, Sendable {
    /// A set was fetched or confirmed. `isNew` shows whether it differs from the stored one.
    case pulled(StoredDefinitions, isNew: Bool)
    /// No destination has definitions for this gateway. The stored set stays.
    case none(asked: [String])
  }

  /// The reason why a pull failed.
  public struct Failure: Remediable, Hashable {
    /// Includes the name of the destination.
    public var message: String
    /// Empty if there is no general one.
    public var remedy: String
    /// Whether the destination could not be reached.
    public var isUnreachable: Bool
  }

  /// A fault in a set.
  public struct Fault: Remediable, Hashable {
    /// The faults in a sentence.
    public var reason: String
    /// The faults as an error about the stored set.
    public var message: String { "the definitions in the store are invalid: \(reason)" }
    /// The remedy for an invalid stored set.
    public var remedy: String { "pull a valid set with 'footbridge definitions pull'" }

    public init(_ reason: String) {
      self.reason = reason
    }
  }

  private let store: String
  private let check: @Sendable ([UInt8]) throws(Fault) -> Void
  private let doubted: @Sendable (String) -> Void
  private let source: @Sendable (DestinationSettings) throws -> (any DefinitionsSource)?

  /// A pull into the store at `store`.
  ///
  /// - Parameters:
  ///   - check: Throws the fault of a set that must not be used.
  ///   - doubted: Called with the reason why a set that was fetched and is used may be an old one.
  ///   - source: Returns the definitions source of a destination; `nil` if it can have none.
  public init(
    store: String, check: @escaping @Sendable ([UInt8]) throws(Fault) -> Void,
    doubted: @escaping @Sendable (String) -> Void = { _ in },
    source: @escaping @Sendable (DestinationSettings) throws -> (any DefinitionsSource)?
  ) {
    self.store = store
    self.check = check
    self.doubted = doubted
    self.source = source
  }

  /// Asks the destinations with these names in this order, or all of the store's in its order if
  /// there are no names. The first with definitions wins. An unreachable one ends the pull: the
  /// configuration must not depend on which servers happen to answer.
  public func run(from names: [String]) async throws -> Outcome {
    let reader = try StoreReader(path: store)
    let stored = try Self.targets(names, among: reader.destinations())
    let present = try reader.definitions()
    var asked: [String] = []
    do {
      for target in stored {
        let name = target.name ?? ""
        let known = present.flatMap { $0.place == target.place ? $0 : nil }
        guard let fetched = try await fetch(from: target, unless: known?.tag) else { continue }
        asked.append(name)
        let now = BootClock.systemTime()
        switch fetched {
        case .none: continue
        case .unchanged:
          guard var set = known else { continue }
          // Checked again: an earlier version of the program may have accepted it.
          try checked(Array(set.content.utf8), from: name)
          set.source = name
          set.pulled = now
          try StoreEditor(path: store).keep(set)
          return .pulled(set, isNew: false)
        case .found(let bytes, let tag):
          try checked(bytes, from: name)
          let set = StoredDefinitions(
            source: name, place: target.place, pulled: now, tag: tag,
            content: String(decoding: bytes, as: UTF8.self))
          if let why = Self.doubt(about: set, after: present) { doubted(why) }
          try StoreEditor(path: store).keep(set)
          return .pulled(set, isNew: set.content != present?.content)
        }
      }
    } catch let failure as Failure {
      // A cancelled call says nothing about the destination.
      try Task.checkCancellation()
      // If the store cannot note the failure, the failure is still the same.
      try? StoreEditor(path: store).note(
        FailedPull(
          time: BootClock.systemTime(), reason: failure.message, remedy: failure.remedy))
      throw failure
    }
    return .none(asked: asked)
  }

  /// The reason why a fetched set may be an old one; `nil` without one. Over plain HTTP, anyone on
  /// the way can replay an earlier set.
  static func doubt(
    about next: StoredDefinitions, after former: StoredDefinitions?
  ) -> String? {
    func updated(_ set: StoredDefinitions) -> UTCTime? {
      (try? JSON(parsing: Array(set.content.utf8)))?["updated_at"]?.text
        .flatMap { UTCTime(iso8601: $0) }
    }
    guard let former, former.content != next.content, let before = updated(former) else {
      return nil
    }
    let dated = "the previous set is dated \(before.iso8601(decimals: 0))"
    guard let now = updated(next) else { return "it has no 'updated_at', and \(dated)" }
    guard now.nanoseconds < before.nanoseconds else { return nil }
    return "it is dated \(now.iso8601(decimals: 0)), and \(dated)"
  }

  /// The warning about a set that may be an old one.
  public static func event(ofDoubt reason: String) -> LogEvent {
    LogEvent(
      .warning, "older definitions",
      [
        "reason": reason,
        "remedy": "unless someone restored an earlier set, use an address with 'https'",
      ])
  }

  private static func targets(
    _ names: [String], among known: [StoredDestination]
  ) throws(Failure) -> [StoredDestination] {
    guard !names.isEmpty else { return known }
    var targets: [StoredDestination] = []
    for name in names {
      let wanted = name.lowercased()
      guard let found = known.first(where: { $0.name?.lowercased() == wanted }) else {
        throw Failure(
          message: "there is no destination '\(name)'",
          remedy: StoredDestination.addition(of: name), isUnreachable: false)
      }
      targets.append(found)
    }
    return targets
  }

  /// The answer of a destination; `nil` if it can have no definitions.
  private func fetch(
    from target: StoredDestination, unless tag: String?
  ) async throws -> FetchedDefinitions? {
    let name = target.name ?? ""
    let source: (any DefinitionsSource)?
    do {
      source = try self.source(
        try DestinationSettings(placeText: target.place, text: target.settings))
    } catch {
      let remedy = (error as? any Remediable)?.remedy ?? ""
      throw Failure(
        message: "cannot ask \(name) for definitions: \(error)", remedy: remedy,
        isUnreachable: false)
    }
    guard let source else { return nil }
    do throws(Setback) {
      return try await Self.limited { () throws(Setback) in try await source.fetch(unless: tag) }
    } catch {
      throw Failure(
        message: "cannot get the definitions from \(name): \(error.reason)", remedy: error.remedy,
        isUnreachable: true)
    }
  }

  /// Gives up a call after `patience` seconds.
  private static func limited(
    _ call: @escaping @Sendable () async throws(Setback) -> FetchedDefinitions
  ) async throws(Setback) -> FetchedDefinitions {
    let result = await withTaskGroup(of: Result<FetchedDefinitions, Setback>.self) { group in
      group.addTask {
        do throws(Setback) { return .success(try await call()) } catch { return .failure(error) }
      }
      group.addTask {
        try? await Pause.seconds(patience)
        return .failure(
          Setback(.unavailable, "no answer within \(Int(patience)) s"))
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(Setback(.unavailable, "the call was given up"))
    }
    return try result.get()
  }

  private func checked(_ bytes: [UInt8], from name: String) throws(Failure) {
    guard bytes.count <= Self.largest else {
      throw Failure(
        message: "the definitions of \(name) are larger than \(Self.largest / 1_024) KiB",
        remedy: "see docs/definitions.md for the format", isUnreachable: false)
    }
    do throws(Fault) {
      try check(bytes)
    } catch {
      throw Failure(
        message: "the definitions of \(name) are invalid: \(error.reason)",
        remedy: "correct them there; the current ones stay in use until then", isUnreachable: false)
    }
  }
}
