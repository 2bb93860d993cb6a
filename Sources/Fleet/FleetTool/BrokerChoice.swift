internal import CommandLineTool
internal import Gateway
internal import LinuxSystem
internal import Sharing
internal import Terminal
internal import Upload

/// The broker of a fleet, as options name it.
struct BrokerChoice: Hashable, Sendable {
  /// The broker, or the brokers of a cluster.
  var address: BrokerAddress?
  var fleets: [String] = []
  /// The first name, if only one can be given.
  private var fleet: String? {
    get { fleets.first }
    set { fleets = newValue.map { [$0] } ?? [] }
  }
  var passwordFile: String?
  /// The file with trusted certificates.
  var authorityFile: String?

  /// The variable with the password, for users without a file.
  static let variable = "FOOTBRIDGE_BROKER_PASSWORD"

  /// The options, the first of which has this name. `areSeveral` permits several fleets.
  static func options(
    _ name: String, areSeveral: Bool, help: String
  ) -> [Option<BrokerChoice>] {
    [
      .option(name, .broker, help: help, sets: \.address),
      areSeveral
        ? .option(
          "fleet", .liveName("NAME"),
          help: "the name of the fleet there (repeatable)", adds: \.fleets)
        : .option("fleet", .liveName("NAME"), help: "the name of the fleet there", sets: \.fleet),
      .option(
        "broker-password-file", .file("FILE"),
        help: "the file with the broker's password (default: $\(variable))",
        sets: \.passwordFile),
      .option(
        "broker-ca-file", .file("FILE"),
        help: "trust the certificates in this file for the broker, instead of the system's",
        sets: \.authorityFile),
    ]
  }

  /// The broker and the fleets, after all errors were reported; `nil` without a broker.
  func checked(
    asOption name: String, of command: String
  ) throws(Complaint) -> (settings: BrokerSettings, fleets: [String])? {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: command)
    }
    guard let address else {
      guard fleets.isEmpty, passwordFile == nil, authorityFile == nil else {
        throw usage(
          "'--\(name)' is missing", "name the broker, as in '--\(name) mqtt://broker.example.org'")
      }
      return nil
    }
    guard !address.namesPassword else {
      throw usage(
        "a password in the address could be read by others",
        "write it into a file, and name the file with '--broker-password-file FILE'")
    }
    guard !fleets.isEmpty else {
      throw usage(
        "'--fleet' is missing", "name the fleet as in 'fleet' under [sharing] of its gateways")
    }
    var settings = BrokerSettings(address)
    settings.authorityFile = authorityFile
    if let passwordFile {
      settings.readPassword(from: passwordFile)
      // An unreadable file is reported at once.
      do throws(SecretFile.Failure) {
        _ = try SecretFile(passwordFile).readLine()
      } catch {
        throw Complaint(error.reason, remedy: error.remedy)
      }
    } else if let password = Environment.variables[Self.variable] {
      settings.password = { () throws(BrokerFailure) in password }
    }
    return (settings, fleets)
  }
}
