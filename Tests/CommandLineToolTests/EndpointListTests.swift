@testable import CommandLineTool
@testable import Terminal
import HTTPServer
import LinuxSystem
import Recording
import SessionFolder
import TestSupport
import Testing
import UploadServer
import Values

/// Lists of the sessions at an upload endpoint.
@Suite(.realTime) struct EndpointListTests {
  @Test func `the command that 'fetch' suggests for listing all sessions works`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let intake = try FolderIntake(folder: path)
    for number in 1...UInt64(SessionsCommand.usualCount) {
      let session = Session(
        id: UniqueID(high: number, low: 1), bootID: UniqueID(high: 2, low: 2),
        start: BootTime(nanoseconds: 0))
      #expect(try intake.store(SessionRecord(session: session)) == .stored)
    }
    let handler = try await UploadHandler(.everybody) { try FolderIntake(folder: path) }
    let server = try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), handler: handler)
    defer { server.stop() }
    let address = "http://\(server.address)"
    let list = await Outcome.of(["fetch", "--from", address], commands: Commands.all)
    let command = ["sessions", "--fleet", address, "--all"]
    let words = command.joined(separator: " ")
    #expect(list.output.contains("'footbridge \(words)' lists all sessions"), "\(list)")
    let typed = await Outcome.of(command, commands: Commands.all)
    #expect(typed.status == 0 && !typed.output.contains("not listed"), "\(typed)")
  }

  @Test func `listing an endpoint's session with lost chunks exits with status 5`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let intake = try FolderIntake(folder: path)
    let session = Session(
      id: UniqueID(high: 1, low: 1), bootID: UniqueID(high: 2, low: 2),
      start: BootTime(nanoseconds: 0))
    let board = BoardIdentity(
      address: BoardAddress(value: 1), name: "left", model: "MetaMotion S", firmware: "1.7.2")
    var record = SessionRecord(session: session)
    record.boards = [board]
    record.streams = [
      SessionRecord.Stream(
        board: board.address,
        description: StreamDescription(
          signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100,
          lossAccounting: .counted),
        chunks: [],
        gone: [
          SessionRecord.GoneChunk(
            id: UniqueID(high: 3, low: 3), sequence: 0, sampleCount: 100, lostCount: 5)
        ], lastSequence: 0)
    ]
    #expect(try intake.store(record) == .stored)
    let handler = try await UploadHandler(.everybody) { try FolderIntake(folder: path) }
    let server = try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), handler: handler)
    defer { server.stop() }
    let command = ["sessions", "--fleet", "http://\(server.address)"]
    let list = await Outcome.of(command, commands: Commands.all)
    #expect(list.status == 5)
    #expect(
      list.output.hasSuffix("see 'footbridge show SESSION --fleet \(command[2])'\n"), "\(list)")
    let json = await Outcome.of(command + ["--json"], commands: Commands.all)
    #expect(json.status == 5)
    #expect(json.output.contains(#""lost":105,"#) && json.output.contains(#""lostChunks":1,"#))
  }
}
