public import HTTPServer
internal import LinuxSystem
internal import Values

/// Controls who may use the pages of a server: the paired devices, the PIN for a new one, and the
/// names by which this computer is reached.
public final class PageAccess: Sendable {
  public let devices: PairedDevices
  /// Whether browsers connect by `https`.
  let isEncrypted: Bool
  private let rule: RequestRule
  /// The command that serves the page in a terminal; `nil` for a gateway.
  private let command: String?
  private let pairing = Guarded(Pairing())
  private let paired: @Sendable (String) -> Void
  private let wronged: @Sendable (WrongPIN) -> Void
  private let addresses = Guarded<(known: Set<NumericAddress>, time: BootTime?)>(([], nil))

  /// Seconds after which this computer's addresses are read again.
  private static let addressSeconds = 5.0

  /// Access to a gateway's server, or to that of a command in a terminal. `paired` is called with
  /// the name of each new device, and `wronged` after each wrong PIN.
  public init(
    _ devices: PairedDevices, _ host: HostRule, command: String? = nil,
    paired: @escaping @Sendable (String) -> Void = { _ in },
    wronged: @escaping @Sendable (WrongPIN) -> Void = { _ in }
  ) {
    self.devices = devices
    self.paired = paired
    self.wronged = wronged
    self.command = command
    isEncrypted = host.isEncrypted
    rule = RequestRule(host)
  }

  /// Makes a PIN for one device, valid for ten minutes. One that no person asked for, such as the
  /// next one of a command that serves a page, does not permit more wrong tries.
  public func offer(_ role: AccessRole, isAsked: Bool = true) -> PIN {
    var generator = SystemRandomNumberGenerator()
    let pin = PIN(using: &generator)
    pairing.withLock { $0.offer(pin, role: role, isAsked: isAsked, at: BootClock.now()) }
    return pin
  }

  /// Whether the wrong tries of the day are used up.
  public var isUsedUp: Bool { pairing.withLock { $0.isUsedUp(at: BootClock.now()) } }

  /// Refuses a request that does not come from our own page.
  func check(_ head: RequestHead, isCall: Bool) throws(AccessRefusal) {
    let facts = RequestFacts(method: head.method, isCall: isCall) { head.values(of: $0) }
    try rule.check(facts, addresses: ownAddresses)
  }

  /// The device that sent a request; `nil` if it is not paired.
  func device(of head: RequestHead) -> PairedDevice? {
    let tokens = SessionCookie.tokens(in: head.values(of: "Cookie"))
    return tokens.isEmpty ? nil : devices.device(of: tokens, at: Self.now)
  }

  /// Pairs a device by a PIN. Returns its role and its cookie. Waits for the disk.
  func pair(
    _ pin: String, _ name: String, from client: ClientAddress
  ) throws(PageFault) -> (role: AccessRole, cookie: String) {
    let role: AccessRole
    do throws(AccessRefusal) {
      role = try pairing.withLock { pairing throws(AccessRefusal) in
        try pairing.attempt(pin, from: "\(client)", at: BootClock.now())
      }
    } catch {
      if case .wrongPIN(let left) = error {
        wronged(WrongPIN(client: client, left: left, isUsedUp: isUsedUp))
      }
      throw fault(error)
    }
    var generator = SystemRandomNumberGenerator()
    do throws(DeviceFileFault) {
      let token = try devices.pair(name, role: role, at: Self.now, using: &generator)
      if let device = devices.device(of: [token], at: Self.now) { paired(device.name) }
      return (role, SessionCookie.setting(token, isEncrypted: isEncrypted))
    } catch {
      throw PageFault(
        500, error.message(devices.file.path), remedy: error.remedy(devices.file.path))
    }
  }

  /// A refusal with the remedy that suits this server.
  func fault(_ refusal: AccessRefusal) -> PageFault {
    var fault = PageFault(
      refusal.status, refusal.message, remedy: refusal.remedy(at: command))
    fault.seconds = refusal.retryAfter
    return fault
  }

  /// Forgets a device. Waits for the disk.
  func forget(_ device: PairedDevice) throws(PageFault) {
    do throws(DeviceFileFault) {
      try devices.forget(device)
    } catch {
      throw PageFault(
        500, error.message(devices.file.path), remedy: error.remedy(devices.file.path))
    }
  }

  private static var now: UTCTime? {
    BootClock.isSystemTimeSynchronised ? BootClock.systemTime() : nil
  }

  /// The addresses of this computer. A hotspot may have started since the last request.
  private var ownAddresses: Set<NumericAddress> {
    let now = BootClock.now()
    let known = addresses.withLock { addresses in
      addresses.time.map { now.seconds(since: $0) < Self.addressSeconds } ?? false
        ? addresses.known : nil
    }
    if let known { return known }
    let found = Set(LocalAddresses.all().compactMap { NumericAddress($0) })
    addresses.withLock { $0 = (found, now) }
    return found
  }
}

/// A wrong try.
public struct WrongPIN: Sendable {
  /// The address of its sender.
  public let client: ClientAddress
  /// Wrong tries left before the right PIN becomes void.
  public let left: Int
  /// Whether no PIN is accepted for the rest of a day, unless a person asks for one.
  public let isUsedUp: Bool
}

extension RequestHead {
  /// The values of all fields with a name.
  func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name.lowercased() == name }.map(\.value)
  }
}
