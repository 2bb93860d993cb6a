internal import LinuxSystem
public import Storage
public import Upload
public import Values

/// Fetches this gateway's definitions, validates them as a whole, and then replaces the stored
/// definitions in one transaction. If an earlier step fails, the stored definitions remain
/// unchanged.
public struct DefinitionsPull: Sendable {
  /// Maximum size of the definitions in bytes.
  public static let largest = 65_536
  /// The time limit in seconds for all the responses from one destination. A server that responds
  /// one byte at a time must not block a pull forever.
  private static let patience = 120.0

  /// The result of a successful pull.
  public enum Outcome: Hashable, Sendable {
    /// Definitions were fetched or confirmed. `isNew` is true if they differ from the stored
    /// definitions.
    case pulled(StoredDefinitions, isNew: Bool)
    /// No destination has definitions for this gateway. The stored definitions remain.
    case none(asked: [String])
  }

  /// The reason why a pull failed.
  public struct Failure: Remediable, Hashable {
    /// The error text, including the destination's name.
    public var message: String
    /// An instruction for the user. Empty if no single remedy fits every cause.
    public var remedy: String
    /// Whether the destination did not deliver its definitions.
    public var isUnreachable: Bool
  }

  /// A fault in the definitions.
  public struct Fault: Remediable, Hashable {
    /// A sentence that lists the faults.
    public var reason: String
    /// The error text if the stored definitions have these faults.
    public var message: String { "the definitions in the store are invalid: \(reason)" }
    public var remedy: String { "pull valid definitions with 'footbridge definitions pull'" }

    public init(_ reason: String) {
      self.reason = reason
    }
  }

  private let store: String
  private let check: @Sendable ([UInt8]) throws(Fault) -> Void
  private let doubted: @Sendable (String) -> Void
  private let source: @Sendable (DestinationSettings) throws -> (any DefinitionsSource)?

  /// Prepares a pull into the store at `store`.
  ///
  /// - Parameters:
  ///   - check: Throws if the definitions are invalid.
  ///   - doubted: Called with the reason if the fetched definitions are used even though they may
  ///     be outdated.
  ///   - source: Returns a destination's source of definitions, or `nil` if the destination has
  ///     none.
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

  /// Queries the destinations with these names in this order. Without names, queries all
  /// destinations in the order in which the store lists them. The first destination that has
  /// definitions is used. An unreachable destination ends the pull, because the configuration must
  /// not depend on which servers happen to be online.
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
          // An earlier version of the program may have accepted invalid definitions, so they are
          // checked again.
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
      // A cancelled call does not indicate a problem with the destination.
      try Task.checkCancellation()
      // Report the original failure even if the store cannot record it.
      try? StoreEditor(path: store).note(
        FailedPull(
          time: BootClock.systemTime(), reason: failure.message, remedy: failure.remedy))
      throw failure
    }
    return .none(asked: asked)
  }

  /// Returns the reason why the fetched definitions may be outdated, or `nil` if there is none.
  /// Over plain HTTP, anyone on the network path can replay older definitions.
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
    guard let now = updated(next) else { return "the new set has no 'updated_at', and \(dated)" }
    guard now.nanoseconds < before.nanoseconds else { return nil }
    return "the new set is dated \(now.iso8601(decimals: 0)), and \(dated)"
  }

  /// Returns the warning about definitions that may be outdated.
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

  /// Returns a destination's definitions, or `nil` if it cannot provide any.
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
        message: "cannot request the definitions from \(name): \(error)", remedy: remedy,
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

  /// Cancels a call after `patience` seconds.
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
          Setback(.unavailable, "no response within \(Int(patience)) s"))
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? .failure(Setback(.unavailable, "the call was cancelled"))
    }
    return try result.get()
  }

  private func checked(_ bytes: [UInt8], from name: String) throws(Failure) {
    guard bytes.count <= Self.largest else {
      throw Failure(
        message: "the definitions from \(name) are larger than \(Self.largest / 1_024) KiB",
        remedy: "see docs/definitions.md for the format", isUnreachable: false)
    }
    do throws(Fault) {
      try check(bytes)
    } catch {
      throw Failure(
        message: "the definitions from \(name) are invalid: \(error.reason)",
        remedy:
          "correct the definitions at the destination; the current ones stay in use until then",
        isUnreachable: false)
    }
  }
}
