@testable import Conformance
import Foundation
import MetaWearProtocol
import TestSupport
import Testing
import Values

/// Every packet from the test vectors, truncated at every byte or extended by surplus bytes.
@Suite(.computation) struct VectorDamageTests {
  typealias Notification = MetaWearProtocol.Notification

  /// Returns the vectors of all files. If the folder is missing, returns none, and
  /// `VectorFolderTests` reports it.
  static func vectors() throws -> [MetaWearVector] {
    let folder = "\(VectorFolderTests.folder)/metawear"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return try names.filter { $0.hasSuffix(".json") }.sorted().flatMap { name in
      let data = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
      let file = try JSONDecoder().decode(JSON.self, from: data)
      return (file["vectors"]?.list ?? []).map {
        MetaWearVector(module: file["module"]?.text ?? "", json: $0)
      }
    }
  }

  /// Returns the packets that the board sends in a vector.
  func packets(_ vector: MetaWearVector) throws -> [[UInt8]] {
    let replies = vector.json["module_replies"]?.list ?? []
    let steps = (vector.json["steps"]?.list ?? []).compactMap { $0["rx"] }
    return try vector.notifications() + vector.packets(replies + steps)
  }

  /// Returns the packets that the host sends in a vector.
  func commands(_ vector: MetaWearVector) throws -> [[UInt8]] {
    let single = vector.operation == "processor.config_bytes" ? nil : vector.json["bytes"]
    let steps = (vector.json["steps"]?.list ?? []).compactMap { $0["tx"] }
    let texts = (single.map { [$0] } ?? []) + (vector.json["commands"]?.list ?? []) + steps
    return try vector.packets(texts)
  }

  /// Returns whether a packet truncated to this length is valid according to the reference.
  func isWhole(_ notification: Notification, length: Int) -> Bool {
    switch notification {
    // All bytes after this one belong to a single text or value.
    case .name, .scanResponse, .busData, .processorOutput, .processorState, .processorDescription,
      .diagnosis, .other:
      true
    // The reply of an absent module, or of a module that lists fewer features.
    case .moduleInfo(_, nil): length == 2
    case .moduleInfo: length >= 4
    case .logTrigger(nil): length == 2
    case .logEntries(_, nil): length == 11
    case .advertising(let advertising): advertising.type == nil && length == 5
    case .address: length == 8
    // A packet with one byte reports a step; a packet with two bytes reports the number of steps.
    case .accelerometerEvent(.stepDetected): length == 3
    default: false
    }
  }

  @Test
  func `a packet truncated at any byte is rejected or read as a valid shorter packet`()
    throws
  {
    for vector in try Self.vectors() {
      for packet in try packets(vector) {
        for length in 0..<packet.count {
          let cut = Array(packet.prefix(length))
          do throws(DecodeError) {
            let found = try Notification(decoding: cut.span, from: vector.modules)
            #expect(
              isWhole(found, length: length),
              "\(Hexadecimal.text(packet)), \(length) bytes: \(found)")
          } catch {
            guard case .truncated(let expected, length) = error else {
              Issue.record("\(Hexadecimal.text(packet)), \(length) bytes: \(error)")
              continue
            }
            // The error never asks for more bytes than the whole packet has.
            #expect(
              expected > length && expected <= max(packet.count, 2), "\(Hexadecimal.text(packet))")
          }
        }
      }
    }
  }

  @Test func `surplus bytes never make a packet from the test vectors unreadable`() throws {
    let boards = (0...4).map { implementation in
      ModuleTable([
        .accelerometer: ModuleInfo(implementation: implementation, revision: 1),
        .gyroscope: ModuleInfo(implementation: implementation & 1, revision: 1),
      ])
    }
    for vector in try Self.vectors() {
      for packet in try packets(vector) {
        // A second log entry must be complete, so there are as many surplus bytes as an entry has.
        let isEntry = packet.starts(with: [0x0b, 0x07])
        let long = packet + [UInt8](repeating: 0, count: isEntry ? 9 : 12)
        #expect(throws: Never.self, "\(Hexadecimal.text(packet))") {
          try Notification(decoding: long.span, from: vector.modules)
        }
        for length in 0...long.count {
          for board in boards {
            // With the modules of a different board, any result except a trap is allowed.
            _ = try? Notification(decoding: Array(long.prefix(length)).span, from: board)
          }
        }
      }
    }
  }

  @Test func `a truncated command decodes to another command or to nil`() throws {
    for vector in try Self.vectors() {
      for packet in try commands(vector) {
        for length in 0...packet.count {
          let cut = Array(packet.prefix(length))
          guard let command = Command(bytes: cut) else {
            #expect(length < 2)
            continue
          }
          #expect(command.meaning(on: vector.modules).command == command)
        }
      }
    }
  }
}
