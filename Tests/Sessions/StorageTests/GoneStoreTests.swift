import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@testable import Storage

@Suite(.computation) struct GoneStoreTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a store that is still at its path passes the check`() throws {
    let store = try Store.open(path: path)
    try store.checkPlace()
    try store.close()
  }

  @Test(arguments: [true, false])
  func `a deleted or replaced store is reported, and the error suggests a remedy`(isReplaced: Bool)
    throws
  {
    let store = try Store.open(path: path)
    try FileManager.default.removeItem(atPath: path)
    if isReplaced { try Data().write(to: URL(fileURLWithPath: path)) }
    do throws(StoreError) {
      try store.checkPlace()
      Issue.record("the store is gone")
    } catch {
      #expect(error.kind == .gone)
      #expect(error.message == "the file \(path) was deleted or replaced during the recording")
      #expect(!error.remedy.isEmpty)
    }
  }
}
