@testable import BlueZ
import MetaWearProtocol
import TestSupport
import Testing
import Values

@Suite(.computation) struct ManagementCommandTests {
  private static let board = BoardAddress(value: 0xc84b_aa97_5005)

  @Test func `connection parameters are encoded in the kernel's byte order`() {
    let parameters = ConnectionParameters(
      minimumInterval: 12, maximumInterval: 0x0118, latency: 3, timeout: 600)
    let command = ManagementCommand.load(parameters, for: Self.board, .random, on: 1)
    #expect(
      command.bytes == [
        0x35, 0x00, 0x01, 0x00, 0x11, 0x00,  // opcode, adapter, 17 bytes
        0x01, 0x00,  // one entry
        0x05, 0x50, 0x97, 0xaa, 0x4b, 0xc8, 0x02,  // address, random
        0x0c, 0x00, 0x18, 0x01, 0x03, 0x00, 0x58, 0x02,
      ])
    #expect(ManagementCommand.load(parameters, for: Self.board, .public, on: 0).payload[8] == 1)
  }

  @Test func `the kernel's reply to a successful command is distinguished from a refusal`() throws {
    let command = ManagementCommand.load(.fast, for: Self.board, .random, on: 0)
    let complete: [UInt8] = [0x01, 0, 0, 0, 3, 0, 0x35, 0, 0]
    #expect(try #require(ManagementAnswer(complete, to: command)).refusal == nil)
    let status: [UInt8] = [0x02, 0, 0, 0, 3, 0, 0x35, 0, 0x14]
    #expect(try #require(ManagementAnswer(status, to: command)).refusal == "permission denied")
    let invalid: [UInt8] = [0x01, 0, 0, 0, 3, 0, 0x35, 0, 0x0d]
    #expect(try #require(ManagementAnswer(invalid, to: command)).refusal == "invalid parameters")
  }

  @Test func `an unrelated or truncated event is not mistaken for the kernel's reply`() {
    let command = ManagementCommand.load(.fast, for: Self.board, .random, on: 0)
    let answer: [UInt8] = [0x01, 0, 0, 0, 3, 0, 0x35, 0, 0]
    for count in answer.indices {
      #expect(ManagementAnswer(Array(answer.prefix(count)), to: command) == nil)
    }
    let toAnother: [UInt8] = [0x01, 0, 0, 0, 3, 0, 0x36, 0, 0]
    #expect(ManagementAnswer(toAnother, to: command) == nil)
    let deviceConnected: [UInt8] = [0x0b, 0, 0, 0, 3, 0, 0x35, 0, 0]
    #expect(ManagementAnswer(deviceConnected, to: command) == nil)
  }
}
