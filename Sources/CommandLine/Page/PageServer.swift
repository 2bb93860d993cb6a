internal import HTTPServer
internal import LinuxSystem
internal import Terminal
internal import Values
internal import Web

/// The settings for serving a page.
struct PageSettings: Hashable, Sendable {
  var address = ListenAddress(host: "127.0.0.1", port: 8_080)
  /// The setting of the address, as a remedy names it.
  var origin = "'--listen ADDRESS:PORT'"
  /// Names by which phones reach it, besides this computer's own.
  var names: [String] = []
  /// The file of its certificate, for TLS.
  var certificate: String?
  /// The file with the certificate's key.
  var key: String?
  /// The map behind the tracks.
  var tiles: String?

  /// Options of commands that serve a page.
  static let options: [Option<PageSettings>] = [
    .option(
      "listen", .listenAddress, default: PageSettings().address,
      help: "listen on this address; port 0 picks a free one", sets: \.address),
    .option(
      "tiles", .file("FILE"), help: "the map behind the tracks, an MBTiles file", sets: \.tiles),
    .option(
      "certificate", .file("FILE"), help: "serve HTTPS with this certificate and its chain (PEM)",
      sets: \.certificate),
    .option(
      "certificate-key", .file("FILE"), help: "the certificate's key (PEM)", sets: \.key),
  ]
}

/// The server of a page, with the threads behind it.
final class PageServer: Sendable {
  private let access: PageAccess
  private let handler: PageHandler
  private let server: HTTPServer
  private let isEncrypted: Bool

  /// Serves a content to the devices that are paired with a store. `command` serves it in a
  /// terminal; a gateway has none. `paired` is called with the name
  /// of each new one, and `wronged` after each wrong PIN.
  init(
    _ content: any PageContent, _ settings: PageSettings, store: String, command: String? = nil,
    paired: @escaping @Sendable (String) -> Void = { _ in },
    wronged: @escaping @Sendable (WrongPIN) -> Void
  ) throws {
    let identity = try ServerIdentity.read(certificate: settings.certificate, key: settings.key)
    isEncrypted = identity != nil
    do throws(SystemError) {
      // The rule of hosts needs the port, which is known when the socket listens.
      let listening = try ListeningSocket(settings.address)
      let rule = HostRule(
        port: listening.address.port, isEncrypted: identity != nil, computer: ThisComputer.name,
        names: settings.names)
      access = PageAccess(
        PairedDevices(DeviceFile(besides: store)), rule, command: command, paired: paired,
        wronged: wronged)
      let handler = try PageHandler(content, access, version: Version.number)
      self.handler = handler
      do throws(SystemError) {
        server = try HTTPServer(
          on: listening, identity: identity, limits: PageHandler.limits, handler: handler)
      } catch {
        // For a damaged certificate; serving is retried again and again.
        handler.stop()
        throw error
      }
    } catch {
      throw Self.complaint(error, settings)
    }
  }

  /// Ends it.
  func stop() {
    handler.stop()
    server.stop()
  }

  /// A PIN for one device with this role, and the addresses to type it at. Earlier wrong tries
  /// still count unless a person asked for the PIN.
  func invitation(_ role: AccessRole, isAsked: Bool = true) -> PageInvitation {
    PageInvitation(
      pin: access.offer(role, isAsked: isAsked).revealed, role: role.rawValue,
      addresses: addresses)
  }

  /// Whether the wrong tries of the day are used up, so that no PIN is accepted.
  var isUsedUp: Bool { access.isUsedUp }

  /// The reason why the list of paired phones was lost; `nil` if it was not.
  var lostPhones: Complaint? {
    let path = access.devices.file.path
    return access.devices.fault.map { Complaint($0.message(path), remedy: $0.remedy(path)) }
  }

  /// The address on which it listens.
  var place: String { "\(server.address)" }

  /// The addresses to type into a browser, the easiest first.
  private var addresses: [String] {
    let scheme = isEncrypted ? "https" : "http"
    let address = server.address
    let everywhere = ["0.0.0.0", "::"]
    guard everywhere.contains(address.host) else { return ["\(scheme)://\(address)"] }
    let isIPv6 = address.isIPv6
    let own = LocalAddresses.all().sorted().filter { text in
      guard let address = NumericAddress(text) else { return false }
      // A link-local address needs the name of its interface, which no browser accepts.
      return !address.isLoopback && !text.contains("%") && text.contains(":") == isIPv6
    }
    let hosts = own.map { ListenAddress(host: $0, port: address.port).description }
    let name = ThisComputer.name.prefix { $0 != "." }
    let isAnnounced = !name.isEmpty && Folder.exists("/run/avahi-daemon/socket")
    let announced = !isAnnounced ? [] : ["\(name).local:\(address.port)"]
    return (hosts + announced).map { "\(scheme)://\($0)" }
  }

  private static func complaint(_ error: SystemError, _ settings: PageSettings) -> Complaint {
    let remedy =
      switch error {
      case _ where error.isAddressTaken:
        "end the program that listens there, or name another port with \(settings.origin)"
      case _ where error.isAddressForeign:
        "name an address of this computer; 'ip address' shows them"
      default: "check that the certificate and the key match, and check the address"
      }
    return Complaint("\(error)", remedy: remedy)
  }
}
