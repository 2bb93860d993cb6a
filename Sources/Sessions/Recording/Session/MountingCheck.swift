public import Values

/// A board in a session, with its place on the body and its mounting.
public struct PlacedBoard: Hashable, Sendable {
  public var address: BoardAddress
  /// The board's placement or, if it has none, its name.
  public var place: String
  public var mounting: Mounting

  public init(_ address: BoardAddress, at place: String, _ mounting: Mounting) {
    self.address = address
    self.place = place
    self.mounting = mounting
  }
}

/// A fault in the way boards are attached: on the wrong side, loosely, or in a different
/// orientation than in the participant's last session.
public struct MountingFault: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The board labelled as left is on the right limb, and vice versa.
    case swapped
    /// The board is upside down compared with the last session.
    case upsideDown = "upside-down"
    /// The board is turned compared with the last session.
    case turned
    /// The board moves on the limb.
    case loose
  }

  public var kind: Kind
  /// The affected board. If two boards are swapped, the board labelled as left, then the board
  /// labelled as right.
  public var boards: [BoardAddress]
  /// The labels of `boards`, in the same order.
  public var places: [String]
  /// The angle in degrees by which the board is turned; `nil` for other faults.
  public var degrees: Int?

  public init(
    _ kind: Kind, _ boards: [BoardAddress], at places: [String], degrees: Int? = nil
  ) {
    self.kind = kind
    self.boards = boards
    self.places = places
    self.degrees = degrees
  }

  fileprivate init(_ kind: Kind, _ boards: PlacedBoard..., degrees: Int? = nil) {
    self.init(kind, boards.map(\.address), at: boards.map(\.place), degrees: degrees)
  }
}

/// Compares the mountings of a session's boards with each other, and with the mountings in an
/// earlier session of the same participant.
///
/// Left and right limbs roll in opposite directions during a stride. The difference between the two
/// limbs is therefore typical of the person and keeps its sign. If the boards are swapped, the sign
/// is reversed. In a participant's first session, only the feet can be checked, since all healthy
/// feet roll alike.
public enum MountingCheck {
  /// The angles in degrees above which a board counts as turned and as upside down, respectively.
  private static let angles = (turned: 30.0, upsideDown: 120.0)
  /// Minimum magnitude of a correlation that decides whether boards are swapped: in a comparison
  /// with an earlier session of the participant, and in a comparison with the feet of other people.
  private static let correlation = (own: 0.5, others: 0.35)
  /// The roll of a left foot during a stride, starting when the foot leaves the ground: the mean
  /// over healthy people, in multiples of the root mean square of the swing. The foot tilts
  /// outwards as the heel rises and before it strikes the ground, and inwards when the weight comes
  /// onto it.
  private static let leftFoot = [
    0.2, -0.3, -0.1, 0.2, 0.4, 0.45, -0.05, -0.2, -0.15, -0.05, 0, -0.05, -0.05, 0, 0.15, 0.35,
  ]

  /// `former` contains the boards of the participant's last session; empty if there is none.
  public static func faults(
    of boards: [PlacedBoard], after former: [PlacedBoard] = []
  ) -> [MountingFault] {
    var faults: [MountingFault] = []
    // The limb on which each board is worn, which differs from its label if boards are swapped.
    var limbs = boards.map { Limb($0.place) }
    for (left, board) in boards.enumerated() where Limb(board.place).side == .left {
      let limb = limbs[left]
      guard let right = limbs.firstIndex(of: limb.opposite),
        areSwapped(board, boards[right], former) == true
      else { continue }
      faults.append(MountingFault(.swapped, board, boards[right]))
      limbs.swapAt(left, right)
    }
    for (board, limb) in zip(boards, limbs) {
      if let earlier = former.first(where: { Limb($0.place) == limb }) {
        faults += turn(of: board, since: earlier.mounting)
      }
      if board.mounting.isLoose { faults.append(MountingFault(.loose, board)) }
    }
    return faults
  }

  /// Whether two boards are swapped; `nil` if their movement does not show it.
  private static func areSwapped(
    _ left: PlacedBoard, _ right: PlacedBoard, _ former: [PlacedBoard]
  ) -> Bool? {
    func earlier(_ board: PlacedBoard) -> Mounting? {
      former.first { Limb($0.place) == Limb(board.place) }?.mounting
    }
    guard let present = difference(left.mounting, right.mounting) else { return nil }
    if let own = earlier(left), let other = earlier(right),
      own.isFoot == left.mounting.isFoot, other.isFoot == right.mounting.isFoot,
      let past = difference(own, other)
    {
      return decide(present, past, correlation.own)
    }
    guard left.mounting.isFoot, right.mounting.isFoot else { return nil }
    return decide(present, leftFoot, correlation.others)
  }

  private static func decide(
    _ present: [Double], _ expected: [Double], _ least: Double
  ) -> Bool? {
    let norm = (product(present, present) * product(expected, expected)).squareRoot()
    guard norm > 0 else { return nil }
    let correlation = product(present, expected) / norm
    return abs(correlation) < least ? nil : correlation < 0
  }

  private static func difference(_ left: Mounting, _ right: Mounting) -> [Double]? {
    guard !left.roll.isEmpty, left.roll.count == right.roll.count else { return nil }
    return zip(left.roll, right.roll).map { $0 - $1 }
  }

  private static func product(_ one: [Double], _ other: [Double]) -> Double {
    zip(one, other).reduce(0) { $0 + $1.0 * $1.1 }
  }

  private static func turn(of board: PlacedBoard, since former: Mounting) -> [MountingFault] {
    // A loose board has no fixed orientation.
    guard !board.mounting.isLoose, !former.isLoose else { return [] }
    let angle = board.mounting.angle(to: former)
    guard angle > angles.turned else { return [] }
    return board.mounting.tilt(to: former) > angles.upsideDown
      ? [MountingFault(.upsideDown, board)]
      : [MountingFault(.turned, board, degrees: Int(angle.rounded()))]
  }
}

/// A place on the body, split into its side and the remaining words.
private struct Limb: Hashable {
  enum Side { case left, right }

  /// The words for each side, as people write them on boards.
  private static let words: [String: Side] = [
    "left": .left, "l": .left, "right": .right, "r": .right,
  ]

  var side: Side?
  var rest: [String]

  init(_ place: String) {
    var side: Side?
    rest = []
    for word in place.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      if side == nil, let found = Self.words[String(word)] {
        side = found
      } else {
        rest.append(String(word))
      }
    }
    self.side = side
  }

  var opposite: Limb {
    var limb = self
    limb.side = side.map { $0 == .left ? .right : .left }
    return limb
  }
}
