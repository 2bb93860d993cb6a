import Foundation
import TestSupport
import Testing

/// `.ci/setup` on other computers. Each is represented by copies of its files and by programs that
/// imitate its own.
@Suite(.computation) struct SetupScriptTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// A computer with its architecture and release, named as in Debian.
  struct Computer: CustomTestStringConvertible {
    var architecture: String?
    var distribution = "ID=debian\nVERSION_ID=\"13\"\n"
    /// Kilobytes of memory; `nil` if `/proc` is not mounted.
    var memory: Int? = 4_000_000
    var swap = 0
    /// The first line of the error message; empty if the script accepts the computer.
    var error = ""
    /// The remark that the script prints about a computer that it accepts.
    var note = ""
    var testDescription: String {
      "\(architecture ?? "no dpkg"), \(memory ?? 0) kB, \(error)\(note)"
    }
  }

  static let computers = [
    Computer(architecture: "amd64"),
    Computer(architecture: "arm64", distribution: "ID=debian\nVERSION_ID=\"12\"\n"),
    Computer(
      architecture: "armhf", distribution: "ID=raspbian\nVERSION_ID=\"12\"\n",
      error: "this system is armhf, and Footbridge needs a 64-bit system: amd64 or arm64"),
    Computer(
      architecture: "i386",
      error: "this system is i386, and Footbridge needs a 64-bit system: amd64 or arm64"),
    Computer(
      architecture: "arm64", distribution: "ID=debian\nVERSION_ID=\"11\"\n",
      error: "this is not Debian 12 or later"),
    Computer(distribution: "ID=fedora\nVERSION_ID=43\n", error: "this is not Debian 12 or later"),
    Computer(
      architecture: "arm64", memory: 924_000, swap: 524_284,
      error: "this computer has 1483 MB of memory and swap, and building needs 1,500"),
    // A Raspberry Pi with 2 GB.
    Computer(architecture: "arm64", memory: 1_894_344),
    Computer(
      architecture: "amd64", memory: nil,
      error: "cannot read /proc/meminfo, which contains the amount of memory"),
    Computer(architecture: "amd64", distribution: "ID=debian\nVERSION_ID=\"13.1\"\n"),
    Computer(
      architecture: "amd64", distribution: "ID=debian\nVERSION_ID=\"11.9\"\n",
      error: "this is not Debian 12 or later"),
    Computer(
      architecture: "amd64", distribution: "ID=debian\nVERSION_CODENAME=forky\n",
      note: "this is Debian testing or unstable, on which Footbridge has not been tried\n"),
  ]

  @Test(arguments: computers)
  func `a computer on which footbridge cannot be built is rejected before anything is installed`(
    _ computer: Computer
  ) async throws {
    for folder in ["etc", "proc", "bin"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path + "/" + folder, withIntermediateDirectories: true)
    }
    try write(computer.distribution, "etc/os-release")
    if let memory = computer.memory {
      try write("MemTotal: \(memory) kB\nSwapTotal: \(computer.swap) kB\n", "proc/meminfo")
    }
    try script(computer.architecture.map { "echo \($0)" } ?? "exit 1", "dpkg")
    try script("printf installed", "dpkg-query")
    try script("echo installed a package", "apt-get")
    try script("", "swift")

    let outcome = try await Program.run(
      "/bin/bash", [Repository.path(".ci/setup")],
      environment: [
        "FOOTBRIDGE_SYSTEM": scratch.path, "PATH": scratch.path + "/bin:/usr/bin:/bin",
      ])
    #expect(outcome.output == computer.note)
    #expect(
      outcome.errors.split(separator: "\n").first ?? ""
        == (computer.error.isEmpty ? "" : "error: " + computer.error))
    #expect(outcome.status == (computer.error.isEmpty ? 0 : 1))
  }

  private func write(_ text: String, _ file: String) throws {
    try text.write(toFile: scratch.path + "/" + file, atomically: false, encoding: .utf8)
  }

  private func script(_ line: String, _ name: String) throws {
    try write("#!/bin/sh\n" + line + "\n", "bin/" + name)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: scratch.path + "/bin/" + name)
  }
}
