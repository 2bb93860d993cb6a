internal import LinuxSystem
public import Values

/// Identifies the link between one board and one adapter.
public struct LinkPlace: Hashable, Sendable {
  /// The adapter's address or its name, `hciN`.
  public var adapter: String
  public var board: BoardAddress
  public var type: AddressType

  public init(adapter: String, board: BoardAddress, type: AddressType = .random) {
    self.adapter = adapter
    self.board = board
    self.type = type
  }
}

/// Changes the connection parameters of links without bluetoothd, directly through the kernel and
/// the controller.
///
/// Each method requires a capability and a network namespace with Bluetooth. If a requirement is
/// not met, the method is missing from `abilities`, and calling it throws an error that names the
/// requirements. Controllers respond slowly, so a separate thread, `hci`, waits for them.
///
/// A process with the required capability can load parameters for a fast connection to a board:
///
///     let controller = HostController()
///     if controller.abilities.contains(.load) {
///       try await controller.load(link, .fast)
///     }
///     controller.stop()
public final class HostController: Sendable {
  /// The methods available to this process.
  public struct Abilities: OptionSet, Hashable, Sendable {
    /// The bits of this set are unrelated to the kernel's capability bits.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The process can change a live link. Requires CAP_NET_RAW.
    public static let update = Abilities(rawValue: 1)
    /// The process can load connection parameters into the kernel. Requires CAP_NET_ADMIN.
    public static let load = Abilities(rawValue: 2)

    /// Derives the abilities from capabilities. The result is empty if the kernel has no Bluetooth
    /// sockets.
    public init(_ capabilities: Capabilities, hasSockets: Bool) {
      self = []
      guard hasSockets else { return }
      if capabilities.canCommand { insert(.update) }
      if capabilities.canManage { insert(.load) }
    }
  }

  private enum Work: Sendable {
    case update, load
  }

  private enum Request: Sendable {
    case perform(Work, LinkPlace, ConnectionParameters, Reply<HostControllerError?>)
    case stop
  }

  /// The process's abilities when the controller was created.
  public let abilities: Abilities
  private let mailbox: Mailbox<Request>?
  private let thread: NamedThread?

  /// Creates a controller with the abilities that the process has. Starts the `hci` thread if there
  /// are any.
  public convenience init() {
    self.init(abilities: Abilities(.current(), hasSockets: Self.hasSockets))
  }

  /// Whether the kernel offers Bluetooth sockets to this process. Most containers have none.
  public static var hasSockets: Bool { AdapterSocket.exists }

  public init(abilities: Abilities) {
    guard !abilities.isEmpty, let mailbox = try? Mailbox<Request>(),
      let thread = try? NamedThread("hci", { Self.serve(mailbox) })
    else {
      // If the system cannot start another thread, links keep their connection parameters.
      self.abilities = []
      mailbox = nil
      thread = nil
      return
    }
    self.abilities = abilities
    self.mailbox = mailbox
    self.thread = thread
  }

  deinit {
    stop()
  }

  /// Changes a live link's connection parameters. Returns when the controller has applied them.
  public func update(
    _ link: LinkPlace, _ parameters: ConnectionParameters
  ) async throws(HostControllerError) {
    guard abilities.contains(.update) else { throw Self.missing("CAP_NET_RAW") }
    try await perform(.update, link, parameters)
  }

  /// Makes the kernel use these connection parameters when a board next connects. Newer kernels
  /// also change the board's live link.
  public func load(
    _ link: LinkPlace, _ parameters: ConnectionParameters
  ) async throws(HostControllerError) {
    guard abilities.contains(.load) else { throw Self.missing("CAP_NET_ADMIN") }
    try await perform(.load, link, parameters)
  }

  /// Stops the `hci` thread after its current request.
  public func stop() {
    _ = mailbox?.post(.stop)
    thread?.join()
  }

  private static func missing(_ capability: String) -> HostControllerError {
    HostControllerError(
      .notPermitted, "this process lacks \(capability), or the system lacks Bluetooth")
  }

  private func perform(
    _ work: Work, _ link: LinkPlace, _ parameters: ConnectionParameters
  ) async throws(HostControllerError) {
    if let violation = parameters.violation {
      throw HostControllerError(
        .invalid, "invalid connection parameters: \(violation.rawValue)")
    }
    let failure = await Reply<HostControllerError?>.wait { reply in
      if mailbox?.post(.perform(work, link, parameters, reply)) != true { reply.give(Self.stopped) }
    }
    if let failure { throw failure }
  }

  private static let stopped = HostControllerError(.refused, "the session is over")

  private static func serve(_ mailbox: Mailbox<Request>) {
    var polls = PollSet()
    polls.add(mailbox.bell.number)
    var isRunning = true
    while isRunning {
      polls.wait(seconds: nil)
      for request in mailbox.takeAll() {
        switch request {
        case .perform(let work, let link, let parameters, let reply):
          reply.give(isRunning ? outcome(of: work, link, parameters) : stopped)
        case .stop:
          isRunning = false
        }
      }
    }
    for case .perform(_, _, _, let reply) in mailbox.shut() { reply.give(stopped) }
  }

  private static func outcome(
    of work: Work, _ link: LinkPlace, _ parameters: ConnectionParameters
  ) -> HostControllerError? {
    do throws(HostControllerError) {
      switch work {
      case .update: try AdapterSocket.update(link, parameters)
      case .load: try AdapterSocket.load(link, parameters)
      }
      return nil
    } catch {
      return error
    }
  }
}
